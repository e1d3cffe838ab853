# Completion of stfm-restart for fish.

complete -c stfm-restart -f -a '(__stfm tasks)'
complete -c stfm-restart -s t -l state -x -a '(__stfm states)' -d 'select tasks in these states'
complete -c stfm-restart -s w -l where -x -a '(__stfm where)' -d 'select tasks by a condition: \'lr<0.01\''
complete -c stfm-restart -l resume -d 'continue from the checkpoints'
complete -c stfm-restart -l dry-run -d 'show which tasks would be queued again'
complete -c stfm-restart -l new-code -d 'train with the code as it is now'
complete -c stfm-restart -l old-code -d 'train with the copy of the code'
complete -c stfm-restart -l finished -d 'restart FINISHED tasks too'
complete -c stfm-restart -s Q -l quiet -d 'print only errors'
complete -c stfm-restart -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-restart -s h -l help -d 'show this help'
complete -c stfm-restart -s V -l version -d 'show the version'
