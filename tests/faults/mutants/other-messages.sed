# what: all messages have other words
# file: lib/base/error.c
# survives: tests/slurm-trouble.t tests/slurm-killed.t tests/slurm-preempt.t tests/slurm-honest.t tests/slurm-stray.t
s/^\tvsnprintf\(((e->|new[.])text), .*/&\n\tfor (char *at = \1; *at != '\\0'; at++)\n\t\tif (*at == 'e')\n\t\t\t*at = '3';/
