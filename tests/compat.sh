#!/bin/sh
# Build stfm on other releases of Debian, against their libslurm, and run the
# tests that have a private Slurm there.
#
#	compat.sh [--write FILE] [SUITE...]	what "make compat" calls
#
# Needs mmdebstrap and root, which make a system for each suite once, below
# build/compat or $COMPAT.  It prints a table of the newest results on each
# release of Slurm, and writes it to FILE.  tests/compat-features lists what the
# table says of features.  JOBS=4 runs so many tests at once; those that fail
# run once more alone.  TESTS='tests/slurm-stop.t' runs some, and only prints a
# table of these.

top=$(cd "${0%/*}/.." && pwd -P) || exit 2
place=${COMPAT:-$top/build/compat}
mirror=${MIRROR:-http://deb.debian.org/debian}
tests=${TESTS:-$(cd "$top" && echo tests/slurm-*.t)}
table=/dev/null
if [ "${1:-}" = --write ]; then
	table=$2
	shift 2
fi
results=$place/results
if [ -n "${TESTS:-}" ]; then
	results=$place/some
	table=/dev/null
fi
[ $# -gt 0 ] || set -- bookworm trixie sid

fail() {
	printf 'compat: %s\n' "$@" >&2
	exit 2
}
[ "$(id -u)" -eq 0 ] || fail "needs root, to enter other systems"
command -v mmdebstrap >/dev/null || fail "needs mmdebstrap: install it"

# make_system SUITE
make_system() {
	[ ! -e "$place/$1/made" ] || return 0
	# If mmdebstrap was killed, the host's /dev may be mounted in there.
	rm -rf --one-file-system "${place:?}/$1" || return 1
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

# inside SUITE COMMAND...: in the tree, with the system's own /proc and /tmp,
# and with this machine's certificates, as a proxy may need them.  Its root is
# a mount point, else nothing in there could have mounts of its own.
# The shell there is the parent of what has lost its own, and reaps it.  What it
# starts with "&" would ignore SIGINT, and below nohup all would ignore SIGHUP.
inside() {
	root=$place/$1
	shift
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount --pid --ipc --fork --kill-child sh -c '
		root=$1
		mount --make-rprivate / &&
			mount --bind "$root" "$root" &&
			mount -t proc proc "$root/proc" &&
			mount --rbind /sys "$root/sys" &&
			mount --rbind /dev "$root/dev" &&
			mount -t tmpfs -o size=4G tmp "$root/tmp" &&
			cp /etc/resolv.conf /etc/hosts "$root/etc" &&
			cp "$2" "$root$2" || exit 2
		certificates=$2
		shift 2
		env -i --default-signal HOME=/root LANG=C.UTF-8 \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			PIP_CERT="$certificates" JOBS="${JOBS:-4}" \
			chroot "$root" \
			sh -c "cd /srv/stfm && exec \"\$@\"" sh "$@" &
		wait $!
	' sh "$root" /etc/ssl/certs/ca-certificates.crt "$@"
}

# The commit of the tree, with a "+" if the tree has changes.
commit() {
	git -C "$top" log -1 --format=%h | tr -d '\n'
	git -C "$top" diff --quiet HEAD -- . ':!tests/COMPAT' || echo +
}

# The cgroups of the kernel, which all systems share: v1 or v2.
cgroups() {
	case $(stat -fc %T /sys/fs/cgroup) in
	cgroup2fs) echo v2 ;;
	*) echo v1 ;;
	esac
}

# From what "prove -v" printed: "result TEST RESULT", "note TEST TEXT" and
# "check TEST RESULT SENTENCE", with tabs between.  RESULT is ok, skipped, or
# how many checks failed or skipped.
judge() {
	awk -F '\t' -v OFS='\t' '
	/^(not )?ok - / {
		sentence = $0
		sub(/^(not )?ok - /, "", sentence)
		print "check", test, /^not/ ? "failed" : \
			sub(/ # SKIP .*/, "", sentence) ? "skipped" : "ok", \
			sentence
	}
	match($0, /^tests\/[^ ]*\.t \.\.+ /) {
		test = $0
		sub(/ .*/, "", test)
		order[n++] = test
		if (sub(/^[^ ]* \.\.+ skipped: /, ""))
			print "note", test, "skipped: " $0
		else
			ran[test] = 1
	}
	/^ok - .* # SKIP / {
		skipped[test]++
		sub(/^ok - /, "")
		sub(/ # SKIP /, ": skipped: ")
		print "note", test, $0
	}
	/^not ok - / {
		failed[test]++
		sub(/^not ok - /, "")
		print "note", test, "failed: " $0
	}
	/^tests\/.* [(]Wstat: / {
		test = $0
		sub(/ .*/, "", test)
		if (!failed[test]) {
			failed[test] = "all"
			sub(/^.*Wstat: [0-9]* [(]/, "")
			sub(/[)].*/, "")
			print "note", test, "failed: " $0
		}
	}
	END {
		for (i = 0; i < n; i++) {
			test = order[i]
			print "result", test, failed[test] ? \
				failed[test] " failed" : !ran[test] ? \
				"skipped" : skipped[test] ? \
				skipped[test] " skipped" : "ok"
		}
	}'
}

# try SUITE
try() {
	mkdir -p "$results"
	exec 9>"$place/$1.lock"
	flock -n 9 || fail "$1: another compat.sh uses $place/$1"
	make_system "$1" || return 1
	log=$place/$1.log
	rm -rf "$place/$1/srv/stfm"
	mkdir -p "$place/$1/srv/stfm"
	(cd "$top" && git ls-files -z --cached |
		xargs -0 cp --parents -t "$place/$1/srv/stfm") || return 1
	of=$(commit)
	inside "$1" make -s -j2 all unit >"$log" 2>&1 || {
		echo "$1: does not build: $log" >&2
		return 1
	}
	slurm=$(inside "$1" dpkg-query -W -f '${source:Upstream-Version}' \
		slurmctld)
	# shellcheck disable=SC2086 # several tests
	inside "$1" prove -v -j"${JOBS:-4}" --exec tests/run.sh $tests \
		>>"$log" 2>&1 </dev/null
	{
		printf '%s\t' slurm "$slurm" "$1" "$(date +%F)" "$of" \
			"$(cgroups)"
		sed -n 's/^Files=\([0-9]*\), Tests=\([0-9]*\),.*/\1\t\2/p' \
			"$log"
		judge <"$log"
	} >"$place/$1.first"
	try_again "$1" >"$results/$slurm"
}

# try_again SUITE: print the results of the first run, in which those of failed
# tests are replaced by what they do alone.  A note says what failed before.
try_again() {
	again=$(awk -F '\t' '
		$1 == "result" && $3 ~ / failed$/ { printf "%s ", $2 }' \
		"$place/$1.first")
	if [ -z "$again" ]; then
		cat "$place/$1.first"
		return
	fi
	# shellcheck disable=SC2086 # several tests
	inside "$1" prove -v --exec tests/run.sh $again >"$place/$1.again" \
		2>&1 </dev/null
	awk -F '\t' -v OFS='\t' -v again="$again" '
	BEGIN {
		n = split(again, test, " ")
		for (i = 1; i <= n; i++)
			is_again[test[i]] = 1
	}
	!is_again[$2] { print }
	is_again[$2] && $1 == "note" && $3 ~ /^failed: / {
		print $1, $2, "in the first of two runs " $3
	}' "$place/$1.first"
	judge <"$place/$1.again"
}

# What a test is about: the first sentence of its first comment.
about() {
	awk '
	FNR == 1 || /^# shellcheck/ { next }
	!/^# / { exit }
	{
		text = text (text ? " " : "") substr($0, 3)
		if (sub(/[.]( .*)?$/, "", text))
			exit
	}
	END { print text }' "$1"
}

# The table of all results; a glob has releases of Slurm in order.
show() {
	echo 'Tests with a private Slurm; "make compat" makes this table.'
	echo
	{
		sed -n 's/^[^#]/feature\t&/p' "$top/tests/compat-features"
		for test in $tests; do
			printf 'about\t%s\t%s\n' "$test" \
				"$(about "$top/$test")"
		done
	} | awk -F '\t' '
	function short(test) {
		gsub(/^tests\/|\.t$/, "", test)
		return test
	}
	function head(of) {
		if (headed[of]++)
			return
		printf "\n"
		for (i = 0; i < n; i++)
			printf "%-11s ", release[i]
		print of
	}
	BEGIN {
		form = "%-9s %-10s %-11s %-10s %-7s %6s %7s\n"
		printf form, "Slurm", "Debian", "date", "commit", "cgroups", \
			"tests", "checks"
	}
	$1 == "slurm" {
		release[n++] = slurm = $2
		printf form, $2, $3, $4, $5, $6, $7, $8
	}
	$1 == "result" { result[$2, slurm] = $3 }
	$1 == "check" && check[$2, $4, slurm] != "failed" {
		check[$2, $4, slurm] = $3
	}
	$1 == "feature" {
		if ($3 == "-") {
			lacks = lacks $2 ": " $4 "\n"
			next
		}
		head("feature (test: check)")
		for (i = 0; i < n; i++) {
			test = "tests/" $3 ".t"
			was = check[test, $4, release[i]]
			if (was == "" && result[test, release[i]] != "ok")
				was = result[test, release[i]]
			printf "%-11s ", was == "" ? "not run" : was
		}
		print $2 " (" $3 ": " $4 ")"
	}
	$1 == "note" {
		notes = notes sprintf("%-9s %s: %s\n", slurm, short($2), $3)
	}
	$1 == "about" {
		head("test")
		for (i = 0; i < n; i++)
			printf "%-11s ", result[$2, release[i]]
		print short($2) ": " $3
	}
	END {
		if (lacks != "")
			printf "\nWhat no sandbox has\n%s", lacks
		if (notes != "")
			printf "\nSkipped and failed\n" \
				"Of two runs, the first has several tests at " \
				"once; those that failed ran again alone.\n%s",
				notes
	}' "$results"/* -
}

# Make results of the releases that only the written table has, so that their
# columns stay.
restore() {
	mkdir -p "$results" || return 1
	awk -v results="$results" '
	BEGIN { n = 0; OFS = "\t" }
	function cell(i,  text) {
		text = substr($0, 12 * i + 1, 11)
		sub(/ +$/, "", text)
		return text
	}
	function put(i, line) {
		if (!have[i])
			print line >(results "/" release[i])
	}
	# Set test and rest from "test: rest".
	function divide(text) {
		test = rest = text
		sub(/:.*/, "", test)
		sub(/^[^:]*: /, "", rest)
		test = "tests/" test ".t"
	}
	/^$/ { part = ""; next }
	/^Slurm / { part = "slurm"; next }
	/^[0-9].* feature \(test: check\)$/ { part = "feature"; next }
	/^[0-9].* test$/ { part = "test"; next }
	/^Skipped and failed$/ { part = "note"; next }
	part == "slurm" {
		release[n] = $1
		have[n] = !system("test -e " results "/" $1)
		$1 = "slurm" OFS $1
		put(n++, $0)
	}
	part == "feature" {
		match($0, /\(slurm-[^:]*: .*\)$/)
		divide(substr($0, RSTART + 1, RLENGTH - 2))
		for (i = 0; i < n; i++)
			put(i, "check" OFS test OFS cell(i) OFS rest)
	}
	part == "test" {
		divide(substr($0, 12 * n + 1))
		for (i = 0; i < n; i++)
			put(i, "result" OFS test OFS cell(i))
	}
	part == "note" {
		divide(substr($0, 11))
		for (i = 0; i < n; i++)
			if (release[i] == $1)
				put(i, "note" OFS test OFS rest)
	}' "$1"
}

[ -z "${TESTS:-}" ] || rm -rf "$results"
[ ! -s "$table" ] || restore "$table" || exit 1
for suite; do
	try "$suite" || exit 1
	show >"$table"
done
show
