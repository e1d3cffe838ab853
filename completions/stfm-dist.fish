# Completion of stfm-dist for fish.

set -l frameworks tensorflow torch horovod mxnet jax
complete -c stfm-dist -f
complete -c stfm-dist -n "not __fish_seen_subcommand_from $frameworks" -a "$frameworks" -d 'framework'
complete -c stfm-dist -n "__fish_seen_subcommand_from $frameworks" -a '(__fish_complete_subcommand)'
complete -c stfm-dist -l ps -x -a 'first' -d 'parameter servers'
complete -c stfm-dist -l chief -d 'the first is a chief'
complete -c stfm-dist -l no-chief -d 'there is none'
complete -c stfm-dist -l evaluator -d 'the last evaluates'
complete -c stfm-dist -l mpi -d 'its ranks meet through MPI'
complete -c stfm-dist -l gloo -d 'connect through Gloo; your program starts a server'
complete -c stfm-dist -l gpus -x -a 'divide all' -d 'how GPUs are shared'
complete -c stfm-dist -l port -x -d 'the first port'
complete -c stfm-dist -s o -l output -x -a 'sh csh json env' -d 'how to print'
complete -c stfm-dist -s h -l help -d 'show this help'
complete -c stfm-dist -s V -l version -d 'show the version'
