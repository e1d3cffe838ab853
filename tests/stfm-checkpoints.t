#!/bin/sh
# Checkpoints in stores made by the library itself, listed and removed without
# any Slurm.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/here/store" TZ=UTC

# Six tasks in all states, with values; the fifth failed and is to be put back.
for i in 0 1 2 3 4 5; do
	printf 'epoch,val_loss\n1,0.%s\n' "$((9 - i))" >"log$i"
done
make_store() {
	rm -rf store
	"$fixture" store <<-EOD || exit 99
		job|try|lr=1,2,3,4,5,6
		set|metric=val_loss|requeue=1
		chunk|0-5|41
		task|0|FINISHED|array=41
		task|1|FINISHED|array=41
		task|2|RUNNING|array=41
		task|3|STOPPED|array=41|cause=${1:-}
		task|4|ERROR|cause=PREEMPTED|array=41
		task|5|SUBMITTED|array=41
		read|0|log0
		read|1|log1
		read|2|log2
		read|3|log3
		fold|asked=-1
		end
	EOD
	kept=store/jobs/try/checkpoint
	for i in 0 1 2 3 4 5; do
		for n in 1 2 10; do
			file 00000$i/epoch=$n-loss=0.$n.ckpt "$n" 1000
		done
	done
}

# file NAME AGE BYTES: the greater the age, the newer it is.
file() {
	mkdir -p "$kept/$(dirname "$1")"
	head -c "$3" /dev/zero >"$kept/$1"
	touch -d "2026-01-01 00:00:$(printf %02d "$2")" "$kept/$1"
}

names() {
	(cd "$kept" && find . ! -type d | sort | sed 's,^\./,,')
}
list() {
	stfm-checkpoints -o jsonl "$@" 2>/dev/null
}
clean() {
	stfm-checkpoints -o jsonl "$@" try 2>/dev/null
}
freed() {
	jq -r '"\(.id) \(.goes) \(.goes_bytes) \(.kept)"' | sed 's/ null$//'
}

refused "no store" "no store here" stfm-checkpoints
make_store
refused "no number" "--keep-last: 'x' is not" \
	stfm-checkpoints --keep-last x try
refused "none is not what is kept" "--keep-last 0: write a number from 1 on" \
	stfm-checkpoints --keep-last 0 try
refused "nothing says what would go" "--dry-run: needs --keep" \
	stfm-checkpoints --dry-run try
refused "not all jobs by no word" "--keep-best: name a job" \
	stfm-checkpoints --keep-best 1
refused "no such job" "none: no such job" \
	stfm-checkpoints --keep-last 1 none

# ---- listing ----

is "a line for each task" 'try/0 FINISHED 0.9 3 3000 epoch=10-loss=0.10.ckpt
try/1 FINISHED 0.8 3 3000 epoch=10-loss=0.10.ckpt
try/3 STOPPED 0.6 3 3000 epoch=10-loss=0.10.ckpt' \
	"$(list -t FINISHED,STOPPED | jq -r '[.id, .state, .best,
		.checkpoints, .bytes, .newest] | map(tostring) | join(" ")')"
is "a line for each checkpoint" "try/0 epoch=10-loss=0.10.ckpt
try/0 epoch=2-loss=0.2.ckpt
try/0 epoch=1-loss=0.1.ckpt" \
	"$(list -l try/0 | jq -r '"\(.id) \(.checkpoint)"')"
like "for people, with the sum" "^18 checkpoints of 6 tasks, 17.6 KiB$" \
	"$(stfm-checkpoints 2>/dev/null)"
like "for people without their number" "^TASK +STATE +BEST +CHECKPOINT +SIZE" \
	"$(stfm-checkpoints -l 2>/dev/null)"
is "its path is there" 1000 \
	"$(list -l try/0 | jq -r .path | head -n 1 | xargs stat -c %s)"
status "there are none" 1 stfm-checkpoints -w 'lr>9' try

is "nothing is said of files that do not count, as there are none" "" \
	"$(stfm-checkpoints try 2>/dev/null | grep '^not counted')"
file 000001/state/s.json 1 20
touch "$kept/000001/checkpoint"
like "a file that is no checkpoint is named" \
	"^not counted: state/s\.json \(stfm-checkpoints\(1\) says what \
counts\)$" \
	"$(stfm-checkpoints try 2>/dev/null)"
file 000000/part-1.index 1 20
file 000000/empty.pt 1 0
like "several are counted" "^not counted: 3 files such as empty\.pt \(" \
	"$(stfm-checkpoints try 2>/dev/null)"
rm -r "$kept/000001/state" "$kept/000001/checkpoint"
rm "$kept/000000/part-1.index" "$kept/000000/empty.pt"

# ---- the newest ----

before=$(names)
is "what would go" "try/0 2 2000
try/1 2 2000
try/2 0 0 runs
try/3 2 2000
try/4 0 0 to be queued again
try/5 0 0 waits" "$(clean --dry-run --keep-last 1 | freed)"
like "for people" "^would remove 6 of 18 checkpoints, 5.86 KiB of 17.6 KiB$" \
	"$(stfm-checkpoints --dry-run --keep-last 1 try 2>/dev/null)"
is "and goes not" "$before" "$(names)"
ok "a number more than there are" stfm-checkpoints --keep-last 9 try
is "keeps all" "$before" "$(names)"
like "what went is said" "^removed 4 of 9 checkpoints, 3.91 KiB of 8.79 KiB$" \
	"$(stfm-checkpoints --keep-last 1 try/0-2 2>/dev/null)"
is "the newest stay, and all of what runs" \
	"000000/epoch=10-loss=0.10.ckpt
000001/epoch=10-loss=0.10.ckpt
000002/epoch=1-loss=0.1.ckpt
000002/epoch=10-loss=0.10.ckpt
000002/epoch=2-loss=0.2.ckpt" "$(names | grep '00000[0-2]')"
is "nothing is left in the trash" "" "$(ls store/trash)"
is "of a state that is named the newest stay, too" \
	"try/2 2 2000" "$(clean -t RUNNING --keep-best 1 | freed)"

# ---- the best ----

make_store
is "the best keep theirs, others the last" "try/0 2 2000
try/1 2 2000
try/2 0 0 best
try/3 0 0 best
try/4 0 0 to be queued again
try/5 0 0 waits" "$(clean --dry-run --keep-best 2 --keep-last 1 | freed)"
is "the best are those of the job, not of what is chosen" "try/0 3 3000" \
	"$(clean --dry-run --keep-best 1 -w 'lr=1' | freed)"
touch "$kept/000000/notes.txt"
ok "the others go" stfm-checkpoints --keep-best 2 try
is "with all that was theirs" "000002 000003 000004 000005" \
	"$(find "$kept" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs)"
ok "who is to be put back goes when named" \
	stfm-checkpoints --keep-best 1 -t PREEMPTED try
is "alone" "000002 000003 000005" \
	"$(find "$kept" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs)"

# Those that their search has stopped are behind all others.
make_store "pruned at epoch 1: 0.6 is 2nd of 3, only the best continues (0.5 \
or better)"
is "a task that its search stopped is the first to lose its own" \
	"try/2 best try/3 null" \
	"$(clean --dry-run --keep-best 1 | jq -r '"\(.id) \(.kept)"' |
		sed -n 3,4p | xargs)"
is "and keeps them where there is room for all" "best" \
	"$(clean --dry-run --keep-best 4 | jq -r .kept | sed -n 4p)"

# Another attempt was queued since the table was made.
make_store
"$fixture" store <<-EOD || exit 99
	of|try
	chunk|0|42|c001.0|1
EOD
is "who is queued again keeps all" "try/0 0 0 waits" \
	"$(clean --keep-best 1 | freed | head -n 1)"
ok "it is there" test -e "$kept/000000/epoch=1-loss=0.1.ckpt"

"$fixture" store <<-EOD || exit 99
	job|blank|lr=1
	task|0|FINISHED|array=43
	fold|asked=-1
	end
EOD
mkdir -p store/jobs/blank/checkpoint/000000
echo >store/jobs/blank/checkpoint/000000/a.pt
refused "nothing says which are the best" "blank: no task has a value" \
	stfm-checkpoints --keep-best 1 blank

# ---- what is one checkpoint ----

make_store
rm -rf "$kept"
for n in 1 2; do
	for part in index data-00000-of-00002 data-00001-of-00002; do
		file "000000/ckpt-$n.$part" "$n" 10
	done
	file 000000/saved-$n/saved_model.pb "$n" 5
	file 000000/saved-$n/variables/variables.index "$n" 5
	file 000000/model-$n.keras "$n" 10
	file 000000/step_$n-rank_0.pt "$n" 10
	file 000000/step_$n-rank_1.pt "$n" 10
	file 000000/lightning_logs/version_0/checkpoints/e=$n.ckpt "$n" 10
done
file 000000/ckpt-3.data-00000-of-00001 3 10
file 000000/model.pt 1 10
file 000000/optim.pt 2 10
file 000000/model-3.keras 3 0
file 000000/history.json 4 10
printf 'model_checkpoint_path: "ckpt-2"\n' >"$kept/000000/checkpoint"
is "they are told by their names" "ckpt-1 30
ckpt-2 30
lightning_logs/version_0/checkpoints/e=1.ckpt 10
lightning_logs/version_0/checkpoints/e=2.ckpt 10
model-1.keras 10
model-2.keras 10
model.pt 10
optim.pt 10
saved-1 10
saved-2 10
step_1-rank_0.pt 10
step_1-rank_1.pt 10
step_2-rank_0.pt 10
step_2-rank_1.pt 10" \
	"$(list -l try | jq -r '"\(.checkpoint) \(.bytes)"' | sort)"
ok "they are cleaned" stfm-checkpoints --keep-last 1 try
is "by their series; what is none, or half of one, stays" \
	"000000/checkpoint
000000/ckpt-2.data-00000-of-00002
000000/ckpt-2.data-00001-of-00002
000000/ckpt-2.index
000000/ckpt-3.data-00000-of-00001
000000/history.json
000000/lightning_logs/version_0/checkpoints/e=2.ckpt
000000/model-2.keras
000000/model-3.keras
000000/model.pt
000000/optim.pt
000000/saved-2/saved_model.pb
000000/saved-2/variables/variables.index
000000/step_2-rank_0.pt
000000/step_2-rank_1.pt" "$(names)"

# What something names, and what is elsewhere.
rm -rf "$kept"
for n in 1 2 3 4; do
	file "000000/e=$n.ckpt" "$n" 10
	file "000000/ckpt-$n.index" "$n" 10
	file "000000/ckpt-$n.data-00000-of-00001" "$n" 10
done
ln -s e=2.ckpt "$kept/000000/best.ckpt"
printf 'model_checkpoint_path: "/some/where/ckpt-1"\n' \
	>"$kept/000000/checkpoint"
mkdir elsewhere
echo precious >elsewhere/e=1.ckpt
ln -s "$PWD/elsewhere" "$kept/000000/other"
ln -s "$PWD/elsewhere" "$kept/000001"
status "a link in place of a directory is named" 2 \
	stfm-checkpoints --keep-last 1 try
is "what is named stays" "000000/best.ckpt
000000/checkpoint
000000/ckpt-1.data-00000-of-00001
000000/ckpt-1.index
000000/ckpt-4.data-00000-of-00001
000000/ckpt-4.index
000000/e=2.ckpt
000000/e=4.ckpt
000000/other
000001" "$(names)"
stfm-checkpoints --keep-best 1 -t FINISHED try >out 2>&1
is "links are removed as links, and none is followed" "precious" \
	"$(cat elsewhere/e=1.ckpt)"
is "what was beside them is gone" "000001" "$(names)"

stfm-checkpoints try/1 2>said
like "where it leads is said" \
	"checkpoint/000001: is a symbolic link to $PWD/elsewhere: .*removed$" \
	"$(cat said)"
is "and not that there is none" "" "$(grep 'no checkpoint' said)"
file 000000/e=1.ckpt 1 10
ln -s "$PWD/elsewhere" "$kept/000000/other"
ln -s e=1.ckpt "$kept/000000/best.ckpt"
ln -s "$PWD/$kept/000000/e=1.ckpt" "$kept/000000/last.ckpt"
mkdir "$kept/000000/run"
ln -s ../e=1.ckpt "$kept/000000/run/best.ckpt"
ln -s ../../../x.ckpt "$kept/000000/run/x.ckpt"
stfm-checkpoints try/0 >out 2>said
is "so it is of links among them that lead out, and of no others" \
	"000000/other: is a symbolic link to $PWD/elsewhere
000000/run/x.ckpt: is a symbolic link to ../../../x.ckpt" \
	"$(sed '/Slurm not/d; s#.*/checkpoint/##
		s/: its checkpoints are.*//' said)"
status "which is no failure" 0 stfm-checkpoints try/0
ln -s "$PWD/$kept/000000/run/../e=1.ckpt" "$kept/000000/run/in.ckpt"
ln -s "$PWD/$kept/000000/../../out.ckpt" "$kept/000000/run/out.ckpt"
is "whole paths may lead up and out as well" "out.ckpt" \
	"$(stfm-checkpoints try/0 2>&1 |
		sed -n 's#.*run/\([a-z]*.ckpt\): is a symbolic.*#\1#p' |
		grep -v x.ckpt)"
rm -rf "$kept"
ln -s ../elsewhere "$kept"
refused "also of all checkpoints of a job" \
	"checkpoint: is a symbolic link to ../elsewhere: " \
	stfm-checkpoints --keep-last 1 try
rm "$kept"

# An earlier attempt, which began anew.
make_store
rm -rf "$kept"
file 000000/e=1.ckpt 1 10
file 000000/e=2.ckpt 2 10
file 000000.1/e=1.ckpt 3 10
is "all attempts of a task count together" "try/0 3 2" \
	"$(clean --dry-run --keep-last 1 |
		jq -r '"\(.id) \(.checkpoints) \(.goes)"')"
ok "the earlier goes" stfm-checkpoints --keep-last 1 try
is "with its directory" "000000.1" "$(ls "$kept")"

# ---- damage and other people ----

file 000000/e=1.ckpt 1 10
mkdir "$kept/other" "$kept/00000" "$kept/000000.01"
ok "what is no task's" stfm-checkpoints --keep-best 1 -t F,CD try
ok "stays" test -d "$kept/other" -a -d "$kept/00000" -a -d "$kept/000000.01"
make_store
chmod g+w store
refused "a store that others can change is not cleaned" "store" \
	stfm-checkpoints --keep-last 1 try
chmod g-w store
file "000000/$(printf 'evil\033[2J').pt" 20 10
is "names are plain on a terminal" 1 \
	"$(stfm-checkpoints 2>&1 | grep -cF 'evil\x1b[2J.pt')"

printf '%s\n' 'job|torn|x=1' 'task|0|FINISHED' end | "$fixture" store
chmod u+w store/jobs/torn/job.json
truncate -s -2 store/jobs/torn/job.json
stfm-checkpoints >out 2>err
is "a job that is damaged is missing from the list" "2 1" \
	"$? $(grep -c '^[0-9]* checkpoints of 6 tasks' out)"
like "which is said" "^stfm-checkpoints: .*torn/job.json: damaged" "$(cat err)"

done_testing
