# Completion of stfm-status for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-status '@tasks' '
-t --state     @states
-w --where     @where
-s --sort      @sort
-m --metric    @metrics
-c --columns   @shown
-l --long
-n --limit     -
-b --best      -
--by           @names
--find         -
--compare
--cost
-e --errors
--why
-f --follow
-i --interval  -
-o --output    text|tsv|csv|json|jsonl|latex|markdown|points
--json
--record
--diff
--refresh
--no-refresh
-d --store     @dirs
--charset      ascii|block|braille
--color        always|never|auto
-h --help
-V --version
'
