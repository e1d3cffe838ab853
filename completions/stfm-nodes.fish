# Completion of stfm-nodes for fish.

complete -c stfm-nodes -f -a '(__stfm nodes)'
complete -c stfm-nodes -s p -l partitions -d 'the partitions with their limits'
complete -c stfm-nodes -l calendar -d 'who has what when (DAYS: 7)'
complete -c stfm-nodes -s l -l long -d 'a line for each node'
complete -c stfm-nodes -s o -l output -x -a 'text tsv csv json jsonl' -d 'how to print'
complete -c stfm-nodes -l charset -x -a 'ascii block braille' -d 'the glyphs to use'
complete -c stfm-nodes -l color -x -a 'auto always never' -d 'when to use colours'
complete -c stfm-nodes -s h -l help -d 'show this help'
complete -c stfm-nodes -s V -l version -d 'show the version'
