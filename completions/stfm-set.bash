# Completion of stfm-set for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-set '@jobs' '
-m --metric   @metrics
--goal        min|max
--metrics     @files
--metrics-regex -
--epochs      -
--description -
--tag         @tags
--untag       @tags
--dry-run
-Q --quiet
-d --store    @dirs
-h --help
-V --version
'
