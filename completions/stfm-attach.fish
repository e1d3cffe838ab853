# Completion of stfm-attach for fish.

complete -c stfm-attach -f -a '(__stfm tasks)'
complete -c stfm-attach -l node -x -d 'choose the node of a task on several nodes'
complete -c stfm-attach -l rank -x -d 'choose the node of this rank (distributed training)'
complete -c stfm-attach -l dry-run -d 'print the srun command, do not run it'
complete -c stfm-attach -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-attach -s h -l help -d 'show this help'
complete -c stfm-attach -s V -l version -d 'show the version'
