# Completion of stfm-hold for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-hold '@tasks' '
-t --state    @states
-w --where    @where
-o --output   text|tsv|csv|json|jsonl
--dry-run
-Q --quiet
-d --store    @dirs
-h --help
-V --version
'
