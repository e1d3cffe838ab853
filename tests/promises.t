#!/bin/sh
# Every promise in stfm-store(5) names the tests that hold it.
. "$(dirname "$0")/tap.sh"

# "number test" for each promise; the number alone for one without a test.
promises() {
	awk '
	/^\.Ss What you can rely on/ { inside = 1; next }
	/^\.(Ss|Sh|El)/ { inside = 0 }
	!inside { next }
	/^\.It/ { n++; count[n] = 0 }
	{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^tests\//) {
				print n, $i
				count[n]++
			}
	}
	END {
		for (i = 1; i <= n; i++)
			if (count[i] == 0)
				print i
	}' "$top/man/stfm-store.5"
}

promises >list
ok "there are promises" test "$(wc -l <list)" -ge 15
while read -r number test; do
	ok "promise $number: ${test:-a test} is there" \
		test -s "$top/${test:-nowhere}"
done <list

done_testing
