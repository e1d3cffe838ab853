# Completion of stfm-restart for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-restart '@tasks' '
-t --state    @states
-w --where    @where
--resume
--finished
--new-code
--old-code
-y --yes
--dry-run
-Q --quiet
-d --store    @dirs
-h --help
-V --version
'
