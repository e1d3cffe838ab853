# Completion of stfm-nodes for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-nodes '@nodes' '
-p --partitions
--calendar
--accounts
--processes
--hook        @commands
--reserve     @nodes
--from        -
--for         -
--release     @reservations
--dry-run
-l --long
-o --output   text|tsv|csv|json|jsonl
--charset     ascii|block|braille
--color       auto|always|never
-h --help
-V --version
'
