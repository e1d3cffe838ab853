#!/bin/sh
# Build stfm on other releases of Debian, against their libslurm, and run the
# tests that have a private Slurm there.
#
#	compat.sh [SUITE...]	what "make compat" calls; or trixie and sid
#
# Needs mmdebstrap and root, which make a system for each suite once, below
# build/compat or $COMPAT.  TESTS='tests/slurm-stop.t' runs some, JOBS=4 so many
# at once.  It prints a line for each suite.

top=$(cd "${0%/*}/.." && pwd -P) || exit 2
place=${COMPAT:-$top/build/compat}
mirror=${MIRROR:-http://deb.debian.org/debian}
tests=${TESTS:-$(cd "$top" && echo tests/slurm-*.t)}
[ $# -gt 0 ] || set -- trixie sid

fail() {
	printf 'compat: %s\n' "$@" >&2
	exit 2
}
[ "$(id -u)" -eq 0 ] || fail "needs root, to enter other systems"
command -v mmdebstrap >/dev/null || fail "needs mmdebstrap: install it"

# make_system SUITE
make_system() {
	[ ! -e "$place/$1/made" ] || return 0
	rm -rf "${place:?}/$1"
	mkdir -p "$place"
	# A mirror may be a snapshot, whose signature has a date in the past.
	mmdebstrap --quiet --variant=minbase \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--include="ca-certificates make \
		procps iproute2 $(awk '$1 == "check" { printf "%s ", $2 }' \
		"$top/tests/packages")" "$1" "$place/$1" "$mirror" \
		>"$place/$1.log" 2>&1 || {
		tail -n 5 "$place/$1.log" >&2
		return 1
	}
	touch "$place/$1/made"
}

# inside SUITE COMMAND...: in the tree, with the system's own /proc and /tmp.
# The shell there is the parent of what has lost its own, and reaps it.
inside() {
	root=$place/$1
	shift
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount --pid --ipc --fork --kill-child sh -c '
		root=$1
		shift
		mount --make-rprivate / &&
			mount -t proc proc "$root/proc" &&
			mount --rbind /sys "$root/sys" &&
			mount --rbind /dev "$root/dev" &&
			mount -t tmpfs -o size=4G tmp "$root/tmp" &&
			cp /etc/resolv.conf /etc/hosts "$root/etc" || exit 2
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LANG=C.UTF-8 JOBS="${JOBS:-4}" chroot "$root" \
			sh -c "cd /root/stfm && exec \"\$@\"" sh "$@" &
		wait $!
	' sh "$root" "$@"
}

# try SUITE
try() {
	make_system "$1" || return 1
	log=$place/$1.log
	rm -rf "$place/$1/root/stfm"
	mkdir -p "$place/$1/root/stfm"
	(cd "$top" && git ls-files -z --cached |
		xargs -0 cp --parents -t "$place/$1/root/stfm") || return 1
	inside "$1" make -s -j2 all unit >"$log" 2>&1 || {
		echo "$1: does not build: $log" >&2
		return 1
	}
	slurm=$(inside "$1" dpkg-query -W -f '${source:Upstream-Version}' \
		slurmctld)
	# shellcheck disable=SC2086 # several tests
	inside "$1" prove -j"${JOBS:-4}" --exec tests/run.sh $tests \
		>"$log" 2>&1 </dev/null
	awk -v suite="$1" -v slurm="$slurm" '
	/[(]Wstat: / { bad[n++] = $1 }
	match($0, /Failed: [0-9]+/) {
		wrong += substr($0, RSTART + 8, RLENGTH - 8)
	}
	/^Files=/ { split($0, field, /[=, ]+/) }
	/ skipped: / { skipped++ }
	END {
		text = suite "\t" slurm "\t" field[2] "\t" field[4] "\t"
		text = text (wrong + 0) "\t" (skipped + 0) "\t"
		for (i = 0; i < n; i++)
			text = text (i > 0 ? " " : "") bad[i]
		print text
	}' "$log"
}

printf '%s\t' suite Slurm files tests failed skipped
echo 'files that failed'
for suite; do
	try "$suite" || exit 1
done
