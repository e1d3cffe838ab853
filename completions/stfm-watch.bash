# Completion of stfm-watch for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-watch '@jobs' '
-d --store     @dirs
-i --interval  -
--on           @events
-1 --once
-Q --quiet
-h --help
-V --version
'
