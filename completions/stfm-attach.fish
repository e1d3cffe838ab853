# Completion of stfm-attach for fish.

complete -c stfm-attach -f -a '(__stfm tasks)'
complete -c stfm-attach -l node -x -d 'on this node, of a task that has several'
complete -c stfm-attach -l rank -x -d 'where this rank of a distributed training is'
complete -c stfm-attach -l dry-run -d 'show how srun would be called'
complete -c stfm-attach -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-attach -s h -l help -d 'show this help'
complete -c stfm-attach -s V -l version -d 'show the version'
