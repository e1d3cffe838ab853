# Completion of stfm-throttle for fish.

complete -c stfm-throttle -f -a '(__stfm jobs)'
complete -c stfm-throttle -l dry-run -d 'show what would be changed'
complete -c stfm-throttle -s Q -l quiet -d 'print only errors'
complete -c stfm-throttle -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-throttle -s h -l help -d 'show this help'
complete -c stfm-throttle -s V -l version -d 'show the version'
