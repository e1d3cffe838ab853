# what: all causes and stop requests have other words
# file: lib/state/words.c
# survives: tests/slurm-restart.t tests/slurm-trouble.t
s/(\] = \{?"|^\t\{")/\1reworded /
