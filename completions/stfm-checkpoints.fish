# Completion of stfm-checkpoints for fish.

complete -c stfm-checkpoints -f -a '(__stfm tasks)'
complete -c stfm-checkpoints -l keep-best -x -d 'delete checkpoints of all but the N best tasks'
complete -c stfm-checkpoints -l keep-last -x -d 'delete all but the newest N of each task'
complete -c stfm-checkpoints -l dry-run -d 'show what would be deleted, with sizes'
complete -c stfm-checkpoints -s y -l yes -d 'do not ask for confirmation'
complete -c stfm-checkpoints -s l -l long -d 'print a line for each checkpoint'
complete -c stfm-checkpoints -s t -l state -x -a '(__stfm states)' -d 'select tasks by state: ERROR,STOPPED or R,TO'
complete -c stfm-checkpoints -s w -l where -x -a '(__stfm where)' -d 'select tasks by a condition: \'lr<0.01\''
complete -c stfm-checkpoints -s o -l output -x -a 'text tsv csv json jsonl latex markdown' -d 'print tsv, csv, json, jsonl, latex or markdown'
complete -c stfm-checkpoints -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-checkpoints -s h -l help -d 'show this help'
complete -c stfm-checkpoints -s V -l version -d 'show the version'
