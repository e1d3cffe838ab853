# Completion of stfm-log for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-log '@tasks' '
-f --follow
-n --lines    all|
--grep        -
-e --errors
--attempt     -
--path
--raw
-t --state    @states
-w --where    @where
-Q --quiet
-d --store    @dirs
-h --help
-V --version
'
