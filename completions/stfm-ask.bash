# Completion of stfm-ask for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-ask '@jobs' '
--tell      @files
-n --limit  -
--sampler   tpe|random|quasi
--goal      min|max
--seed      -
--again
--when      @typed
--except    @typed
-d --store  @dirs
-h --help
-V --version
'
