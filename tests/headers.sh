#!/bin/sh
# Compile what uses libslurm against the headers of many releases of Slurm.
#
#	headers.sh BUILD SOURCE COMPILER...
#
# SOURCE is a clone of Slurm's repository, of which the last tag of each
# release from 20.11 on is taken, or a directory with the headers as they are
# installed: SOURCE/ANY/slurm/slurm.h.  The compiler comes with its flags.

build=$1
source=$2
shift 2

fail() {
	printf 'headers: %s\n' "$@" >&2
	exit 2
}

git_slurm() {
	git -C "$source" "$@"
}

# The last tag of each release: "22.05 slurm-22-05-11-1".
tags() {
	git_slurm tag | sed -nE 's/^slurm-([0-9]+)-([0-9]+)-([0-9]+)-([0-9]+)$/\
\1.\2 \3 \4 &/p' | sort -k1,1 -k2,2n -k3,3n | awk '
		$1 >= "20.11" && $1 < "90" { last[$1] = $4 }
		END { for (release in last) print release, last[release] }' |
		sort
}

# Slurm's configure puts the version in.
with_version() {
	sed "s/^#undef *SLURM_VERSION_NUMBER/#define SLURM_VERSION_NUMBER \
SLURM_VERSION_NUM($1)/"
}

# Write the headers of a tag into a directory.
take() {
	mkdir -p "$2" || exit 2
	numbers=$(git_slurm show "$1:META" | awk '
		$1 == "Major:" { a = $2 }
		$1 == "Minor:" { b = $2 }
		$1 == "Micro:" { c = $2 }
		END { printf "%d,%d,%d", a, b, c }')
	for name in $(git_slurm ls-tree --name-only "$1" slurm/); do
		file=${name##*/}
		git_slurm show "$1:$name" | with_version "$numbers" \
			>"$2/${file%.in}"
	done
}

[ -d "$source" ] || fail "$source: no such directory" \
	"HEADERS=DIR is a clone of Slurm's repository, or has */slurm/slurm.h"
if git_slurm rev-parse --git-dir >/dev/null 2>&1 && [ -n "$(tags)" ]; then
	rm -rf "$build/headers"
	tags | while read -r release tag; do
		take "$tag" "$build/headers/$release/slurm"
	done
	source=$build/headers
fi

found=0
bad=0
for header in "$source"/*/slurm/slurm.h; do
	[ -e "$header" ] || continue
	found=$((found + 1))
	include=${header%/slurm/slurm.h}
	result=compiles
	for file in lib/slurm/library*.c; do
		"$@" -Werror -fsyntax-only -isystem "$include" "$file" ||
			result='does NOT compile'
	done
	[ "$result" = compiles ] || bad=1
	echo "${include##*/}: $result"
done
[ "$found" -gt 0 ] || fail "$source: there is no */slurm/slurm.h in it"
exit "$bad"
