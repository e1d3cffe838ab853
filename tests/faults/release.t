#!/bin/sh
# stfm-release, each of its calls going wrong: what it said to have let go is
# let go, what is let go was ordered, asking again lets go of the rest, and
# nothing else is touched.
. "$(dirname "$0")/waiting.sh"

before=1
prepare() {
	stfm-hold -Q job
}
after() {
	now=$(held)
	[ "$now" -eq 3 ] || [ "$now" -eq 0 ] || echo "$now tasks are held"
	[ "$now" -eq 3 ] || [ "$(orders)" -gt 1 ] ||
		echo "let go without an order"
	[ "$rc" -ne 0 ] || [ "$now" -eq 0 ] ||
		echo "status 0, but $now tasks are held"
	[ "$now" -ne 0 ] || no_excuse
}
holds() {
	[ "$(held)" -eq 0 ] || echo "$(held) tasks are held in the end"
	stfm-watch -1Q || echo "watch: status $?"
	case $(states) in
	*[Hh]eld*) echo "in the end: $(states)" ;;
	"3 SUBMITTED "*) ;;
	*) echo "in the end: $(states)" ;;
	esac
}

order="stfm-release -Q job"
sample "kill EIO link+"
# shellcheck disable=SC2086 # words
sweep stfm-release "$kinds" $order

done_testing
