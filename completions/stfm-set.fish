# Completion of stfm-set for fish.

complete -c stfm-set -f -a '(__stfm jobs)'
complete -c stfm-set -s m -l metric -x -a '(__stfm metrics)' -d 'compare tasks by this metric'
complete -c stfm-set -l goal -x -a 'min max' -d 'the best value is the min or the max'
complete -c stfm-set -l metrics -r -F -d 'read the training log of each task here'
complete -c stfm-set -l metrics-regex -x -d 'find metrics in the printed output'
complete -c stfm-set -l epochs -x -d 'train N epochs, or as many as NAME says'
complete -c stfm-set -l dry-run -d 'show the new settings, change nothing'
complete -c stfm-set -s Q -l quiet -d 'print only errors'
complete -c stfm-set -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-set -s h -l help -d 'show this help'
complete -c stfm-set -s V -l version -d 'show the version'
