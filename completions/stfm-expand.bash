# Completion of stfm-expand for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-expand '-' '
--zip       @typed
--except    @typed
--when         @typed
--samples   -
--seed      -
--spec      @files
--from         @files
--from-format  tsv|csv|jsonl
-o --output    tsv|csv|jsonl|args|env|count
-0 --null
--no-header
-h --help
-V --version
'
