# Completion of stfm for fish: the name of a command, and then what that command
# completes.

function __stfm_rest
    set -l words (commandline -opc)
    complete -C (string join ' ' -- stfm-$words[2] (string escape -- $words[3..]) (commandline -ct))
end

complete -c stfm -f
complete -c stfm -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help' -a '(__stfm_rest)'
complete -c stfm -n '__fish_use_subcommand' -s h -l help -d 'show this help'
complete -c stfm -n '__fish_use_subcommand' -s V -l version -d 'show the version'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a ask -d 'choose the next points of a search'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a attach -d 'enter a task that runs'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a check -d 'check the set-up'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a checkpoints -d 'list and delete checkpoints'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a dist -d 'start a distributed training'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a expand -d 'print the points of a sweep'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a hold -d 'hold tasks that wait'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a import -d 'follow jobs that sbatch queued'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a log -d 'print what tasks write'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a nodes -d 'show the nodes'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a plot -d 'draw learning curves'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a release -d 'release held tasks'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a report -d 'write a report of jobs as one HTML file'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a restart -d 'train tasks again'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a sandbox -d 'run a private Slurm'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a set -d 'change the metrics, the description or the tags of a job'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a status -d 'show jobs and tasks'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a stop -d 'stop tasks'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a submit -d 'queue a training for each point'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a tensorboard -d 'look at tasks with TensorBoard'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a throttle -d 'change how many tasks run at once'
complete -c stfm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a watch -d 'follow jobs until they end'
complete -c stfm -n '__fish_use_subcommand' -a help -d 'show the help of a command'
