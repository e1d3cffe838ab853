# Completion of stfm-check for fish.

complete -c stfm-check -f -a '(__stfm jobs)'
complete -c stfm-check -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-check -l repair -d 'move what is damaged aside, make the rest good'
complete -c stfm-check -s Q -l quiet -d 'do not print what is no damage'
complete -c stfm-check -l config -d 'show the defaults, and where they come from'
complete -c stfm-check -s v -l verbose -d 'with --config: what does not hold, too'
complete -c stfm-check -s o -l output -x -a 'text tsv csv json jsonl' -d 'of --config: text, tsv, csv, json or jsonl'
complete -c stfm-check -s h -l help -d 'show this help'
complete -c stfm-check -s V -l version -d 'show the version'
