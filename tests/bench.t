#!/bin/sh
# What the table of "make bench" says of itself: a target is met or missed, and
# where there is none nothing is claimed.
. "$(dirname "$0")/tap.sh"

command -v python3 >/dev/null || skip_all "no python3"
bench() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/bench python3 -c "
import bench
$1
for row in bench.rows:
    print(*row[5:], sep='|')"
}

is "a limit is kept or not" "< 2|yes
< 2|NO" "$(bench 'bench.bound("a", 1, "1", "< 2", 2)
bench.bound("a", 3, "3", "< 2", 2)')"
is "so is a ratio" "<= 2 x|yes
<= 2 x|NO
>= 2 x faster|yes
>= 2 x faster|NO" "$(bench 'bench.compare("a", 1, "b", 1, "<= 2 x", 2)
bench.compare("a", 3, "b", 1, "<= 2 x", 2)
bench.compare("a", 1, "b", 3, ">= 2 x faster", 2, True)
bench.compare("a", 1, "b", 1, ">= 2 x faster", 2, True)')"
is "without a target nothing is met" "|
|" "$(bench 'bench.plain("a", "1")
bench.beside("a", 1, "b", 2)')"
is "no row with an empty target can be met" "" \
	"$(grep -nE '(bound|compare)\(.*"", [0-9]' "$top/bench/bench.py")"
is "every command is started" "$(cd "$top/bin" &&
	find . -name 'stfm*.c' | sed 's,^./,,; s,\.c$,,' | LC_ALL=C sort)" \
	"$(bench 'print(*bench.COMMANDS, sep="\n")')"

done_testing
