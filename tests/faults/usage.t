#!/bin/sh
# What a training uses of its machine, each call of who looks at it going wrong:
# the record is whole or not there, and who tells of the end takes it over.
. "$(dirname "$0")/sweep.sh"

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$disk/store" COUNT="$tap_dir/count"
stfm-submit -Q --hold --usage=1 --gres=none -J job x=1,2 -- \
	sh -c 'echo "$STFM_TASK" >>"$COUNT"' || exit 99
stfm-sandbox stop -Q -d "$tap_dir/slurm"
unset SLURM_CONF STFM_SANDBOX
export job="$STFM_DIR/jobs/job" runner="$bin/../libexec/stfm-run"
id=$(jq -r .id "$job/job.json")
SLURM_ARRAY_JOB_ID=$(jq -r .array "$job/sub/c00000.0.claim")
export SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID=1
export record="$job/usage/000001.0.0.csv" end="$job/run/000/000001.0.0.E0"

# Speaks as the program of a GPU's maker does, and lets the training end.
mkdir smi
cat >smi/nvidia-smi <<'END'
#!/bin/sh
echo "0, GPU-5a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e, 96, 11469, 16384"
echo over 1<>pipe
END
mkfifo pipe
cat >look <<'END'
#!/bin/sh
timeout 5 cat pipe | exec "$runner" usage "$job" "${record##*/}" tree 0
END
chmod +x smi/nvidia-smi look
PATH=$PWD/smi:$PATH

train() {
	SLURM_RESTART_COUNT=$1 "$runner" "$job" "$id" c00000.0
}
fresh() {
	restore
	: >"$COUNT"
}
# A record, or what there is of one.
is_whole() {
	head -1 "$1" | grep -q '^# stfm usage 1 ' &&
		sed -n 3p "$1" | grep -Eq '^1,(96,11469,0|,,),[0-9.]*,[0-9]+,?(96)?$' &&
		[ -z "$(tail -c 1 "$1" | tr -d '\n')" ]
}
# ... and as it is in its file.
is_sealed() {
	is_whole "$1" && tail -1 "$1" | grep -Eq '^# crc32c [0-9a-f]{8}$'
}
told() {
	jq -r '.usage // ""' "$end"
}

template "$job"
roots="-r $STFM_DIR" at_work='/(run|usage)/'
fresh
./look
ok "a look is recorded, whole" is_sealed "$record"

# The training goes on whatever becomes of that, so nothing is said of it.
after() {
	had=
	[ ! -e "$record" ] || {
		had=1
		is_sealed "$record" || echo "no record: $(cat "$record")"
	}
}
again() { train 0; }
holds() {
	[ "$(cat "$COUNT")" = 1 ] || echo "trained: $(cat "$COUNT")"
	[ -z "$had" ] || [ -n "$(told)" ] || echo "the record is lost"
	[ ! -e "$record" ] || echo "the record has stayed"
}
harmless='/usage|/jobs/job$' own_status=0
kinds=${kinds% memory memory+} common=$kinds asked=$most
[ "$kinds" = cut ] || kinds="$kinds rename+"
sample "kill rename+" 1
sweep "stfm-run usage" "$kinds" ./look
most=$asked

# The end of a run of which there is a record.
fresh
./look
cp "$record" before
template "$job"
after() {
	if [ ! -e "$end" ]; then
		cmp -s before "$record" || echo "no end, and no record"
	elif [ -z "$(told)" ]; then
		cmp -s before "$record" || echo "the record is lost"
	else
		told | cmp -s - want || echo "another record: $(told)"
	fi
}
# One that ended by itself with 0 is not trained again.
again() {
	finished=
	[ ! -e "$end" ] || finished=1
	train 1
}
holds() {
	after
	if [ -n "$finished" ]; then
		[ ! -e "${end%.0.E0}.1.S" ] || echo "it is trained once more"
	elif [ ! -e "${end%.0.E0}.1.E0" ]; then
		echo "its next run has no end"
	fi
}
fresh
train 0 || exit 99
told >want
ok "the end takes it over" is_whole want
ok "and it goes" test ! -e "$record"
kinds=$common
sample "kill alone EIO ESTALE+ link+"
sweep "stfm-run, usage" "$kinds" "$runner" "$job" "$id" c00000.0

done_testing
