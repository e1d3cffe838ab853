#!/bin/sh
# Every promise in stfm-store(5) names the files that hold it, and in comments
# behind it the test in each: a function of a .c, what a .t says of a check, or
# its sweep.
. "$(dirname "$0")/tap.sh"

# "number file test" for each promise; the number alone for one without a file,
# no test for a file of which none is named, and a test in a file that is not
# named with the promise as one of "?".
promises() {
	awk '
	function tell(   f) {
		if (n > 0 && files == 0)
			print n
		for (f in named)
			if (named[f] == 0)
				print n, f
		for (f in tests)
			if (!(f in named))
				print n, "?", f
		split("", named)
		split("", tests)
		files = 0
	}
	/^\.Ss Guarantees/ { inside = 1; next }
	inside && /^\.(Ss|Sh|El)/ { tell(); inside = 0 }
	!inside { next }
	/^\.It/ { tell(); n++ }
	/^\.\\" tests\// {
		file = $2
		sub(/:$/, "", file)
		tests[file]
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

tree=$top

# A test of cmocka is written, and in the table of those that are run; one of a
# script is what a function of tap.sh or a sweep is called, whole, and not what
# a remark, another command or a skipped test has.
holds() {
	[ -n "$2" ] || return
	case $1 in
	*.c) grep -Fqx "$2(void **state)" "$tree/$1" && is_run "$@" ;;
	*) is_called "$@" ;;
	esac
}
is_run() {
	awk '/struct CMUnitTest /, /^\t};/' "$tree/$1" | tr -d '\n\t ' |
		grep -Eq "[{,](cmocka_unit_test[a-z_]*|TEST)[(]$2[,)]"
}
is_called() {
	TEST=$2 awk '
	BEGIN {
		test = ENVIRON["TEST"]
		if (test !~ /^sweep /)
			test = "\"" test "\""
	}
	{
		sub(/^[ \t]+/, "")
		if (test !~ /^sweep / &&
		    !sub(/^(ok|is|like|status|refused) /, ""))
			next
		found += index($0 " ", test " ") == 1
	}
	END { exit !found }' "$tree/$1"
}

promises >list
ok "there are promises" test "$(cut -d ' ' -f 1 list | uniq | wc -l)" -ge 15
while read -r number file test; do
	ok "promise $number: ${file:-no file}: ${test:-no test}" \
		holds "$file" "$test"
done <list

# This finds what it is meant to find.
cat >page <<'E2'
.Ss Guarantees
.It
Held by nothing.
.It
Held
.Pq Pa tests/unit/sys/fs-test.c , Pa tests/promises.t .
.\" tests/unit/sys/fs-test.c: no_such_test
.El
E2
is "what is not held is seen" "1
2 tests/unit/sys/fs-test.c no_such_test
2 tests/promises.t" "$(promises page)"
printf '%s\n' 'Held' '.Pq Pa tests/a.t .' '.\" tests/a.t: a' \
	'.\" tests/b.t: b' | sed '1i .Ss Guarantees\
.It
$a .El' >page
is "a test is in a file that the promise names" "1 tests/a.t a
1 tests/b.t b
1 ? tests/b.t" "$(promises page)"

tree=$PWD
mkdir tests
cat >tests/a.c <<'E2'
static void
runs(void **state)
{
}
static void
runs_too(void **state)
{
}
static void
is_left_out(void **state)
{
}
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		runs, begin, end),
	    TEST(runs_too),
	    /* TEST(is_left_out), */
	    TEST(is_elsewhere),
	};
E2
cat >tests/a.t <<'E2'
ok "it holds" true
	like "it is like that" \
		'^that' "$said"
sweep stfm-this "$kinds" stfm-this
sweep "stfm-this, too" "$kinds" stfm-this
echo "ok - it was skipped"
# ok "it is a remark" true
skip "there is none" "no reason"
expected="it is somewhere"
is "that" "it is the second" ""
E2
for test in 'c runs' 'c runs_too' 't it holds' 't it is like that' \
	't sweep stfm-this' 't sweep "stfm-this, too"'; do
	ok "a test is found: ${test#* }" holds "tests/a.${test%% *}" \
		"${test#* }"
done
for test in 'c is_left_out' 'c is_elsewhere' 'c no_such' 't it was skipped' \
	't ok - it was skipped' 't it is a remark' 't there is none' \
	't it is somewhere' 't it is the second' 't it' 't sweep stfm' \
	't sweep "stfm-this"' 't '; do
	status "this is none: ${test#* }" 1 holds "tests/a.${test%% *}" \
		"${test#* }"
done

done_testing
