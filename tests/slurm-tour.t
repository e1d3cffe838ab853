#!/bin/sh
# The walk through all commands in stfm-tour(7) goes as it is recorded there:
# tests/tour.sh says what may differ, "make tour" records it anew.
. "$(dirname "$0")/tap.sh"

page=$top/man/stfm-tour.7

status "all commands are run" 0 sh -c '"$1" "$2" >now' sh \
	"$top/tests/tour.sh" "$page"
is "and print what the page says" "" "$(diff -u "$page" now)"

# A look at each command, and at each of its views.
for command in "$top"/bin/*.c; do
	name=$(basename "$command" .c)
	ok "$name is part of it" grep -q "^\\$ .*$name" "$page"
done

mandoc -T utf8 -O width=80 "$page" | col -b >shown
is "no line of it is wider than 80 columns" "" \
	"$(while IFS= read -r line; do
		[ "$(printf '%s\n' "$line" | wc -L)" -le 80 ] || echo "$line"
	done <shown)"
done_testing
