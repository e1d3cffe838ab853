# Completion of stfm-stop for fish.

complete -c stfm-stop -f -a '(__stfm tasks)'
complete -c stfm-stop -s t -l state -x -a '(__stfm states)' -d 'only tasks in these states'
complete -c stfm-stop -s w -l where -x -a '(__stfm where)' -d 'only tasks where this holds: \'lr<0.01\''
complete -c stfm-stop -l remove -d 'delete whole jobs after their tasks have ended'
complete -c stfm-stop -l with-results -d 'with --remove: files among the code, too'
complete -c stfm-stop -l dry-run -d 'show what would be stopped'
complete -c stfm-stop -s y -l yes -d 'do not ask'
complete -c stfm-stop -s Q -l quiet -d 'print nothing but errors'
complete -c stfm-stop -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-stop -s h -l help -d 'show this help'
complete -c stfm-stop -s V -l version -d 'show the version'
