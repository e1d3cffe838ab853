# Completion of stfm-import for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-import '@dirs' '
--slurm
-J --job-name -
--points      @files
--epochs      -
--finished
--metric      -
--goal        min|max
--metrics     @files
--metrics-regex -
--dry-run
-Q --quiet
-d --store    @dirs
-h --help
-V --version
'
