# Completion of stfm-ask for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-ask '-' '
--tell      @files
-n --limit  -
--sampler   tpe|random|quasi
--goal      min|max
--seed      -
--when      @typed
--except    @typed
-h --help
-V --version
'
