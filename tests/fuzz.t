#!/bin/sh
# What the fuzzer began with and what it found (tests/fuzz/corpus) goes through
# its targets again, without the fuzzer.
. "$(dirname "$0")/tap.sh"

build=$top/build/plain
[ -z "${SANITIZE:-}" ] || build=$top/build/sanitize

for directory in "$top"/tests/fuzz/corpus/*/; do
	target=$(basename "$directory")
	set -- "$directory"*
	ok "$target: all of $# inputs do as they must" \
		"$build/tests/fuzz/$target-replay" "$@"
done
ok "the corpus is small" \
	test "$(du -s -k "$top/tests/fuzz/corpus" | cut -f 1)" -lt 2048

done_testing
