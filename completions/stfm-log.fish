# Completion of stfm-log for fish.

complete -c stfm-log -f
complete -c stfm-log -s f -l follow -d 'go on as the logs grow, until the tasks have ended'
complete -c stfm-log -s n -l lines -x -a all -d 'the last LINES lines of each log, or all'
complete -c stfm-log -l grep -x -d 'only lines that match (extended, as grep -E)'
complete -c stfm-log -s e -l errors -d 'how tasks ended that failed: the error in the log'
complete -c stfm-log -l attempt -x -d 'an earlier one: 0 is the first, -1 the last but one'
complete -c stfm-log -l path -d 'print where the logs are'
complete -c stfm-log -l raw -d 'every byte as it is: colours, progress bars'
complete -c stfm-log -s t -l state -x -a 'SUBMITTED RUNNING FINISHED ERROR STOPPED' -d 'only tasks in these: ERROR,STOPPED or R,TO,OOM ...'
complete -c stfm-log -s w -l where -x -d 'only tasks for which it holds: lr<0.01'
complete -c stfm-log -s Q -l quiet -d 'say nothing of tasks without a log'
complete -c stfm-log -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-log -s h -l help -d 'show this help'
complete -c stfm-log -s V -l version -d 'show the version'
