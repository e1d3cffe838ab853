#!/bin/sh
# stfm-attach on a real Slurm: commands beside trainings, as they see it.
# shellcheck disable=SC2016 # what the shell beside the training runs

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
stfm-sandbox start -Q -N 2 -g 2 -c 4 -d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"
export STFM_DIR="$PWD/store"

# ---- one task ----

mkdir code
cat >code/train.sh <<'END'
export CHANGED=later
cat /proc/$$/environ >"$STFM_CHECKPOINT_DIR/environ"
sleep 600
END
(
	cd code || exit
	export LOADED=module
	stfm-submit -Q -J one --gres=gpu:1 lr=0.1,0.01 -- sh train.sh
)
ok "the tasks run" poll 60 reaches one RR
ok "and train" poll 60 test -s store/jobs/one/checkpoint/000000/environ

is "a command is beside the training" "one/1 0.01 $STFM_DIR/jobs/one/code" \
	"$(stfm-attach one/1 -- sh -c \
		'echo "$STFM_JOB/$STFM_TASK $STFM_PARAM_lr $(pwd)"' 2>err)"
is "nothing else is said" "" "$(cat err)"
is "with all the training was started with" "module " \
	"$(stfm-attach one/0 -- sh -c 'echo "$LOADED $CHANGED"')"
is "all of it, and nothing else but the terminal" \
	"$(tr '\0' '\n' <store/jobs/one/checkpoint/000000/environ | sort)" \
	"$(OURS=1 stfm-attach one/0 -- env | sort)"
is "which is ours" "xterm-256color" \
	"$(TERM=xterm-256color stfm-attach one/0 -- sh -c 'echo "$TERM"')"
is "and the GPU is its" "$(row one 1 .gpus)" \
	"$(stfm-attach one/1 -- sh -c 'echo "$CUDA_VISIBLE_DEVICES"')"
is "standard input goes there" "hello" \
	"$(echo hello | stfm-attach one/0 -- cat)"
status "the exit status is the command's" 3 stfm-attach one/0 -- sh -c 'exit 3'
is "and nothing is said of it" "" "$(cat "$tap_dir/out")"
status "also of one that is killed" 137 \
	stfm-attach one/0 -- sh -c 'kill -9 $$'
status "a program that is not there" 127 stfm-attach one/0 -- nosuch
like "is named" "^stfm-run: nosuch: " "$(cat "$tap_dir/out")"
is "errors come as they are" "half a line" \
	"$(stfm-attach one/0 -- sh -c 'printf "half a line" >&2' 2>&1)"
echo 'echo "$STFM_TASK"; exit 4' >script
status "a shell reads a script" 4 stfm-attach one/1 <script
is "... of that task" 1 "$(stfm-attach one/1 <script)"
is "by Slurm's id" 1 "$(stfm-attach "$(array_of one)_1" <script)"

# A terminal of its own: what is typed is read there.
if command -v script >/dev/null; then
	mkfifo keys
	script -fqec "stty rows 30 cols 70; stfm-attach one/0" typed \
		<keys >/dev/null &
	shell=$!
	exec 3>keys
	ok "a shell waits for keys" poll 60 grep -q '[$#] ' typed
	printf 'tty; stty size; exit 5\n' >&3
	wait "$shell"
	is "its status counts" 5 $?
	exec 3>&-
	like "its terminal is as large as ours" "^30 70" \
		"$(tr -d '\r' <typed)"
fi

refused "several run: one is to be named" \
	"one: 2 tasks are running, name one of them: one/0-1" stfm-attach one
refused "a node that it does not have" "--node=n2: one/0 runs on n1" \
	stfm-attach --node n2 one/0 -- true
refused "a rank that it does not have" "no rank of one/0 has this number" \
	stfm-attach --rank 1 one/0 -- true
like "how srun is called" "^srun --jobid=[0-9]* --overlap .* nvidia-smi -l$" \
	"$(stfm-attach --dry-run one/1 -- nvidia-smi -l)"

# A title of its own, which perl writes over its environment.
command -v perl >/dev/null && {
	cat >title.pl <<'END'
my $up = "$ENV{STFM_CHECKPOINT_DIR}/up";
$0 = "x" x 100000;
open F, ">", $up;
close F;
sleep 600;
END
	LOADED=module stfm-submit -Q -J title --gres=none --args=none lr=0.1 \
		-- perl title.pl
	ok "a training has a title" \
		poll 60 test -e store/jobs/title/checkpoint/000000/up
	is "what it was given is known all the same" "module title 0.1" "$(
		stfm-attach title -- \
			sh -c 'echo "$LOADED $STFM_JOB $STFM_PARAM_lr"'
	)"
	stfm-stop -Q -y title
}

# ---- damage ----

hidden=$STFM_DIR/jobs/one/sub/c00000.0.claim
chmod u+w "$hidden"
cp "$hidden" kept
sed 's/"array"/"arrey"/' kept >"$hidden"
refused "where its array is damaged nothing is done, and it is said what to" \
	"$hidden: damaged (its checksum does not fit): run stfm-check --store" \
	stfm-attach --dry-run one/0 -- true
cp kept "$hidden"
stop=$STFM_DIR/jobs/one/ctl/stop.0123456789abcdef
echo '{' >"$stop"
ok "what does not matter to it" stfm-attach --dry-run one/0 -- true
like "is named" "^stfm-attach: one: $stop: damaged" "$(cat "$tap_dir/out")"
rm "$stop"

# ---- the fence ----

# The id is somebody else's by now.
foreign=$(sbatch --parsable -a 0 -o /dev/null --wrap 'sleep 600')
stfm-submit -Q -J fence --gres=none --args=none x=1 -- sleep 600
ok "a task runs" poll 60 reaches fence R
ok "and a foreign one" poll 60 sh -c \
	"[ \"\$(squeue -h -j ${foreign}_0 -o %T)\" = RUNNING ]"
claim=$(echo store/jobs/fence/sub/*.claim)
body=$(sed 's/"array":[0-9]*/"array":'"$foreign/; s/,[^,]*\$//" "$claim")
chmod u+w "$claim"
sum=$(printf %s "$body" | "$top/tests/crc32c.sh")
printf '%s,"c":"%s"}\n' "$body" "$sum" >"$claim"
refused "an array without the job's token is not touched" \
	"fence/0: what Slurm has as ${foreign}_0 is another job" \
	stfm-attach fence/0 -- touch there
ok "... nothing was started" test ! -e store/jobs/fence/code/there
scancel "$foreign"
is "an id alone says nothing on the node either" 126 "$(
	srun -Q --jobid="$(squeue -h -r -o '%A %K' | sed -n 's/ 1$//p')" \
		--overlap "$top/libexec/stfm-run" attach "$STFM_DIR/jobs/one" \
		"$(jq -r .id store/jobs/one/job.json)" 4711 1 1 - true 2>err
	echo $?
)"
like "... and it is said" "no process of the training is on n1" "$(cat err)"

# ---- when it ends, and where it cannot be ----

stfm-attach one/1 -- sh -c 'echo in; sleep 600' >out 2>err &
beside=$!
ok "a command goes on" poll 60 grep -q in out
stfm-stop -Q -y one/1
wait "$beside"
ok "it ends with the task" test $? -gt 0
ok "which is stopped then" poll 60 reaches one RT
refused "a task that is over" "one/1 does not run any more: STOPPED" \
	stfm-attach one/1

mkdir old
cat >old/srun <<'END'
#!/bin/sh
# As srun of Slurm 20.02 says it.
echo "srun: unrecognized option '--overlap'" >&2
echo 'Try "srun --help" for more information' >&2
exit 255
END
chmod +x old/srun
(
	PATH=$PWD/old:$PATH
	refused "an old Slurm: what it says" "unrecognized option '--overlap'" \
		stfm-attach one/0 -- true
	like "... and what that means" "^stfm-attach: one/0: .*20.11 or newer" \
		"$(cat "$tap_dir/err")"
)
stfm-stop -Q -y one

# ---- several nodes ----

stfm-submit -Q -J two --gres=none -N 2 --ntasks-per-node=2 --dist=torch -- \
	sh -c 'echo up >"$STFM_CHECKPOINT_DIR/$RANK"; sleep 600'
stfm-submit -Q -J wait --gres=none -N 2 --exclusive -- sleep 600
all_up() {
	[ "$(find store/jobs/two/checkpoint -type f | wc -l)" = 4 ]
}
ok "all ranks run" poll 60 all_up
for rank in 0 3; do
	is "rank $rank is found" "$rank of 4 on n$((rank / 2 + 1))" "$(
		stfm-attach --rank $rank two -- \
			sh -c 'echo "$RANK of $WORLD_SIZE on $SLURMD_NODENAME"'
	)"
done
is "a node has its first rank" "2 n2" "$(stfm-attach --node n2 two -- \
	sh -c 'echo "$RANK $SLURMD_NODENAME"')"
is "by default the first" "0 n1" "$(stfm-attach two -- \
	sh -c 'echo "$RANK $SLURMD_NODENAME"')"
refused "what waits cannot be attached to" \
	"stfm-attach: wait/0 has not started (" \
	stfm-attach wait
stfm-stop -Q -y two wait

done_testing
