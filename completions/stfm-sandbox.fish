# Completion of stfm-sandbox for fish.

set -l verbs start stop status env run
complete -c stfm-sandbox -f
complete -c stfm-sandbox -n "not __fish_seen_subcommand_from $verbs" -a start -d 'start it'
complete -c stfm-sandbox -n "not __fish_seen_subcommand_from $verbs" -a stop -d 'cancel all jobs and end it'
complete -c stfm-sandbox -n "not __fish_seen_subcommand_from $verbs" -a status -d 'show its daemons'
complete -c stfm-sandbox -n "not __fish_seen_subcommand_from $verbs" -a env -d 'print lines for eval'
complete -c stfm-sandbox -n "not __fish_seen_subcommand_from $verbs" -a run -d 'run a command in a new one'
complete -c stfm-sandbox -n '__fish_seen_subcommand_from run' -a '(__fish_complete_subcommand)'
complete -c stfm-sandbox -s N -l nodes -x -d 'number of nodes'
complete -c stfm-sandbox -s g -l gpus-per-node -x -d 'pretended GPUs of each node'
complete -c stfm-sandbox -s c -l cpus-per-node -x -d 'CPUs of each node'
complete -c stfm-sandbox -s o -l option -x -d 'a line of slurm.conf'
complete -c stfm-sandbox -s d -l directory -x -a '(__fish_complete_directories)' -d 'where it lives'
complete -c stfm-sandbox -l remove -d 'delete the directory too'
complete -c stfm-sandbox -s Q -l quiet -d 'print only errors'
complete -c stfm-sandbox -s h -l help -d 'show this help'
complete -c stfm-sandbox -s V -l version -d 'show the version'
