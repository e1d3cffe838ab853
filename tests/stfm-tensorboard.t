#!/bin/sh
# Where the event files of tasks are, and what to type to see them.  That
# TensorBoard takes it is tested by examples.t.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/here/store" TZ=UTC
export XDG_CACHE_HOME="$PWD/cache"

"$fixture" store <<-EOD || exit 99
	job|try|lr=0.1,0.01|opt=adam|data=a/b,c
	chunk|0-3|41
	task|0|FINISHED|array=41
	task|1|FINISHED|array=41
	task|2|RUNNING|array=41
	task|3|FINISHED|array=41
	fold|asked=-1
	end
	job|none|x=1
	task|0|FINISHED|array=42
	fold|asked=-1
	end
	job|other|x=1,2
	task|0|FINISHED|array=43
	fold|asked=-1
	end
EOD
events() {
	mkdir -p "$1"
	: >"$1/events.out.tfevents.1.host"
}
jobs=$STFM_DIR/jobs
events "$jobs/try/metrics/000000.csv"
events "$jobs/try/checkpoint/000001/lightning_logs/version_0"
events results/try/2/train
events "$jobs/other/checkpoint/000000"
links() {
	(cd "$1" && find . -type l -printf '%P -> %l\n' | LC_ALL=C sort)
}

refused "no store" "no store here" stfm-tensorboard -d nowhere try
refused "no such job" "no such job" stfm-tensorboard nosuch
refused "no port" "--port: " stfm-tensorboard --port 70000 try
refused "no format" "choose text, sh, tsv" stfm-tensorboard -o xml try

is "the runs, with what tells them apart" \
	"try/0	try/0 lr=0.1 data=a_b	$jobs/try/metrics/000000.csv
try/1	try/1 lr=0.1 data=c	$jobs/try/checkpoint/000001
try/2	try/2 lr=0.01 data=a_b	$PWD/results/try/2" \
	"$(stfm-tensorboard -o tsv try 2>err | tail -n +2)"
like "and how many have none" "1 of 4 tasks have no event files" "$(cat err)"
ok "nothing was made for that" test ! -e cache

is "of one task its own directory is given" \
	"tensorboard --logdir $jobs/try/checkpoint/000001 --port 6007" \
	"$(stfm-tensorboard -o sh --port 6007 try/1)"
start=$(stfm-tensorboard -o sh --port 6007 try 2>err)
links=$(echo "$start" | cut -d ' ' -f 3)
like "of many a directory of links" \
	"^tensorboard --logdir $PWD/cache/stfm/tensorboard/try-[0-9a-f]{8} " \
	"$start"
is "one to each" "try/0 lr=0.1 data=a_b -> $jobs/try/metrics/000000.csv
try/1 lr=0.1 data=c -> $jobs/try/checkpoint/000001
try/2 lr=0.01 data=a_b -> $PWD/results/try/2" "$(links "$links")"
is "for others to see nothing of" drwx------ "$(stat -c %A "$links")"

touch "$links/try/mine"
ln -s "$jobs" "$links/try/old"
events "$jobs/try/checkpoint/000003"
rm -r "$jobs/try/metrics/000000.csv"
is "the same words mean the same directory" "$start" \
	"$(stfm-tensorboard -o sh --port 6007 try 2>err)"
is "which is brought up to date" "try/1 lr=0.1 data=c
try/2 lr=0.01 data=a_b
try/3 lr=0.01 data=c" "$(links "$links" | sed 's/ -> .*//')"
ok "what is no link stays" test -e "$links/try/mine"
ok "and what they led to" test -d "$jobs"
stfm-tensorboard --links here --port 1 2>err >out
is "all jobs, where one wants them" "other/0 x=1
try/1 lr=0.1 data=c
try/2 lr=0.01 data=a_b
try/3 lr=0.01 data=c" "$(links here | sed 's/ -> .*//')"
stfm-tensorboard --links here -w 'lr<0.1' try other >out 2>&1
is "some of them" "try/2 lr=0.01 data=a_b
try/3 lr=0.01 data=c" "$(links here | sed 's/ -> .*//')"

status "no event files are an answer" 1 stfm-tensorboard none
like "which says what to do" \
	'keras.callbacks.TensorBoard\(os.environ\["STFM_METRICS"\]\)' \
	"$(stfm-tensorboard none 2>&1)"
loop=$jobs/none/metrics/000000.csv
ln -s "$loop" "$loop"
is "that they may be where nobody can look is not" \
	"stfm-tensorboard: none: $loop: cannot open: \
Too many levels of symbolic links" "$(stfm-tensorboard none 2>&1)"
status "it is a failure" 2 stfm-tensorboard none
status "so is no task" 1 stfm-tensorboard -t ERROR try
: >file
refused "no place for links" "file" stfm-tensorboard --links file try

# ---- the way there ----

me=$(id -un)
host=$(uname -n)
is "what to type, here and there" "On $host:
  tensorboard --logdir $PWD/results/try/2 --port 7000
On your own machine:
  ssh -N -L 7000:localhost:7000 $me@login.example.org
Then open http://localhost:7000" \
	"$(stfm-tensorboard --port 7000 --login login.example.org try/2)"
is "in a job it can be reached from outside its node" "On $host:
  tensorboard --logdir $PWD/results/try/2 --port 7000 --host $host
On your own machine:
  ssh -N -L 7000:$host:7000 $me@login1
Then open http://localhost:7000" \
	"$(SLURM_JOB_ID=1 SLURM_SUBMIT_HOST=login1 \
		stfm-tensorboard --port 7000 try/2)"
like "a port is found" "--port 6[01][0-9][0-9]$" \
	"$(stfm-tensorboard -o sh try/2)"

done_testing
