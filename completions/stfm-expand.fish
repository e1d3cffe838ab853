# Completion of stfm-expand for fish.

complete -c stfm-expand -f
complete -c stfm-expand -l zip -x -a '(__stfm typed)' -d 'pair hyperparameters: lr,bs'
complete -c stfm-expand -l except -x -a '(__stfm typed)' -d 'leave points out: opt=adam,lr=0.1'
complete -c stfm-expand -l when -x -a '(__stfm typed)' -d 'set NAME only there: momentum:opt=sgd'
complete -c stfm-expand -l samples -x -d 'draw N samples of the distributions'
complete -c stfm-expand -l seed -x -d 'seed the draws (default: 0)'
complete -c stfm-expand -l spec -r -F -d 'read hyperparameters from a JSON file'
complete -c stfm-expand -l from -r -F -d 'combine with the points in a file'
complete -c stfm-expand -l from-format -x -a 'tsv csv jsonl' -d 'its format'
complete -c stfm-expand -s o -l output -x -a 'tsv csv jsonl args env count' -d 'format'
complete -c stfm-expand -s 0 -l null -d 'end records with NUL instead of newline'
complete -c stfm-expand -l no-header -d 'leave out the header line'
complete -c stfm-expand -s h -l help -d 'show this help'
complete -c stfm-expand -s V -l version -d 'show the version'
