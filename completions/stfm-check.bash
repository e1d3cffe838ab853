# Completion of stfm-check for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-check '@jobs' '
-d --store    @dirs
--repair
-Q --quiet
--config
-v --verbose
-o --output   text|tsv|csv|json|jsonl
-h --help
-V --version
'
