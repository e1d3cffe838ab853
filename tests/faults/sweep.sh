# What every sweep in tests/faults begins with: . "$(dirname "$0")/sweep.sh"
#
# A sweep runs a program once for each call that can go wrong, has the work
# done again as a user would, and looks at what there is then.  On top of
# tests/tap.sh it gives:
#
#   template DIR     keep DIR as the state from which each point begins
#   restore          bring that state back
#   sweep LABEL "KIND..." PROGRAM [WORD...]
#                    all points of each kind (tests/faults/fault.c has them)
#   sample "KIND..." [N]
#                    in a sample only these kinds of $kinds, and N points
#
# and calls, for each point, what the test defines:
#
#   fresh            the state before the program runs
#   after            look at once: $rc is the exit status, $kind, $hit
#   again            do the work again, as a user would
#   holds            look at what there is then
#   settle           once after all points of a kind
#
# after, holds and settle say what is wrong, a line each.  $roots says which
# files count, and $kinds is what can happen to any program.
#
# FAULTS=ci tries a few points of each kind, FAULTS=60 so many, and otherwise
# all are tried; FAULT_KIND="KIND..." only some kinds, FAULT="KIND N" one point,
# FAULT_CALL=write,readdir only such calls, FAULT_CALL=changes those between
# which it makes no difference where a program is killed.  FAULT_FIRST=1 ends
# with the first point that is wrong.

# With FAULT_FS=ext4 (or xfs) the power is cut: the stores, which tests keep
# below $disk, lie on a file system of that kind that loses what is not written
# yet.  This needs root and a loop device.

STFM_BIN_DIR=${STFM_BIN_DIR:-$(cd "$(dirname "$0")/../.." && pwd -P)/bin}
faults=$(cd "$(dirname "$0")" && pwd -P)
fault_table=${FAULT_TABLE:-/dev/null}
fault_wanted=${FAULT:-}
fault_size=${FAULTS:-all}
# shellcheck disable=SC2034 # for the tests
fault_build=${FAULT_BUILD:-$faults/../../build/faults}
fault=$fault_build/fault
export STFM_BIN_DIR
. "$faults/../tap.sh"
top=$(cd "$faults/../.." && pwd -P)
roots="-r $tap_dir"
# shellcheck disable=SC2034 # for the tests
kinds="kill alone short late EIO ENOSPC EDQUOT ESTALE EINTR EMFILE EACCES
	EROFS EIO+ ENOSPC+ ESTALE+ EROFS+ fsync+ fsyncdir+ close+ write+
	link+ memory memory+"
export fault_cap= # the most points of a kind in a full run, if there is one
damaged= # whether the store is so from the beginning
without= # the kinds that find no call here to happen to
harmless= # calls that may fail unheard, as grep -E finds "fsync /path"
# What only asks for the time of the disk; the table, which is made anew.
probes='^close .*/(store[.0-9]*|job[.0-9a-f]*)/[.]t[.]'
# shellcheck disable=SC2034 # for the tests
table='/fold(/|$)'
at_work= # where others write meanwhile, as grep finds it
fault_more= # options of a test of its own
most=${FAULT_MOST:-5} # points of a kind in a sample

[ "$(uname -m)" = x86_64 ] || skip_all "the faults are made for x86-64 only"
[ -x "$fault" ] || {
	echo "$fault: not built (make fault-tools)" >&2
	exit 99
}
"$fault" -o /dev/null true 2>"$tap_dir/err" ||
	skip_all "no tracing here: $(head -1 "$tap_dir/err")"

disk=$tap_dir
# A copy of the mount in another name space keeps the dead one alive.
is_plugged() {
	mount -o loop "$tap_dir/image" "$disk" && {
		touch "$disk" || ! umount "$disk"
	}
}
plug() {
	poll 30 is_plugged
}
# What Slurm has ended may hold its log for a moment.
unplug() {
	poll 30 umount "$disk"
}
replug() {
	unplug && plug
}
if [ -n "${FAULT_FS:-}" ]; then
	disk=$tap_dir/disk
	truncate -s 512M "$tap_dir/image"
	mkdir "$disk"
	{ mkfs."$FAULT_FS" -q "$tap_dir/image" && plug; } >"$tap_dir/err" 2>&1 ||
		skip_all "no $FAULT_FS to lose: $(head -1 "$tap_dir/err")"
	at_exit unplug
	# shellcheck disable=SC2034 # for the tests
	kinds=cut fault_more="-m $disk"
fi

# The facts of the job in a directory, wherever they are kept.
facts_of() {
	{
		find "$1/run" -type f ! -name '.*' -printf '%f\n'
		cat "$1"/pack/p.* 2>"$tap_dir/none" |
			sed -n 's/^{"n":"\([^"]*\)".*/\1/p'
	} | sort -u
}

# Records in the directory of a job that are there in part.
torn() {
	find "$1"/job.json "$1"/run "$1"/sub "$1"/ctl -type f ! -name '.*' |
		while read -r torn_file; do
			tail -c 20 "$torn_file" | tr -d ' \n' |
				grep -Eq '"c":"[0-9a-f]{8}"}$' || echo "torn: $torn_file"
		done
}

# "make mutants" looks closer.
sample() {
	[ "$fault_size" = ci ] && [ "$kinds" != cut ] || return 0
	kinds=$1
	[ "$most" -gt 5 ] || most=${2:-$most}
}

template() {
	place=$1
	rm -rf "$tap_dir/template"
	cp -a "$place" "$tap_dir/template"
}

restore() {
	rm -rf "$place"
	cp -a "$tap_dir/template" "$place"
}

after() { :; }
again() { :; }
holds() { :; }
settle() { :; }

is_error() {
	case $kind in
	kill | alone | cut) return 1 ;;
	esac
}

# What is stored cannot be, and nobody heard of it.
is_kept_quiet() {
	[ ! -s "$tap_dir/said" ] || return 1
	case "$kind $hit" in
	"close+ close "*/.t.*) ;;
	fsync+* | fsyncdir+* | write+* | link+* | rename+*) ;;
	*) return 1 ;;
	esac
	! printf '%s\n' "$hit" | grep -Eq "$probes${harmless:+|$harmless}"
}

# List the scratch files below $place.
scratch_files() {
	find "$place" -name '.t.*' -o -name '.new.*'
}

# Whether the status is one that the test expects: own_status lists them.
is_own() {
	case " ${own_status:-} " in
	*" $rc "*) ;;
	*) return 1 ;;
	esac
}

# Say what is wrong with a status that is not expected.
speak_of_status() {
	case $rc in
	1 | 2 | 75)
		grep -Eq '^stfm[-a-z]*: .+' "$tap_dir/said" ||
			echo "status $rc without a reason"
		;;
	124) echo "takes longer than it may" ;;
	13[0-9] | 14[0-9] | 15[0-9]) echo "crashed with status $rc" ;;
	*) echo "status $rc" ;;
	esac
}

# What every failing call has to lead to, whatever the program: success, or
# one of our statuses with a reason, and nothing half made left behind.
good_manners() {
	is_error || return 0
	case $rc in
	0) ! is_kept_quiet || echo "kept quiet: $hit" ;;
	*) is_own || speak_of_status ;;
	esac
	case $kind in
	*+) return ;;
	esac
	[ -d "$place" ] || return 0
	case $kind in memory*) return ;; esac
	# What could not be removed just now is removed by a later pass.
	scratch_files | grep -vxF -f "$tap_dir/scratch" |
		grep -vxF "${hit#unlink }" |
		grep -Ev "${at_work:-^$}" | sed 's/^/left behind: /'
}

# The words for a kind: fsync+ is each such call from one of them on.
words_of() {
	case $kind in
	fsync+ | fsyncdir+ | close+ | link+ | rename+) echo "-k EIO+ -c ${kind%+}" ;;
	write+) echo "-k ENOSPC+ -c write" ;;
	*) echo "-k $kind ${FAULT_CALL:+-c $FAULT_CALL}" ;;
	esac
}

# Run the program with the fault at call $n; 0 only counts.
strike() {
	case $kind in
	memory*)
		(
			export LD_PRELOAD="$fault_build/memory.so" FAULT_N="$n"
			export FAULT_REPORT="$tap_dir/hit" FAULT_PROGRAM="${label%%[ ,]*}"
			[ "$kind" = memory ] || export FAULT_LASTING=1
			exec timeout -s KILL 600 "$@"
		)
		;;
	*)
		# shellcheck disable=SC2046,SC2086 # words of options
		"$fault" -z $(words_of) -n "$n" $roots $fault_more \
			-o "$tap_dir/hit" "$@"
		;;
	esac >"$tap_dir/out" 2>"$tap_dir/said"
}

# Whatever went wrong, no record is damaged, but for what the test did itself.
verify() {
	[ -d "$STFM_DIR/jobs" ] || return 0
	stfm-check --store -Q >"$tap_dir/checked" 2>&1 ||
		grep -v "${known_damage:-^$}" "$tap_dir/checked" |
		sed "s/^/$1: stfm-check: /;3q"
}

# A point: 0 when the fault was met.
point() {
	fresh >/dev/null 2>&1
	# A command that was killed at an earlier point leaves such files, too.
	scratch_files >"$tap_dir/scratch" 2>"$tap_dir/none"
	[ "$kind" != cut ] || sync -f "$disk"
	rc=0
	echo missed 0 >"$tap_dir/hit"
	strike "$@" || rc=$?
	[ "$kind" != cut ] || replug || exit 99
	read -r hit_word hit <"$tap_dir/hit"
	if [ "$hit_word" != hit ] && ! { [ "$kind" = cut ] &&
		[ "$hit_word" = missed ]; }; then
		return 1
	fi
	wrong=$(
		good_manners
		after
		[ -n "$damaged" ] || verify "at once"
		again >"$tap_dir/again" 2>&1 || echo "again: status $?"
		holds
		verify "in the end"
	)
	[ -z "$wrong" ] && return 0
	{
		printf 'FAULT="%s %s" (%s):\n' "$kind" "$n" "$hit"
		printf '%s\n' "$wrong"
		head -3 "$tap_dir/said"
		sed 's/^/again: /;3q' "$tap_dir/again"
	} | head -20 | sed 's/^/#   /' >>"$tap_dir/wrong"
	bad=$((bad + 1))
}

# The numbers of the points to try: all, a sample, or the one wanted.
numbers() {
	case $fault_wanted in
	'') ;;
	"$kind "*)
		echo "${fault_wanted#* }"
		return
		;;
	*) return ;;
	esac
	sum=$(printf '%s' "$label $kind" | cksum)
	awk -v all="$1" -v most="$most" -v size="$fault_size" -v kind="$kind" \
		-v sum="${sum%% *}" 'BEGIN {
		if (size != "ci")
			most = (size + 0 > 0 ? size : ENVIRON["fault_cap"]) + 0
		step = most > 0 && all > most ? all / most : 1
		# A sample of one kind begins elsewhere than that of the next,
		# and the last cut is the one after all was said to be done.
		first = size == "ci" && step > 1 ? 1 + step * (sum % 1000) / 2000 : 1
		for (i = first; int(i) <= all; i += step)
			print (kind == "cut" && i + step > all ? all : int(i))
	}'
}

sweep_kind() {
	fresh >/dev/null 2>&1
	n=0
	echo missed 0 >"$tap_dir/hit"
	strike "$@"
	read -r _ all <"$tap_dir/hit"
	again >/dev/null 2>&1
	tried=0 bad=0 missed=0 beyond=0
	: >"$tap_dir/wrong"
	# The last cut is after the program has ended well.
	[ "$kind" != cut ] || all=$((all + 1))
	for n in $(numbers "$all"); do
		# Where calls come as they may, one that was not met may be yet.
		if point "$@" || point "$@" || point "$@"; then
			tried=$((tried + 1))
		elif [ "$hit_word" = missed ] && [ $((hit * 2)) -ge "$all" ]; then
			beyond=$((beyond + 1))
		else
			missed=$((missed + 1))
		fi
		[ -z "${FAULT_FIRST:-}" ] || [ $bad -eq 0 ] || break
	done
	settle >"$tap_dir/settled"
	sed 's/^/#   /' "$tap_dir/settled" >>"$tap_dir/wrong"
	bad=$((bad + $(wc -l <"$tap_dir/settled")))
}

# Whether the points were met, but for a few where calls come as they may: where
# Slurm is asked until it answers, a run that went on to its end has fewer calls
# than the one that was counted, but not less than half.  Most numbers are met.
is_tried() {
	case " $without " in *" $kind "*) [ "$all" -gt 0 ] || return 0 ;; esac
	[ "$tried" -gt 0 ] && [ $((missed * 10)) -le "$tried" ] &&
		[ $((beyond * 2)) -le "$tried" ]
}

sweep() {
	label=$1
	fault_kinds=$2
	shift 2
	for kind in $fault_kinds; do
		[ -z "${FAULT_FIRST:-}" ] || ! grep -q '^not' "$tap_dir/results" ||
			return 0
		case " ${FAULT_KIND:-$kind} " in
		*" $kind "*) ;;
		*) continue ;;
		esac
		begun=$(date +%s)
		name=$kind${FAULT_FS:+ $FAULT_FS}
		sweep_kind "$@"
		[ "$tried" -gt 0 ] || [ -z "$fault_wanted" ] || continue
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$label" "$name" "$all" \
			"$tried" "$bad" "$(($(date +%s) - begun))" >>"$fault_table"
		if [ "$bad" -eq 0 ] && is_tried; then
			tap_say ok "$label: $name at $tried of $all calls"
		else
			tap_say "not ok" "$label: $name at $tried of $all calls"
			head -n "${FAULT_LINES:-40}" "$tap_dir/wrong" >&2
		fi
	done
}
