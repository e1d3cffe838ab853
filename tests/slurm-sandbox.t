#!/bin/sh
# stfm-sandbox with the real Slurm; as root, all of it once more as an ordinary
# user.

# shellcheck disable=SC2016,SC2317 # functions called by ok
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

here=$PWD
at_exit 'for dir in "$here"/*/sandbox; do
	stfm-sandbox stop -Q --remove -d "${dir%/sandbox}"
done'

# Process ids of what has this text among its arguments or its first
# environment.  The text comes from a file, so that grep does not find itself.
having() {
	[ -n "$1" ] || return
	printf '%s\n' "$1" >"$tap_dir/pattern"
	env -u SLURM_CONF -u STFM_SANDBOX grep -alFf "$tap_dir/pattern" \
		/proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>&- |
		sed 's|/proc/\([0-9]*\)/.*|\1|' | sort -u
}

# What is left of the sandbox in a directory: daemons, steps, jobs.
left_of() {
	having "$1/slurm.conf"
	having "$1/munge/munge.socket"
}

pid_of() {
	stfm-sandbox status -d "$1" | awk -v name="$2" '$1 == name { print $2 }'
}

# Run a command in this shell's sandbox-to-be.
in_sandbox() {
	(
		environment=$(stfm-sandbox env -d "$1") || exit
		eval "$environment"
		shift
		"$@"
	)
}

running() {
	[ "$(in_sandbox "$1" squeue -h -r -t R | wc -l)" -eq "$2" ]
}

# ---- start, status, env ----

# A daemon that kept the pipe open would keep this waiting.
talk=$(timeout 300 stfm-sandbox start -d a 2>&1)
is "start is done" 0 $?
like "it says how long it took and what it is" \
	"ready in [0-9.]+ s: 2 nodes with 4 CPUs and 2 GPUs each$" "$talk"
like "where it is" "^  it lives in: +$here/a$" "$talk"
like "how to use it" "eval \"\\$\(stfm-sandbox env -d $here/a\)\"$" "$talk"
like "and how to end it" "stfm-sandbox stop -d $here/a$" "$talk"
is "the nodes are idle at once" "n1 idle 4 gpu:2
n2 idle 4 gpu:2" "$(in_sandbox a sinfo -h -N -p main -o '%N %T %c %G')"
is "there are two partitions" "main* infinite
short 10:00" "$(in_sandbox a sinfo -h -o '%P %l')"
ok "status agrees" stfm-sandbox status -d a
version=$(in_sandbox a sinfo -V | sed 's/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/')
is "it says what it is" \
	"$here/a: running, Slurm $version, 4 CPUs and 2 GPUs a node" \
	"$(stfm-sandbox status -d a | head -n 1)"
is "it has a line for each daemon" "DAEMON STATE
munged running
slurmctld running
n1 idle
n2 idle" "$(stfm-sandbox status -d a | awk 'NR > 1 { print $1, $4 }')"
is "the process ids are those on file" \
	"$(cat a/run/slurmctld.pid) $(cat a/run/n2.pid)" \
	"$(pid_of a slurmctld) $(pid_of a n2)"

environment=$(SLURM_JOB_ID=7 SBATCH_PARTITION=none SQUEUE_USERS=nobody \
	SLURM_CONF=/nonexistent stfm-sandbox env -d a)
is "env sets what is needed" "export SLURM_CONF=$here/a/slurm.conf
export STFM_SANDBOX=$here/a" "$(printf '%s\n' "$environment" | grep export)"
is "and unsets what misleads" "SBATCH_PARTITION SLURM_CONF SLURM_JOB_ID \
SQUEUE_USERS " "$(printf '%s\n' "$environment" | sed -n 's/^unset //p' |
	sort | tr '\n' ' ')"

before=$(pid_of a slurmctld)
like "starting again is harmless" "is running already: 2 nodes" \
	"$(stfm-sandbox start -N 3 -d a 2>&1)"
ok "and done" stfm-sandbox start -Q -d a
is "it changes nothing" "$before" "$(pid_of a slurmctld)"
is "-Q is quiet" "" "$(stfm-sandbox start -Q -d a 2>&1)"
is "the daemons' ports are not those of outgoing connections" "" \
	"$(stfm-sandbox status -d a |
		awk '$3 ~ /^[0-9]+$/ && ($3 < 20000 || $3 > 32767)')"

# ---- jobs and GPUs ----

cat >job <<'END'
#!/bin/sh
echo "$SLURMD_NODENAME $CUDA_VISIBLE_DEVICES $(id -un)" >>"$1"
until [ "$(wc -l <"$1")" -eq 4 ]; do
	sleep 0.05
done
END
in_sandbox a sbatch -Q -o /dev/null --gres=gpu:1 -a 0-3 job "$here/seen"
ok "four tasks with a GPU each run at once" poll 30 sh -c \
	'[ "$(wc -l <seen)" -eq 4 ]'
me=$(id -un)
is "each has its own on its node" "n1 0 $me
n1 1 $me
n2 0 $me
n2 1 $me" "$(sort seen)"
is "steps start on all nodes" 2 "$(in_sandbox a srun -Q -N 2 echo here |
	grep -c here)"
status "more GPUs than a node has cannot be had" 1 \
	in_sandbox a sbatch --gres=gpu:3 --wrap true

# ---- another beside it ----

ok "another one starts beside it" \
	stfm-sandbox start -Q -N 1 -g 0 -c 1 -d b -o MinJobAge=45 \
	-o maxarraysize=11 -o 'PartitionName=night Nodes=n1'
is "with what it was asked for" "n1 idle 1 (null)" \
	"$(in_sandbox b sinfo -h -N -p main -o '%N %T %c %G')"
is "with the lines it was given" "MaxArraySize            = 11
MinJobAge               = 45 sec" \
	"$(in_sandbox b scontrol show config | grep -E '^(MaxArray|MinJob)')"
is "with one more partition" "main* night short" \
	"$(in_sandbox b sinfo -h -o '%P' | sort | xargs)"
in_sandbox b sbatch -Q -o /dev/null --wrap 'sleep 600'
ok "its job runs" poll 30 running b 1
ok "and is not seen in the first" running a 0

for i in 1 2 3; do
	stfm-sandbox start -Q -N 1 -g 1 -d "m$i" 2>>together &
done
wait
is "three start at the same moment" "" "$(cat together)"
is "and all are there" "idle idle idle" "$(for i in 1 2 3; do
	in_sandbox "m$i" sinfo -h -p main -o %T
done | xargs)"
for i in 1 2 3; do
	stfm-sandbox start -Q -d same 2>>together &
done
wait
is "three may even start the same" "" "$(cat together)"
ok "which then runs" stfm-sandbox status -d same
ok "stop --remove ends it" stfm-sandbox stop -Q --remove -d same
status "and removes it" 1 test -e same
mkdir -m 700 given
echo '# mine' >given/cgroup.conf
stfm-sandbox start -Q -N 1 -g 0 -o TaskPlugin=task/none -d given \
	>given.out 2>&1
is "a cgroup.conf that was there before stays" '# mine' \
	"$(cat given/cgroup.conf)"
stfm-sandbox stop -Q --remove -d given
is "and is not removed" cgroup.conf "$(ls given)"
for i in 1 2 3; do
	touch "m$i/precious"
	stfm-sandbox stop -Q --remove -d "m$i"
done
is "but only what was made there" "m1/precious m2/precious m3/precious" \
	"$(find m? -type f | sort | xargs)"

# ---- broken and mended ----

kill -KILL "$(pid_of a slurmctld)"
poll 10 sh -c '! stfm-sandbox status -d a'
status "without slurmctld status is 1" 1 stfm-sandbox status -d a
like "and says so" "^slurmctld .* not running$" \
	"$(stfm-sandbox status -d a)"
status "env too" 1 stfm-sandbox env -d a
node=$(pid_of a n1)
ok "start mends it" stfm-sandbox start -Q -d a
ok "then all is running" stfm-sandbox status -d a
is "the rest went on" "$node" "$(pid_of a n1)"
kill -KILL "$(pid_of a munged)" "$(pid_of a n1)"
poll 10 sh -c '[ "$(stfm-sandbox status -d a | grep -c "not running")" = 2 ]'
ok "it mends the others" stfm-sandbox start -Q -d a
ok "and jobs run" in_sandbox a srun -Q -N 2 true

for pid in $(stfm-sandbox status -d a | awk '$2 ~ /^[0-9]/ { print $2 }'); do
	kill -KILL "$pid"
done
poll 10 sh -c 'stfm-sandbox status -d a | grep ": not running"'
status "after a crash nothing is running" 1 stfm-sandbox status -d a
ok "start starts all of it" stfm-sandbox start -Q -N 1 -d a
is "as it is asked for now" "n1" \
	"$(in_sandbox a sinfo -h -N -p main -o %N)"

# ---- stop ----

echo 'trap "" TERM; echo $$ >stubborn; sleep 600 & wait; sleep 600' >stubborn.sh
in_sandbox b sbatch -Q -o /dev/null -n 1 -s --wrap 'sleep 600'
ids=$(in_sandbox b sbatch --parsable -o /dev/null --wrap 'sleep 600')
left_of "$here/b" >pids
ok "there are daemons, steps and jobs" test "$(wc -l <pids)" -ge 6
ok "stop ends b" stfm-sandbox stop -d b
is "no process is left" "" "$(left_of "$here/b")"
status "status knows" 1 stfm-sandbox status -d b
ok "stopping again is harmless" stfm-sandbox stop -d b
ok "the logs are kept" test -s b/log/slurmctld.log
ok "the other one goes on" stfm-sandbox status -d a
cat b/cgroup.conf >usual
echo '# mine' >>b/cgroup.conf
cp b/cgroup.conf mine
ok "b starts again" stfm-sandbox start -Q -N 1 -g 0 -d b
is "with the cgroup.conf that somebody has changed" "$(cat mine)" \
	"$(cat b/cgroup.conf)"
is "without jobs" "" "$(in_sandbox b squeue -h -t PD,R)"
is "and counts on" "$((ids + 1))" \
	"$(in_sandbox b sbatch --parsable -o /dev/null --wrap true)"

# A job whose process does not go when it is told to.
in_sandbox b sbatch -Q -o /dev/null --wrap 'sh stubborn.sh'
poll 30 test -s stubborn
ok "a stubborn job does not keep it" timeout 300 stfm-sandbox stop -Q -d b
is "and is gone as well" "" "$(left_of "$here/b")"

# ---- run ----

mkdir tmp
export TMPDIR="$here/tmp"
status "run ends with the command's status" 7 \
	stfm-sandbox run -Q sh -c 'sinfo >seen && exit 7'
is "which saw a Slurm" "main*" "$(awk '/idle/ { print $1 }' seen | head -n 1)"
is "nothing is left of it" "" "$(ls tmp)"
is "options go before the command" "n1 3" "$(stfm-sandbox run -Q -N 1 -c 3 \
	sinfo -h -N -p main -o '%N %c')"
ok "the command has standard input and output" sh -c \
	'[ "$(echo words | stfm-sandbox run -Q cat)" = words ]'
is "it ignores the sandbox around it" "2" "$(STFM_SANDBOX=$here/a \
	stfm-sandbox run -Q sinfo -h -p main -o %D)"
status "a command that is not there is 127" 127 stfm-sandbox run -Q nosuch
status "one that cannot be run is 126" 126 stfm-sandbox run -Q ./job
status "one that a signal ends is 128 and more" 137 \
	stfm-sandbox run -Q sh -c 'kill -KILL $$'
ok "the daemons are found without PATH" env PATH=/nonexistent \
	"$bin/stfm-sandbox" run -Q /bin/true
ok "jobs that are still running go with it" stfm-sandbox run -Q -d r --remove \
	sh -c 'sbatch -Q -o /dev/null --wrap "echo >started; sleep 600"
	until [ -e started ]; do sleep 0.05; done'
is "with everything else" "" "$(left_of "$here/r")$(ls -d r 2>&-)"
ok "with -d it uses what is running" stfm-sandbox run -Q -d a \
	sh -c 'test "$SLURM_CONF" = "$0"' "$here/a/slurm.conf"
ok "and leaves it running" stfm-sandbox status -d a

# Start run in the background; its command has begun when this returns.
background() {
	rm -f begun
	stfm-sandbox run -Q "$@" &
	run=$!
	poll 30 test -e begun
}

background sh -c 'trap "echo heard >heard; exit 5" TERM; echo >begun
	while :; do sleep 0.05; done'
kill -TERM "$run"
wait "$run"
is "a signal goes to the command" "5 heard" "$? $(cat heard)"
is "and the sandbox goes" "" "$(ls tmp)"

background sh -c 'echo >begun; exec sleep 600'
kill -HUP "$run"
wait "$run"
is "a command that it ends ends run" 129 $?
is "and the sandbox" "" "$(ls tmp)"

background sh -c 'echo $$ >pid; echo "$SLURM_CONF" >begun.tmp
	mv begun.tmp begun; exec sleep 600'
conf=$(cat begun)
like "a command knows its sandbox" "^$here/tmp/.*/slurm.conf$" "$conf"
none_left() {
	[ -z "$(having "$conf" | while read -r pid; do
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -v '^sleep'
	done)" ]
}
kill -KILL "$run"
ok "when it is killed its daemons end" poll 30 none_left
kill "$(cat pid)"
stfm-sandbox stop -Q --remove -d "${conf%/slurm.conf}"

# Interrupted while it starts: a slurmctld that takes its time.
mkdir slow
for name in munged slurmd sinfo squeue scancel; do
	ln -s "$(PATH=$PATH:/usr/sbin:/sbin command -v $name)" slow
done
cat >slow/slurmctld <<END
#!/bin/sh
case \$1 in
-V) exec $(PATH=$PATH:/usr/sbin:/sbin command -v slurmctld) -V ;;
esac
echo >"$here/waiting"
exec sleep 600
END
chmod +x slow/slurmctld
for verb in run start; do
	rm -f waiting
	set -- stfm-sandbox $verb -d "$here/slowly"
	[ $verb = start ] || set -- stfm-sandbox run true
	STFM_SANDBOX_PATH=$here/slow "$@" 2>err &
	run=$!
	poll 30 test -e waiting
	kill -TERM "$run"
	wait "$run"
	is "$verb can be interrupted while it starts" \
		"143 stfm-sandbox: interrupted" "$? $(cat err)"
done
is "it leaves no daemon of start" "" "$(left_of "$here/slowly")"
is "it leaves nothing of run" "" "$(ls tmp)"

# ---- what does not start ----

refused "slurmctld's own words are shown" \
	"select/none_such" \
	stfm-sandbox start -d wrong -o SelectType=select/none_such
is "and nothing goes on running" "" "$(left_of "$here/wrong")"
refused "run does not run the command then" "unrecognized key: NoSuchKey" \
	stfm-sandbox run -o NoSuchKey=1 touch touched
status "truly" 1 test -e touched

# Somebody else was quicker with the port: once, then always.
cat >slow/slurmctld <<END
#!/bin/sh
if [ "\$1" != -V ] && { [ -e "$here/always" ] || mkdir "$here/once" 2>&-; }
then
	echo "slurmctld: error: Address already in use" >&2
	exit 1
fi
exec $(PATH=$PATH:/usr/sbin:/sbin command -v slurmctld) "\$@"
END
ok "a port that is taken after all is no harm" \
	env STFM_SANDBOX_PATH="$here/slow" stfm-sandbox run -Q true
ok "it was tried again" test -d once
touch always
refused "it is not tried for ever" "slurmctld: does not start: slurmctld: \
error: Address already in use" \
	env STFM_SANDBOX_PATH="$here/slow" stfm-sandbox run -Q true

# ---- as an ordinary user ----

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	stfm-sandbox stop -Q --remove -d a
	work=$(mktemp -d /tmp/stfm-user.XXXXXX)
	at_exit 'rm -rf "$work"'
	mkdir "$work/bin" "$work/tests"
	cp "$bin/stfm-sandbox" "$work/bin"
	cp "$top/tests/slurm-sandbox.t" "$top/tests/tap.sh" "$work/tests"
	chown -R daemon "$work"
	setpriv --reuid=daemon --regid=daemon --clear-groups \
		env -u TMPDIR STFM_BIN_DIR="$work/bin" \
		sh "$work/tests/slurm-sandbox.t" >user.out 2>&1
	is "an ordinary user can do the same" 0 $?
	is "all of it" "" "$(grep '^not ok\|^#' user.out)"
else
	skip "an ordinary user" "one runs this already, or there is no setpriv"
fi

done_testing
