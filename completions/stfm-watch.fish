# Completion of stfm-watch for fish.

complete -c stfm-watch -f -a '(__stfm jobs)'
complete -c stfm-watch -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-watch -s i -l interval -x -d 'update this often (default: 60)'
complete -c stfm-watch -l on -x -a '(__stfm events)' -d 'run on finished, error, best, stalled, late, idle'
complete -c stfm-watch -s 1 -l once -d 'update once, quietly, for cron'
complete -c stfm-watch -s Q -l quiet -d 'print only errors'
complete -c stfm-watch -s h -l help -d 'show this help'
complete -c stfm-watch -s V -l version -d 'show the version'
