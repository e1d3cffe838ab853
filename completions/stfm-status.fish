# Completion of stfm-status for fish.

complete -c stfm-status -f
complete -c stfm-status -s t -l state -x -a 'SUBMITTED RUNNING FINISHED ERROR STOPPED' -d 'only these: ERROR,STOPPED or R,TO,OOM ...'
complete -c stfm-status -s w -l where -x -d 'only tasks for which it holds: lr<0.01'
complete -c stfm-status -s s -l sort -x -a 'best last task state epoch progress elapsed start end node' -d 'best, task, elapsed, lr ...; -lr reverses'
complete -c stfm-status -s n -l limit -x -d 'at most N tasks of a job; the newest N jobs'
complete -c stfm-status -s e -l errors -d 'what tasks died of, equal ends together'
complete -c stfm-status -s o -l output -x -a 'text tsv csv json jsonl' -d 'text, tsv, csv, json or jsonl'
complete -c stfm-status -l json -d 'the same as --output=json'
complete -c stfm-status -l record -d 'how jobs were submitted, code, environment'
complete -c stfm-status -l diff -d 'what the code had more than its commit'
complete -c stfm-status -l refresh -d 'ask Slurm, however recent the answers are'
complete -c stfm-status -l no-refresh -d 'do not ask Slurm, however old'
complete -c stfm-status -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-status -l charset -x -a 'ascii block braille' -d 'ascii, block or braille'
complete -c stfm-status -l color -x -a 'always never auto' -d 'always, never or auto'
complete -c stfm-status -s h -l help -d 'show this help'
complete -c stfm-status -s V -l version -d 'show the version'
