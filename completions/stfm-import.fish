# Completion of stfm-import for fish.

complete -c stfm-import -f -a '(__fish_complete_directories)'
complete -c stfm-import -s J -l job-name -x -d 'what to call the job (default: as DIR)'
complete -c stfm-import -l points -r -F -d 'the hyperparameters: CSV, TSV or JSON Lines'
complete -c stfm-import -l epochs -x -d 'how many there were to be, or where FILE says it'
complete -c stfm-import -l finished -d 'all that have a log were trained to the end'
complete -c stfm-import -l metric -x -d 'the objective (default: val_loss)'
complete -c stfm-import -l goal -x -a 'min max' -d 'min or max'
complete -c stfm-import -s n -l dry-run -d 'show what would be imported'
complete -c stfm-import -s Q -l quiet -d 'print nothing but errors'
complete -c stfm-import -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-import -s h -l help -d 'show this help'
complete -c stfm-import -s V -l version -d 'show the version'
