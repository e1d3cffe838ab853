# Completion of stfm-stop for fish.

complete -c stfm-stop -f -a '(__stfm tasks)'
complete -c stfm-stop -s t -l state -x -a '(__stfm states)' -d 'select tasks in these states'
complete -c stfm-stop -s w -l where -x -a '(__stfm where)' -d 'select tasks by a condition: \'lr<0.01\''
complete -c stfm-stop -l remove -d 'stop jobs, then delete them'
complete -c stfm-stop -l with-results -d 'with --remove: delete results in the code copy too'
complete -c stfm-stop -l dry-run -d 'show which tasks would be stopped'
complete -c stfm-stop -s y -l yes -d 'do not ask for confirmation'
complete -c stfm-stop -s Q -l quiet -d 'print only errors'
complete -c stfm-stop -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-stop -s h -l help -d 'show this help'
complete -c stfm-stop -s V -l version -d 'show the version'
