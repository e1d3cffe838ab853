# Completion of stfm-ask for fish.

complete -c stfm-ask -f -a '(__stfm jobs)'
complete -c stfm-ask -l tell -r -F -d 'learn from a table of points and values, or from -'
complete -c stfm-ask -s n -l limit -x -d 'print N points (default: 1)'
complete -c stfm-ask -l sampler -x -a 'tpe random quasi' -d 'choose by tpe, random or quasi (default: tpe)'
complete -c stfm-ask -l goal -x -a 'min max' -d 'the best value is the min (default) or the max'
complete -c stfm-ask -l seed -x -d 'seed the random numbers (default: 0)'
complete -c stfm-ask -l again -d 'choose points again and compare them'
complete -c stfm-ask -l when -x -a '(__stfm typed)' -d 'set NAME only there: momentum:opt=sgd'
complete -c stfm-ask -l except -x -a '(__stfm typed)' -d 'leave points out: opt=adam,lr=0.1'
complete -c stfm-ask -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-ask -s h -l help -d 'show this help'
complete -c stfm-ask -s V -l version -d 'show the version'
