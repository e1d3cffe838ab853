# Completion of stfm-checkpoints for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-checkpoints '@tasks' '
--keep-best   -
--keep-last   -
--dry-run
-y --yes
-l --long
-t --state    @states
-w --where    @where
-o --output   text|tsv|csv|json|jsonl|latex|markdown
-d --store    @dirs
-h --help
-V --version
'
