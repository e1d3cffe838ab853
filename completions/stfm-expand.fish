# Completion of stfm-expand for fish.

complete -c stfm-expand -f
complete -c stfm-expand -l zip -x -a '(__stfm typed)' -d 'pair these: lr,bs'
complete -c stfm-expand -l except -x -a '(__stfm typed)' -d 'leave points out: opt=adam,lr=0.1'
complete -c stfm-expand -l when -x -a '(__stfm typed)' -d 'momentum:opt=sgd: only there'
complete -c stfm-expand -l samples -x -d 'draw N samples of distributions'
complete -c stfm-expand -l seed -x -d 'seed of the samples (0)'
complete -c stfm-expand -l spec -r -F -d 'take hyperparameters from JSON'
complete -c stfm-expand -l from -r -F -d 'cross with the points of a file'
complete -c stfm-expand -l from-format -x -a 'tsv csv jsonl' -d 'its format'
complete -c stfm-expand -s o -l output -x -a 'tsv csv jsonl args env count' -d 'format'
complete -c stfm-expand -s 0 -l null -d 'end records with NUL'
complete -c stfm-expand -l no-header -d 'without the line of names'
complete -c stfm-expand -s h -l help -d 'show this help'
complete -c stfm-expand -s V -l version -d 'show the version'
