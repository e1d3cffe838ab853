# Completion of stfm-attach for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-attach '@tasks' '
--node        -
--rank        -
--dry-run
-d --store    @dirs
-h --help
-V --version
'
