#!/bin/sh
# stfm-hold, each of its calls going wrong: what it said to have held is held,
# what is held was ordered, asking again holds the rest, and nothing else is
# touched.
. "$(dirname "$0")/waiting.sh"

after() {
	now=$(held)
	[ "$now" -eq 3 ] || [ "$now" -eq 0 ] || echo "$now tasks are held"
	[ "$now" -eq 0 ] || [ "$(orders)" -gt 0 ] || echo "held without an order"
	[ "$rc" -ne 0 ] || [ "$now" -eq 3 ] ||
		echo "status 0, but $now tasks are held"
	[ "$now" -eq 0 ] || no_excuse
	case $(states) in
	*"held by you"*) [ "$now" -eq 3 ] || echo "not held: $(states)" ;;
	esac
}
holds() {
	[ "$(held)" -eq 3 ] || echo "$(held) tasks are held in the end"
	stfm-watch -1Q || echo "watch: status $?"
	[ "$(states)" = "3 SUBMITTED (held by you); " ] ||
		echo "in the end: $(states)"
}

order="stfm-hold -Q job"
sample "kill alone late EIO ESTALE+ EROFS fsync+ link+ memory"
# shellcheck disable=SC2086 # words
sweep stfm-hold "$kinds" $order

done_testing
