# Completion of stfm-plot for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-plot '@tasks|@files' '
-m --metric      @metrics
--x              @columns
--at             -
--mean           @names
--usage
--best-so-far
--goal           min|max
-t --state       @states
-w --where       @where
-b --best        -
--log
-y --range       -
--smooth      -
--layout         auto|one|multi|spark
--grid           @names
--by             @names|all
--hist
--metrics-regex  -
-f --follow
-i --interval    -
-o --output      text|tsv|gnuplot|svg|png
-W --width       -
-H --height      -
--charset        ascii|block|braille
--color          always|never|auto
-d --store       @dirs
-h --help
-V --version
'
