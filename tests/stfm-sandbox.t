#!/bin/sh
# stfm-sandbox without a Slurm: what it refuses and what it says.
# tests/slurm-sandbox.t starts real ones.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

# ---- words ----

refused "a verb is needed" "usage: stfm-sandbox start" stfm-sandbox
refused "one it has" "stopp: not one of start, stop, status, env and run" \
	stfm-sandbox stopp
refused "a near miss is guessed" "did you mean status" stfm-sandbox statu
refused "start takes no operand" "now: start takes no operand" \
	stfm-sandbox start now
refused "run needs a command" "run: a command is needed" stfm-sandbox run
refused "run does too behind options" "a command is needed" \
	stfm-sandbox run -N 3
refused "options belong to verbs" "-N: not an option of stop" \
	stfm-sandbox stop -N 3
refused "also before the verb" "-g: not an option of env" \
	stfm-sandbox -g 3 env
refused "also without a letter" "--remove: not an option of start" \
	stfm-sandbox start --remove

# ---- numbers and lines ----

while read -r words; do
	# shellcheck disable=SC2086 # words
	refused "start $words is refused" "${words%% *}: " \
		stfm-sandbox start $words
done <<'END'
-N 0
-N 2001
-N two
-N -1
--nodes 1.5
-g -1
-g 65
--gpus-per-node x
-c 0
-c 1025
END

refused "a line has a key and a value" "MinJobAge: not KEY=VALUE" \
	stfm-sandbox start -o MinJobAge
refused "none of them empty" "=45: not KEY=VALUE" stfm-sandbox start -o =45
refused "nor that one" "MinJobAge=: not KEY=VALUE" \
	stfm-sandbox start -o MinJobAge=
refused "it is one line" "control character" stfm-sandbox start \
	-o 'MinJobAge=45
SlurmUser=root'
refused "what the sandbox relies on stays" "SlurmctldPort: this is the" \
	stfm-sandbox start -o slurmctldport=6817

# ---- directories ----

long=$PWD/$(printf '%080d' 0)
refused "a path that is too long for a socket is refused" "Slurm's sockets" \
	stfm-sandbox start -d "$long"
refused "a blank in it too" "choose another with -d" \
	stfm-sandbox start -d "a b"
mkdir full
touch full/precious
refused "so is a directory with other files" "precious is in it" \
	stfm-sandbox start -d full
refused "that holds for stop as well" "precious is in it" \
	stfm-sandbox stop --remove -d full
is "and they stay" precious "$(ls full)"
refused "a file is no directory" "not a directory" \
	stfm-sandbox start -d full/precious
refused "without HOME it asks for a directory" "choose a directory with -d" \
	env -u HOME stfm-sandbox start
if [ "$(id -u)" = 0 ]; then
	mkdir theirs
	chown nobody theirs
	refused "another user's is refused" "belongs to another user" \
		stfm-sandbox start -d theirs
else
	skip "a directory of another user" "only root can be another user"
fi

# ---- programs ----

mkdir some
ln -s /bin/true some/munged
ln -s /bin/true some/sinfo
ln -s /bin/true some/squeue
refused "all missing programs are named with their packages" \
	"slurmctld, slurmd, scancel: not found; install what is missing, \
on Debian: apt install slurmctld slurmd slurm-client" \
	env STFM_SANDBOX_PATH="$PWD/some" stfm-sandbox start
refused "also by run" "apt install munge slurmctld slurmd slurm-client" \
	env STFM_SANDBOX_PATH=/nonexistent:/nowhere stfm-sandbox run true
status "nothing was made for that" 1 test -e "$HOME/.stfm-sandbox"

# ---- nothing runs ----

is "status says that nothing runs" "$HOME/.stfm-sandbox: not running" \
	"$(stfm-sandbox status)"
status "with 1" 1 stfm-sandbox status
is "env prints nothing" "" "$(stfm-sandbox env 2>err)"
like "but says why" "not running .start it with: stfm-sandbox start" \
	"$(cat err)"
status "with 1" 1 stfm-sandbox env
ok "stop is harmless" stfm-sandbox stop
like "and says so" "was not running" "$(stfm-sandbox stop 2>&1)"
is "unless it is to be quiet" "" "$(stfm-sandbox stop -Q 2>&1)"
is "STFM_SANDBOX is the directory" "$PWD/other: not running" \
	"$(STFM_SANDBOX=$PWD/other stfm-sandbox status)"
is "-d comes before it" "$PWD/mine: not running" \
	"$(STFM_SANDBOX=$PWD/other stfm-sandbox status -d mine)"
status "nothing was made" 1 test -e other -o -e mine

done_testing
