#!/bin/sh
# What the fuzzer began with and what it found (tests/fuzz/corpus) goes through
# its targets again, without the fuzzer.
. "$(dirname "$0")/tap.sh"

build=$top/build/plain
[ -z "${SANITIZE:-}" ] || build=$top/build/sanitize

# kinds REGEXP SOURCE: the letters in it, one on a line, in order.
kinds() {
	grep -oE "$1" "$2" | grep -oE "'.'" | tr -d "'" | LC_ALL=C sort -u
}

# What it prints, the number and the kinds that were taken, goes to a file.
replay() {
	"$build/tests/fuzz/$target-replay" "$@" >out
}

for directory in "$top"/tests/fuzz/corpus/*/; do
	target=$(basename "$directory")
	source=$top/tests/fuzz/$target.c
	set -- "$directory"*
	ok "$target: all of $# inputs do as they must" \
		replay "$@"
	kinds "(case |\[|kind == )'.'" "$source" >known
	for input; do
		head -c 1 "$input"
		echo
	done | LC_ALL=C sort -u >given
	is "$target: an input for each of its kinds, and no other" "" \
		"$(cmp -s known given || diff known given)"
	cut -d ' ' -f 2 out | grep -o . | LC_ALL=C sort >taken
	kinds "fuzz_took\(.*'.'" "$source" >wanted
	is "$target: one is taken of each kind that says so" \
		"$(cat wanted)" "$(cat taken)"
done
ok "the corpus is small" \
	test "$(du -s -k "$top/tests/fuzz/corpus" | cut -f 1)" -lt 2048

done_testing
