# Completions for a word of stfm's commands: what stfm-complete answers.

function __stfm --argument-names what
    set -l at (command -s stfm-status)
    or return
    set at (dirname (realpath $at))/../libexec
    test -d $at/stfm
    and set at $at/stfm
    set -l word (commandline -ct | string replace -r -- '^--[^=]*=' '' |
        string replace -r -- '^["\']' '')
    set -l plain (string unescape -- $word)
    or set plain $word
    $at/stfm-complete $what "$plain" (commandline -opc) 2>/dev/null
end
