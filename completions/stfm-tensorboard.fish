# Completion of stfm-tensorboard for fish.

complete -c stfm-tensorboard -f -a '(__stfm tasks)'
complete -c stfm-tensorboard -l port -x -d 'use this port (default: a free one from 6006 on)'
complete -c stfm-tensorboard -l login -x -a '(__fish_print_hostnames)' -d 'name the host you ssh to (default: this machine)'
complete -c stfm-tensorboard -l links -x -a '(__fish_complete_directories)' -d "put links to the event files here"
complete -c stfm-tensorboard -s t -l state -x -a '(__stfm states)' -d 'select tasks by state: RUNNING,FINISHED or R'
complete -c stfm-tensorboard -s w -l where -x -a '(__stfm where)' -d 'select tasks by a condition: \'lr<0.01\''
complete -c stfm-tensorboard -s o -l output -x -a 'text sh tsv csv json jsonl' -d 'print text, sh (the command), tsv, csv or json'
complete -c stfm-tensorboard -s d -l store -x -a '(__fish_complete_directories)' -d 'use this store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-tensorboard -s h -l help -d 'show this help'
complete -c stfm-tensorboard -s V -l version -d 'show the version'
