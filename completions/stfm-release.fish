# Completion of stfm-release for fish.

complete -c stfm-release -f -a '(__stfm tasks)'
complete -c stfm-release -s t -l state -x -a '(__stfm states)' -d 'only tasks in these states'
complete -c stfm-release -s w -l where -x -a '(__stfm where)' -d 'only tasks where this holds: \'lr<0.01\''
complete -c stfm-release -s o -l output -x -a 'text tsv csv json jsonl' -d 'text, tsv, csv, json or jsonl'
complete -c stfm-release -l dry-run -d 'show what would be released'
complete -c stfm-release -s Q -l quiet -d 'print nothing but errors'
complete -c stfm-release -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-release -s h -l help -d 'show this help'
complete -c stfm-release -s V -l version -d 'show the version'
