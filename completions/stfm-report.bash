# Completion of stfm-report for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-report '@tasks' '
-t --state      @states
-w --where      @where
-s --sort       @sort
-m --metric     @metrics
-n --limit      -
--curves        -
--title         -
--refresh
--no-refresh
-d --store      @dirs
-h --help
-V --version
'
