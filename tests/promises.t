#!/bin/sh
# Every promise in stfm-store(5) names the files that hold it, and in comments
# behind it the test in each: a function of a .c, what a .t says of a check.
. "$(dirname "$0")/tap.sh"

# "number file test" for each promise; the number alone for one without a file,
# and no test for a file of which none is named.
promises() {
	awk '
	function tell(   f) {
		if (n > 0 && files == 0)
			print n
		for (f in named)
			if (named[f] == 0)
				print n, f
		split("", named)
		files = 0
	}
	/^\.Ss What you can rely on/ { inside = 1; next }
	inside && /^\.(Ss|Sh|El)/ { tell(); inside = 0 }
	!inside { next }
	/^\.It/ { tell(); n++ }
	/^\.\\" tests\// {
		file = $2
		sub(/:$/, "", file)
		if (file in named)
			named[file]++
		test = $0
		sub(/^[^:]*: /, "", test)
		print n, file, test
		next
	}
	{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^tests\//) {
				named[$i] += 0
				files++
			}
	}' "${1:-$top/man/stfm-store.5}"
}

# A test of cmocka is written and called; that of a script is no remark of it.
holds() {
	[ -n "$2" ] || return
	case $1 in
	*.c)
		grep -Fqx "$2(void **state)" "$top/$1" &&
			[ "$(grep -Fwc "$2" "$top/$1")" -ge 2 ]
		;;
	*) grep -v '^[[:space:]]*#' "$top/$1" | grep -Fq -e "$2" ;;
	esac
}

promises >list
ok "there are promises" test "$(cut -d ' ' -f 1 list | uniq | wc -l)" -ge 15
while read -r number file test; do
	ok "promise $number: ${file:-no file}: ${test:-no test}" \
		holds "$file" "$test"
done <list

# This finds what it is meant to find.
cat >page <<'E2'
.Ss What you can rely on
.It
Held by nothing.
.It
Held
.Pq Pa tests/fs-test.c , Pa tests/promises.t .
.\" tests/fs-test.c: no_such_test
.El
E2
is "what is not held is seen" "1
2 tests/fs-test.c no_such_test
2 tests/promises.t" "$(promises page)"
ok "a test that is not there is none" \
	sh -c '! grep -q no_such_test "$1"' - "$top/tests/fs-test.c"

done_testing
