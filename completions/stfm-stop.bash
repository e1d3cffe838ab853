# Completion of stfm-stop for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-stop '@tasks' '
-t --state    @states
-w --where    @where
--remove
--dry-run
-f --force
-Q --quiet
-d --store    @dirs
-h --help
-V --version
'
