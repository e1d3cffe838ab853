# Completion of stfm-tensorboard for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-tensorboard '@tasks' '
--port        -
--login       -
--links       @dirs
-t --state    @states
-w --where    @where
-o --output   text|sh|tsv|csv|json|jsonl
-d --store    @dirs
-h --help
-V --version
'
