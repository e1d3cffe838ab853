# Completion of stfm-expand for bash.

# shellcheck source=completions/stfm.bash
declare -F _stfm_table >/dev/null || . "${BASH_SOURCE[0]%/*}/stfm.bash"

_stfm_table stfm-expand '-' '
-z --zip       @typed
-x --except    @typed
--when         @typed
-n --samples   -
-s --seed      -
-f --spec      @files
--from         @files
--from-format  tsv|csv|jsonl
-o --output    tsv|csv|jsonl|args|env|count
-0 --null
--no-header
-h --help
-V --version
'
