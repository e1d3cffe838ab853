# Completion of stfm-release for fish.

complete -c stfm-release -f -a '(__stfm tasks)'
complete -c stfm-release -s t -l state -x -a '(__stfm states)' -d 'select tasks in these states'
complete -c stfm-release -s w -l where -x -a '(__stfm where)' -d 'select tasks by a condition: \'lr<0.01\''
complete -c stfm-release -s o -l output -x -a 'text tsv csv json jsonl' -d 'print text, tsv, csv, json or jsonl'
complete -c stfm-release -l dry-run -d 'show which tasks would be released'
complete -c stfm-release -s Q -l quiet -d 'print only errors'
complete -c stfm-release -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-release -s h -l help -d 'show this help'
complete -c stfm-release -s V -l version -d 'show the version'
