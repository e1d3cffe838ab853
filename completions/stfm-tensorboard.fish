# Completion of stfm-tensorboard for fish.

complete -c stfm-tensorboard -f -a '(__stfm tasks)'
complete -c stfm-tensorboard -l port -x -d 'the port (default: 6006 or the next that is free)'
complete -c stfm-tensorboard -l login -x -a '(__fish_print_hostnames)' -d 'what you ssh to (default: this machine)'
complete -c stfm-tensorboard -l links -x -a '(__fish_complete_directories)' -d "where to put the links to the tasks' files"
complete -c stfm-tensorboard -s t -l state -x -a '(__stfm states)' -d 'only tasks in these: RUNNING,FINISHED or R ...'
complete -c stfm-tensorboard -s w -l where -x -a '(__stfm where)' -d 'only tasks for which it holds: lr<0.01'
complete -c stfm-tensorboard -s o -l output -x -a 'text sh tsv csv json jsonl' -d 'text; sh: the command; tsv ... json: the runs'
complete -c stfm-tensorboard -s d -l store -x -a '(__fish_complete_directories)' -d 'the store (default: $STFM_DIR, .stfm, ...)'
complete -c stfm-tensorboard -s h -l help -d 'show this help'
complete -c stfm-tensorboard -s V -l version -d 'show the version'
