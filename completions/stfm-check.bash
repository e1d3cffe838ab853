# Completion of stfm-check for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-check '@jobs' '
--gpu
--wait        -
--no-job
-o --output   text|tsv|csv|json|jsonl
--json
--color       always|never|auto
-d --store    @dirs
--repair
-Q --quiet
--config
-v --verbose
-h --help
-V --version
. -p --partition  @partitions
@sbatch
'
