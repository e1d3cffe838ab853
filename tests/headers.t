#!/bin/sh
# The check that compiles against the headers of many releases of Slurm, on
# those that are installed here.
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 99
headers=$tap_dir/headers
mkdir -p "$headers/here"

check() {
	# shellcheck disable=SC2086 # a compiler may be two words
	tests/headers.sh "$tap_dir/build" "$headers" ${CC:-cc} -std=c11 \
		-D_GNU_SOURCE -iquote lib -Wall -Wno-missing-field-initializers
}

if [ -e /usr/include/slurm/slurm.h ]; then
	cp -r /usr/include/slurm "$headers/here"
	is "headers that fit compile" "here: compiles" "$(check 2>&1)"

	cp -r "$headers/here" "$headers/old"
	version=$(grep -l 'define SLURM_VERSION_NUMBER' "$headers"/old/slurm/*)
	sed -i 's/\(define SLURM_VERSION_NUMBER\).*/\1 0x130500/' "$version"
	status "a release that is too old fails" 1 check
	like "it is named" "old: does NOT compile" "$(check 2>&1)"
	like "and it is said why" "20.11 or newer is needed" "$(check 2>&1)"

	rm -r "$headers/old"
	sed -i 's/slurm_kill_job2/slurm_kill_job3/' \
		"$headers/here/slurm/slurm.h"
	like "so do headers that lack something" "here: does NOT" \
		"$(check 2>&1)"
fi

rm -rf "$headers"
refused "a directory that is not there is told" "no such directory" check
mkdir "$headers"
refused "and one without headers" "there is no */slurm/slurm.h in it" check

# A clone of Slurm's repository, as far as it is looked at.
git init -q "$headers"
cd "$headers" || exit 99
mkdir slurm
: >slurm/slurm_errno.h
{
	echo '#undef SLURM_VERSION_NUMBER'
	echo '#define SLURM_VERSION_NUM(a, b, c) (a * 65536 + b * 256 + c)'
	echo 'enum { from = 1 };'
} >slurm/slurm.h.in
printf '  Major: 20\n  Minor: 08\n  Micro: 9\n' >META
git add .
git -c user.name=a -c user.email=a@b commit -qm one
git tag slurm-20-02-1-1
git tag slurm-24-11-9-1
git tag slurm-24-11-10-1
cd "$top" || exit 99
is "the last tag of each release from 20.11 on" \
	"24.11: does NOT compile" "$(check 2>/dev/null)"
like "has its version" "SLURM_VERSION_NUMBER SLURM_VERSION_NUM\(20,8,9\)" \
	"$(cat "$tap_dir"/build/headers/24.11/slurm/slurm.h)"

done_testing
