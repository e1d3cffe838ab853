#!/bin/sh
# The code of a job is a copy: what is edited later changes no run.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 2
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/out.d"
mkdir "$OUT"

export GIT_CONFIG_GLOBAL="$tap_dir/gitconfig"
git config --global user.name Nobody
git config --global user.email nobody@example.org
git config --global init.defaultBranch main

submit() {
	stfm-submit -Q --gres=none "$@"
}
follow() {
	timeout 600 stfm-watch -Q -i 1 "$1"
}
record() {
	jq -r "$2" "$STFM_DIR/jobs/$1/job.json"
}

## In git

mkdir -p project/src project/conf project/logs project/data
cd project || exit 99
git init -q .
cat >train.sh <<'X'
#!/bin/sh
. src/word.sh
{
	echo "$word" "$(cat conf/a.yaml)" "$(cat data/set)" "$(cat new.sh)"
	pwd -P
	echo "$PWD $STFM_DIRECTORY $STFM_COMMIT"
} >>"$OUT/$STFM_JOB.$STFM_TASK"
mkdir -p logs/deep results && echo "$word" >"logs/deep/$STFM_JOB"
echo made >made.txt
[ -z "$WAIT" ] || until [ -e "$OUT/go" ]; do sleep 0.1; done
cat src/word.sh >>"$OUT/$STFM_JOB.$STFM_TASK"
X
chmod +x train.sh
echo 'word=old' >src/word.sh
echo 'old settings' >conf/a.yaml
echo 'old data' >data/set
touch logs/.gitkeep
mkdir results
echo /data/ >.gitignore
echo /results/ >>.gitignore
git add -A
git commit -qm one
commit=$(git rev-parse HEAD)
git remote add origin https://me:remote-s3cret@example.org/project.git
echo 'word=dirty' >src/word.sh
echo 'new' >new.sh

export AWS_SECRET_ACCESS_KEY=abcDEF/ghi+0123456789
export HF_TOKEN=hf_abcdefghijklmnopqrstuvwx
PYTHONPATH="/opt/x:/opt/$HF_TOKEN/lib" LOADEDMODULES=cuda/12:gcc/13 \
	OMP_NUM_THREADS=2 CUDA_VISIBLE_DEVICES=0,1 \
	VIRTUAL_ENV=/opt/venv CONDA_PREFIX=/opt/conda CONDA_DEFAULT_ENV=base \
	CUDA_HOME=/opt/cuda CUDA_VERSION=12.4.1 \
	submit -H -J held --seed 7 x=1 -- ./train.sh
code=$STFM_DIR/jobs/held/code
echo 'word=later' >src/word.sh
echo 'later settings' >conf/a.yaml
echo 'later data' >data/set
git commit -qam later
ok "a held job is let go" scontrol release \
	"$(record held .id >/dev/null && squeue -h -n held -o %A)"
ok "and ends well" follow held
is "the code of the submission runs, on the data of today" \
	"dirty old settings later data new" "$(sed -n 1p "$OUT/held.0")"
is "in the copy" "$code" "$(sed -n 2p "$OUT/held.0")"
is "and knows where it comes from" "$code $PWD $commit" \
	"$(sed -n 3p "$OUT/held.0")"
is "results land where they always did" dirty "$(cat logs/deep/held)"
is "what is made beside the code stays there" made "$(cat "$code/made.txt")"
is "programs and settings are read-only" "444 444 555" \
	"$(stat -c %a "$code/src/word.sh" "$code/conf/a.yaml" \
		"$code/train.sh" | xargs)"
is "and nobody else sees them" "700 600 600" \
	"$(stat -c %a "$code" "$code.tsv" "${code%code}diff" | xargs)"
is "git's own files are not there" "" "$(find "$code" -name .git)"

is "the record has the commit" "$commit true main" \
	"$(record held '.code | "\(.commit) \(.dirty) \(.branch)"')"
is "the remote without its password" "https://example.org/project.git" \
	"$(record held .code.remote)"
is "what git did not know" new.sh "$(record held '.code.untracked[]')"
is "the command line" \
	"stfm-submit -Q --gres=none -H -J held --seed 7 x=1 -- ./train.sh" \
	"$(record held '.argv | join(" ")')"
is "the modules" cuda/12:gcc/13 "$(record held .environment.LOADEDMODULES)"
is "the search path of Python without the token" "/opt/x:/opt/***/lib" \
	"$(record held .environment.PYTHONPATH)"
is "and nothing that was not asked for" "null null" \
	"$(record held '.environment | "\(.HOME) \(.HF_TOKEN)"')"
page=$(stfm-status --record held)
like "the record for people has the command line" \
	'^as +stfm-submit -Q .* -J held --seed 7 x=1 -- ./train.sh$' "$page"
like "the commit" "^Commit +$commit on main, changed since" "$page"
like "what was made in the copy" '^Made there +made.txt$' "$page"
like "and the environment" '^  LOADEDMODULES +cuda/12:gcc/13$' "$page"
like "the names of which are whole" '^  CUDA_VISIBLE_DEVICES 0,1$' "$page"
like "and below each other" '^  OMP_NUM_THREADS      2$' "$page"
is "the virtual environment, that of conda and CUDA are among it" \
	"  VIRTUAL_ENV          /opt/venv
  CONDA_PREFIX         /opt/conda
  CONDA_DEFAULT_ENV    base
  CUDA_HOME            /opt/cuda
  CUDA_VERSION         12.4.1" \
	"$(echo "$page" | grep -E '^  (VIRTUAL|CONDA|CUDA_[HV].[MR])')"
like "where and by whom it was submitted" \
	"^Submitted .* by $(id -un) at $(uname -n)\$" "$page"
like "the seed of its draws" '^Seed of draws +7$' "$page"
like "on a narrow terminal, too" '^  CUDA_VISIBLE_DEVICES$' \
	"$(COLUMNS=40 stfm-status --record held)"
is "the record for programs is that of the store" \
	"$(jq -S 'del(.v, .c) | .points_fingerprint = .fingerprint |
		del(.fingerprint)' "$STFM_DIR/jobs/held/job.json")" \
	"$(stfm-status --record --json held |
		jq -S '.[0] | del(.path, .place, .code.number)')"
is "the difference is printed to the byte" \
	"$(cksum <"$STFM_DIR/jobs/held/diff")" \
	"$(stfm-status --diff held | cksum)"
like "the page of a task says what has run" \
	"^Code +a copy of $(echo "$commit" | cut -c 1-12), changed since" \
	"$(stfm-status held/0)"
like "and what it made there" '^Made there +.*/held/code/made.txt$' \
	"$(stfm-status held/0)"
is "no secret is anywhere in the store" "" \
	"$(grep -raFl -e "$AWS_SECRET_ACCESS_KEY" -e "$HF_TOKEN" \
		-e remote-s3cret "$STFM_DIR")"
git clone -q . ../again
git -C ../again checkout -q "$commit"
ok "the difference can be put on the commit again" \
	git -C ../again apply "$STFM_DIR/jobs/held/diff"
is "which gives the code that ran" word=dirty \
	"$(cat ../again/src/word.sh)"

## A requeue

WAIT=1 submit -J requeue x=1 -- ./train.sh
array=$(squeue -h -n requeue -o %A)
ok "it starts" poll 30 test -s "$OUT/requeue.0"
echo 'word=edited' >src/word.sh
echo 'echo broken' >train.sh
scontrol requeue "${array}_0"
requeued() {
	scontrol show job "${array}_0" | grep -q "Restarts=1"
}
ok "it is put back" poll 20 requeued
touch "$OUT/go"
# Slurm lets a requeued task wait for two minutes.  It needs some of it: what
# starts in the second in which it was put back is refused by the node.
again() {
	[ ! -e hurried ] && squeue -h -j "${array}_0" -o %T | grep -q PENDING &&
		scontrol update jobid="${array}_0" StartTime=now+2 &&
		: >hurried
	[ "$(grep -c '^later old\|^later later' "$OUT/requeue.0")" -eq 2 ]
}
ok "it is started again" poll 60 again
ok "and ends" poll 20 sh -c '[ -z "$(squeue -h -j "$1")" ]' sh "$array"
is "both runs had the same code" "later
later" "$(grep -o '^later' "$OUT/requeue.0")"
git checkout -q .

## Outside git

mkdir ../plain
cd ../plain || exit 99
printf '#!/bin/sh\n. ./part.sh\necho "$word" >"$OUT/$STFM_JOB"\n' >run.sh
echo 'word=old' >part.sh
chmod +x run.sh
submit -H -J plain -- ./run.sh
submit -H -J inplace --no-snapshot -- ./run.sh
echo 'word=new' >part.sh
scontrol release "$(squeue -h -n plain -o %A)"
scontrol release "$(squeue -h -n inplace -o %A)"
ok "a job outside git ends well" follow plain
ok "and one without a snapshot" follow inplace
is "outside git there is a copy as well" old "$(cat "$OUT/plain")"
is "--no-snapshot runs what is there" new "$(cat "$OUT/inplace")"
is "which the record says" "--no-snapshot" "$(record inplace .code.why)"
refused "the same with a copy is another job" "with no copy of its code" \
	submit -H -J inplace -- ./run.sh
refused "so is the same without one" "with a copy of its code" \
	submit -H -J plain --no-snapshot -- ./run.sh
status "a job outside git has no difference" 1 stfm-status --diff plain

rm "$OUT/plain"
stfm-restart --finished --dry-run plain >dry 2>dry.err
is "that it was mended is said before it is restarted" "stfm-restart: plain: \
part.sh changed since the code was copied; the tasks train with the copy \
(--new-code trains with the new code)" \
	"$(cat dry.err)"
stfm-restart --finished plain >again 2>again.err
is "and when it is" "$(cat dry.err)" "$(cat again.err)"
scontrol release "$(squeue -h -n plain -o %A)"
ok "it is queued again" follow plain
is "and has the code of its submission" old "$(cat "$OUT/plain")"
stfm-restart --finished --dry-run inplace 2>inplace.err >/dev/null
is "where there is no copy there is nothing to say" "" "$(cat inplace.err)"

printf '%s\n' '#!/bin/sh' 'cd "$SLURM_SUBMIT_DIR"' '. ./part.sh' \
	'echo "$word" >"$OUT/$STFM_JOB"' >own.sbatch
submit -H -J own own.sbatch
echo 'word=newer' >part.sh
scontrol release "$(squeue -h -n own -o %A)"
ok "a script of one's own ends well" follow own
is "where it was submitted is the copy" new "$(cat "$OUT/own")"

printf '#!/bin/sh\necho "$0" >"$OUT/$STFM_JOB"\n' >where.sh
chmod +x where.sh
echo data >notes.txt
submit -J absolute -- "$PWD/where.sh"
ok "a command by its whole path ends well" follow absolute
is "and is the copy" "$STFM_DIR/jobs/absolute/code/where.sh" \
	"$(cat "$OUT/absolute")"

## A package that is installed as it is

mkdir -p ../package/src/net ../package/flat/mine
cd ../package || exit 99
git init -q .
python3 -m venv --without-pip .venv
site=$(echo .venv/lib/python3*/site-packages)
echo "$PWD/src" >"$site/__editable__.net.pth"
echo "MAPPING = {'mine': '$PWD/flat/mine'}" \
	>"$site/__editable___mine_finder.py"
echo 'word = "old"' >src/net/__init__.py
echo 'word = "old"' >flat/mine/__init__.py
mkdir bin
cat >bin/train.py <<'X'
import os, net, mine
with open(os.environ["OUT"] + "/package", "w") as f:
    f.write(net.word + " " + mine.word)
X
git add src flat bin
git commit -qm one
submit -H -J package -- .venv/bin/python bin/train.py
echo 'word = "new"' >src/net/__init__.py
echo 'word = "new"' >flat/mine/__init__.py
scontrol release "$(squeue -h -n package -o %A)"
ok "a job with packages of its own ends well" follow package
is "and has them as they were" "old old" "$(cat "$OUT/package")"
like "the record has the Python" '^Python 3' \
	"$(record package .environment.python_version)"

## Removal

refused "what a training made beside its code is not removed unasked" \
	"has made made.txt in $code" stfm-stop --remove held
ok "and is there still" test -s "$code/made.txt"
is "stfm-check notes what was made" \
	"$code/made.txt: note: made since the submission" \
	"$(stfm-check held | grep made.txt)"
changed=$STFM_DIR/jobs/package/code/bin/train.py
chmod u+w "$changed"
echo pass >>"$changed"
is "and finds what was changed" "$changed: not what was submitted" \
	"$(stfm-check -Q package)"
data=$STFM_DIR/jobs/absolute/code/notes.txt
echo more >>"$data"
is "what a training may write is only noted" \
	"$data: note: written to since the submission" \
	"$(stfm-check absolute | grep "$data")"
status "which is no damage" 0 stfm-check -Q absolute
echo data >"$data"
ok "a job without such things is removed" stfm-stop --remove -Q absolute
refused "what a training has written is kept" "not removed: its training has" \
	stfm-stop --remove -Q -y held
ok "a job is removed with its copy" \
	stfm-stop --remove --with-results -Q held
ok "and nothing of it is left" test ! -e "$STFM_DIR/jobs/held"
is "the originals stay" "later data" "$(cat ../project/data/set)"

done_testing
