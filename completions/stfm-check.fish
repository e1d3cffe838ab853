# Completion of stfm-check for fish.

complete -c stfm-check -f -a '(__stfm jobs)'
complete -c stfm-check -l gpu -d 'check GPUs too'
complete -c stfm-check -l wait -x -d 'wait this long for the test task (default: 30)'
complete -c stfm-check -l no-job -d 'queue no test task, check Python on this machine'
complete -c stfm-check -s o -l output -x -a 'text tsv csv json jsonl' -d 'print text, tsv, csv, json or jsonl'
complete -c stfm-check -l json -d 'print JSON (same as --output=json)'
complete -c stfm-check -l color -x -a 'auto always never' -d 'use colors: auto, always or never'
complete -c stfm-check -s d -l store -x -a '(__fish_complete_directories)' -d 'verify the store (default: $STFM_DIR, ...)'
complete -c stfm-check -l repair -d 'repair records, or move them to STORE/lost/'
complete -c stfm-check -s Q -l quiet -d 'print only problems'
complete -c stfm-check -l config -d 'show the defaults and the file that sets each'
complete -c stfm-check -s v -l verbose -d 'with --config: show overridden defaults too'
complete -c stfm-check -s h -l help -d 'show this help'
complete -c stfm-check -s V -l version -d 'show the version'

# sbatch's own, which are many: from the third character on.
begin
    set -l more 'not string match -qr -- "^--?\$" (commandline -ct)'
    complete -c stfm-check -n $more -s p -l partition -x -a '(__stfm partitions)' -d 'of sbatch'
    complete -c stfm-check -n 'string match -q -- "--?*" (commandline -ct)' -a '(__stfm sbatch)'
end
