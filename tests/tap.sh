# What every tests/*.t begins with: . "$(dirname "$0")/tap.sh"
#
# It puts the test into a fresh directory with a fresh HOME and a plain
# environment, with the commands first in PATH, and gives it:
#
#   ok "sentence" command...        the command exits with 0
#   status "sentence" N command...  the command exits with N
#   refused "sentence" "text" command...
#                                   exit 2, nothing on standard output,
#                                   the text somewhere on standard error
#   is "sentence" "expected" "actual"       the same text
#   like "sentence" "regexp" "actual"       some line matches (grep -E)
#   valid "sentence" SCHEMA [NAME...] <objects
#                                   JSON as man/schema/SCHEMA.json has it, with
#                                   these hyperparameters and no other key
#   schema ARGUMENT...              run tests/schema.py
#   poll SECONDS command...         repeat it until it exits with 0; SECONDS
#                                   are what it may take on an idle machine
#   effort                          milliseconds for ten commands that do
#                                   next to nothing: how busy the machine is
#   begin_slurm [option...]         a private Slurm, as stfm-sandbox start
#                                   makes it, until the test ends
#   crash PID...                    kill the processes at once, and wait until
#                                   they are gone
#   timeout [-k 1] SECONDS command...
#                                   as timeout(1); the test fails at its end if
#                                   a limit of a minute or more was reached
#   at_exit "shell commands"        run them when the test ends, however
#   skip "sentence" "reason"        what follows cannot be tested here
#   skip_all "reason"               end: nothing here can be tested
#   done_testing                    the last line of every test
#
# Variables: $top (the repository), $bin (the commands), $examples, $SANITIZE
# (1 when the commands were built with the sanitizers).  Standard input is
# empty unless redirected; a command may stand at the end of a pipe.

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 99
bin=${STFM_BIN_DIR:-$top/bin}
case $bin in
/*) ;;
*) bin=$(cd "$bin" && pwd -P) || exit 99 ;;
esac
# shellcheck disable=SC2034 # for the tests
examples=$top/examples

tap_slurm='SLURM|SLURMD|SBATCH|SALLOC|SRUN|SQUEUE|SCANCEL|SINFO|SACCT|SPRIO'
# How Slurm is asked is what somebody may want to test.
tap_unset=$(env | grep -Eo "^(STFM|$tap_slurm)_[A-Za-z0-9_]*=" |
	grep -v "^STFM_SLURM=")
for tap_name in $tap_unset NO_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS \
	LINES LANG LANGUAGE LC_CTYPE LC_NUMERIC LC_MESSAGES XDG_DATA_HOME \
	XDG_CONFIG_HOME XDG_RUNTIME_DIR CDPATH POSIXLY_CORRECT MAKEFLAGS \
	MAKELEVEL MFLAGS; do
	unset "${tap_name%=}"
done

tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/stfm-test.XXXXXX") || exit 99
tap_dir=$(cd "$tap_dir" && pwd -P) || exit 99
tap_at_exit=
tap_end() {
	tap_rc=$?
	trap - EXIT HUP INT TERM
	eval "$tap_at_exit"
	cd / && rm -rf "$tap_dir"
	exit "$tap_rc"
}
trap tap_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$tap_dir/home" "$tap_dir/here" || exit 99
: >"$tap_dir/results"
export HOME="$tap_dir/home" LC_ALL=C.UTF-8 TERM=dumb PATH="$bin:$PATH"
export STFM_SITE_CONFIG=
umask 022
exec </dev/null
cd "$tap_dir/here" || exit 99

# Lines from standard input where prove shows them.
tap_tell() {
	sed 's/^/#   /' >&2
}

# A sentence as TAP has it: without a number, which prove adds.
tap_say() {
	printf '%s - %s\n' "$1" "$2" | sed 's/#/\\#/g'
	printf '%s\n' "$1" >>"$tap_dir/results"
	if [ "$1" != ok ]; then
		printf '# failed: %s\n' "$2" >&2
	fi
}

ok() {
	tap_name=$1
	shift
	if "$@" >"$tap_dir/out" 2>&1; then
		tap_say ok "$tap_name"
	else
		tap_rc=$?
		tap_say "not ok" "$tap_name"
		printf 'exit %s: %s\n' "$tap_rc" "$*" | tap_tell
		tap_tell <"$tap_dir/out"
	fi
}

status() {
	tap_name=$1
	tap_want=$2
	shift 2
	tap_rc=0
	"$@" >"$tap_dir/out" 2>&1 || tap_rc=$?
	if [ "$tap_rc" -eq "$tap_want" ]; then
		tap_say ok "$tap_name"
	else
		tap_say "not ok" "$tap_name"
		printf 'exit %s, not %s: %s\n' "$tap_rc" "$tap_want" "$*" |
			tap_tell
		tap_tell <"$tap_dir/out"
	fi
}

refused() {
	tap_name=$1
	tap_want=$2
	shift 2
	tap_rc=0
	"$@" >"$tap_dir/out" 2>"$tap_dir/err" || tap_rc=$?
	if [ "$tap_rc" -eq 2 ] && [ ! -s "$tap_dir/out" ] &&
		grep -Fq -e "$tap_want" "$tap_dir/err"; then
		tap_say ok "$tap_name"
	else
		tap_say "not ok" "$tap_name"
		{
			printf 'exit %s, not 2 with "%s": %s\n' "$tap_rc" \
				"$tap_want" "$*"
			sed 's/^/stdout: /' "$tap_dir/out"
			sed 's/^/stderr: /' "$tap_dir/err"
		} | tap_tell
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		tap_say ok "$1"
	else
		tap_say "not ok" "$1"
		printf '%s\n' "$2" >"$tap_dir/expected"
		printf '%s\n' "$3" >"$tap_dir/actual"
		diff -u --label expected --label actual "$tap_dir/expected" \
			"$tap_dir/actual" | tap_tell
	fi
}

like() {
	if printf '%s\n' "$3" | grep -Eq -e "$2"; then
		tap_say ok "$1"
	else
		tap_say "not ok" "$1"
		printf '%s\n' "no line matches: $2" "$3" | tap_tell
	fi
}

# Debian's jsonschema is for Debian's Python.
tap_python=
schema() {
	tap_find_python
	"$tap_python" "$top/tests/schema.py" "$@"
}

tap_find_python() {
	[ -z "$tap_python" ] || return 0
	for tap_python in python3 /usr/bin/python3; do
		"$tap_python" -c 'import jsonschema' 2>/dev/null && break
	done
}

valid() {
	tap_name=$1
	tap_schema=$2
	shift 2
	tap_find_python
	is "$tap_name" "" \
		"$(schema check "$top/man/schema/$tap_schema.json" "$@" 2>&1)"
}

# Where something else runs too, all takes longer, and something always runs.
poll() {
	tap_until=$(($(date +%s) + $1 + ${TEST_PATIENCE:-120}))
	tap_tries=0
	shift
	until "$@" >/dev/null 2>&1; do
		if [ "$(date +%s)" -gt "$tap_until" ]; then
			echo "# waited in vain for: $*" >&2
			return 1
		fi
		# Where it takes long, do not ask so often.
		tap_tries=$((tap_tries + 1))
		if [ "$tap_tries" -lt 20 ]; then
			sleep 0.05
		else
			sleep 0.3
		fi
	done
}

effort() {
	tap_since=$(date +%s%3N)
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		stfm-expand a=1 >"$tap_dir/effort"
	done
	echo $(($(date +%s%3N) - tap_since))
}

tap_is_gone() {
	! kill -0 "$1"
}
crash() {
	kill -KILL "$@"
	for tap_pid; do
		poll 10 tap_is_gone "$tap_pid"
	done
}

at_exit() {
	tap_at_exit="$1
$tap_at_exit"
}

begin_slurm() {
	stfm-sandbox start -Q -d "$tap_dir/slurm" "$@" || exit 99
	at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
	eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
}

skip() {
	tap_say ok "$1" | tr -d '\n'
	printf ' # SKIP %s\n' "$2"
}

skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# Even if nobody looks at the exit status, a command must not hang.
timeout() {
	tap_late=0
	command timeout "$@" || tap_late=$?
	case $tap_late in
	124 | 137) echo "$*" >>"$tap_dir/late" ;;
	esac
	return "$tap_late"
}

done_testing() {
	if grep -Eq '^(-k 1 )?([6-9][0-9]|[0-9]{3,}) ' "$tap_dir/late" \
		2>/dev/null; then
		tap_say "not ok" "no command hangs"
		tap_tell <"$tap_dir/late"
	fi
	printf '1..%d\n' "$(wc -l <"$tap_dir/results")"
	if grep -q '^not' "$tap_dir/results"; then
		exit 1
	fi
	exit 0
}
