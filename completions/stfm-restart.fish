# Completion of stfm-restart for fish.

complete -c stfm-restart -f -a '(__stfm tasks)'
complete -c stfm-restart -s t -l state -x -a '(__stfm states)' -d 'only tasks in these states'
complete -c stfm-restart -s w -l where -x -a '(__stfm where)' -d 'only tasks where this holds: \'lr<0.01\''
complete -c stfm-restart -l resume -d 'go on from the checkpoints'
complete -c stfm-restart -l dry-run -d 'show which tasks would be queued again'
complete -c stfm-restart -l new-code -d 'train with the code as it is now'
complete -c stfm-restart -l old-code -d 'train with the copy of the code'
complete -c stfm-restart -l finished -d 'also tasks that are FINISHED'
complete -c stfm-restart -s Q -l quiet -d 'print nothing but errors'
complete -c stfm-restart -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-restart -s h -l help -d 'show this help'
complete -c stfm-restart -s V -l version -d 'show the version'
