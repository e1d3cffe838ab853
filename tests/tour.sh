#!/bin/sh
# Walk through man/stfm-tour.7 once more: tests/tour.sh PAGE prints the page
# with what its commands print now.
#
# In a literal display a line "$ command" is a command, with those behind a
# backslash at its end; the lines up to the next one are what it printed.  A
# comment .\" wait COMMAND waits until that command succeeds.  All are run by
# one shell in a fresh home, the commands of this tree first in PATH, in which
# ~/stfm is the tree.
#
# What was recorded is kept where the new differs from it only in what must
# differ: see masked.  So a page that nothing has changed for comes out as it
# is, and "make tour", which puts the output in its place, changes little.
set -u

page=$1
top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2

# Times, where a task ran, names that are drawn, how far what runs has come, and
# whether it took so long that what is known is old.
masked() {
	sed -E '/: states are .* old \(/d
		s/20[0-9]{2}(-[0-9]{2}){2}[ T][0-9]{2}(:[0-9]{2})+/DATE/g
		s/\b[0-9]+(-[0-9]+)?(:[0-9]{2})+\b/TIME/g
		s/\b[0-9]+(\.[0-9]+)? (s|min|ms|MiB|KiB)\b/SOME/g
		s/\b(n|node)[0-9]+\b/NODE/g
		s/(^|[^0-9.])[0-9]+\.[0-9]{2}([^0-9]|$)/\1HOURS\2/g
		s/array [0-9]+/array ID/g; s/\b[0-9]+_([0-9]+)\b/ID_\1/g
		s/stfm(-run)?-[0-9a-z]{8,}(-[0-9]+)?/DRAWN/g
		s/\([0-9]+ more runs?/(SOME more runs/; s/[0-9]+%/PART/g
		s/(still training) \(--at .*/\1/
		/\bslow\b/s/[0-9.]+\*?|[▁▂▃▄▅▆▇█]+/SOME/g
		s/ +/ /g; s/ $//' "$1"
}

# What mdoc(7) would take for more than text.
escaped() {
	sed "s/\\\\/\\\\e/g; s/\\^/\\\\(ha/g; s/~/\\\\(ti/g; s/'/\\\\(aq/g
		s/\`/\\\\(ga/g; s/^\\./\\\\\\&./" "$1"
}

plain() {
	printf '%s\n' "$1" | sed "s/\\\\&//g; s/\\\\-/-/g; s/\\\\(aq/'/g
		s/\\\\(dq/\"/g; s/\\\\(ga/\`/g; s/\\\\(ha/^/g; s/\\\\(ti/~/g
		s/\\\\e/\\\\/g"
}

# The home has a name as long as any other, so that lines are cut alike.
home=$(mktemp -d /tmp/stfm-tour.XXXXXX) || exit 2
home=$(cd "$home" && pwd -P) || exit 2
clean_up() {
	trap - EXIT HUP INT TERM
	HOME=$home stfm-sandbox stop -Q 2>/dev/null
	cd / && rm -rf "$home"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$home/home" "$home/parts" || exit 2
parts=$home/parts
HOME=$home/home
PATH=${STFM_BIN_DIR:-$top/bin}:$PATH
export HOME PATH LC_ALL=C.UTF-8 TERM=xterm COLUMNS=72 TZ=UTC NO_COLOR=1
unset STFM_DIR SLURM_CONF STFM_CHARSET
ln -s "$top" "$HOME/stfm" || exit 2
cd "$HOME" || exit 2
exec 3<"$page" </dev/null

# ---- the commands ----

wait_for() {
	tour_until=$(($(date +%s) + 300))
	until eval "$1" >"$parts/wait" 2>&1; do
		if [ "$(date +%s)" -gt "$tour_until" ]; then
			echo "tour: waited in vain for: $1" >&2
			cat "$parts/wait" >&2
			exit 1
		fi
		sleep 0.1
	done
}

# Run what was typed; what is new of it replaces what was recorded.
run_command() {
	eval "$tour_command" >"$parts/out" 2>&1
	sed "s|$HOME|/home/me|g" "$parts/out" >"$parts/new"
	escaped "$parts/new" >"$parts/now"
	masked "$parts/old" >"$parts/old.masked"
	masked "$parts/now" >"$parts/now.masked"
	if cmp -s "$parts/old.masked" "$parts/now.masked"; then
		cat "$parts/old"
	else
		cat "$parts/now"
	fi
}

# The command before this line is complete, with what it printed.
settle() {
	if [ -n "$tour_command" ]; then
		run_command
		tour_command=
	fi
	: >"$parts/old"
}

shown=
more=
tour_command=
: >"$parts/old"
while IFS= read -r line <&3; do
	case $line in
	'.Bd -literal'*) shown=1 ;;
	.Ed) settle && shown= ;;
	'.\" wait '*) wait_for "${line#*wait }" ;;
	esac
	if [ -n "$more" ]; then
		tour_command="$tour_command
$(plain "$line")"
		[ "$line" != "${line%\\e}" ] || more=
	elif [ -n "$shown" ] && [ "$line" != "${line#\$ }" ]; then
		settle
		tour_command=$(plain "${line#\$ }")
		[ "$line" = "${line%\\e}" ] || more=1
	elif [ -n "$tour_command" ]; then
		printf '%s\n' "$line" >>"$parts/old"
		continue
	fi
	printf '%s\n' "$line"
done
