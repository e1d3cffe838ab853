# what: all causes and stop requests have other words
# file: lib/state/words.c
# survives: tests/slurm-restart.t tests/slurm-trouble.t
# Signals and exit statuses have names of their own.
/CAUSE_(SIGNAL|EXIT)/!s/(\] = \{?"|^\t\{")/\1reworded /
