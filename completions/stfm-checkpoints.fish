# Completion of stfm-checkpoints for fish.

complete -c stfm-checkpoints -f -a '(__stfm tasks)'
complete -c stfm-checkpoints -l keep-best -x -d 'of all but the N best tasks they go'
complete -c stfm-checkpoints -l keep-last -x -d 'of each task those but the newest N go'
complete -c stfm-checkpoints -l dry-run -d 'show what would go, and the bytes'
complete -c stfm-checkpoints -s y -l yes -d 'do not ask'
complete -c stfm-checkpoints -s l -l long -d 'a line for each checkpoint'
complete -c stfm-checkpoints -s t -l state -x -a '(__stfm states)' -d 'only tasks in these: ERROR,STOPPED or R,TO ...'
complete -c stfm-checkpoints -s w -l where -x -a '(__stfm where)' -d 'only tasks for which it holds: lr<0.01'
complete -c stfm-checkpoints -s o -l output -x -a 'text tsv csv json jsonl latex' -d 'text, tsv, csv, json, jsonl or latex'
complete -c stfm-checkpoints -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-checkpoints -s h -l help -d 'show this help'
complete -c stfm-checkpoints -s V -l version -d 'show the version'
