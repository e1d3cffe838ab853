#!/bin/sh
# stfm-run, each of its calls going wrong: a task trains only with the claim
# of its chunk, and at most once for it; what it said stays said.
. "$(dirname "$0")/sweep.sh"

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$disk/store" COUNT="$tap_dir/count"

# Records made by stfm-submit; their tasks are run by hand from here on.  Nobody
# looks at their use: the calls of two processes come in no order.
stfm-submit -Q --hold --usage=no --gres=none -J job x=1,2 -- \
	sh -c 'echo "$SLURM_ARRAY_JOB_ID" >>"$COUNT"
		echo "$STFM_RESUME" >>"$COUNT.resume"; exit "$CODE"' || exit 99
stfm-submit -Q --hold --usage=no --gres=none -J stopped x=1,2 -- \
	sh -c 'echo stopped >>"$COUNT"' || exit 99
stfm-stop -y -Q stopped || exit 99
# With a script of its own, and rules that the runner keeps by itself.
cat >own.sh <<'END'
#!/bin/sh
echo "$SLURM_ARRAY_JOB_ID" >>"$COUNT"
printf 'epoch,loss\n1,0.5\n' >"$STFM_METRICS"
exit "$CODE"
END
chmod +x own.sh
stfm-submit -Q --begin=now+1day --usage=no --gres=none -J ruled \
	--max-fail 1 --canary x=1,2,3 ./own.sh || exit 99
job=$STFM_DIR/jobs/job
id=$(jq -r .id "$job/job.json")
array=$(jq -r .array "$job/sub/c00000.0.claim")
runner=${FAULT_RUN:-$bin/../libexec/stfm-run}
stfm-sandbox stop -Q -d "$tap_dir/slurm"
unset SLURM_CONF STFM_SANDBOX
export SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_JOB_ID="$array" CODE=0

# run ARRAY RESTART: as Slurm would start the task once more.
run() {
	SLURM_ARRAY_JOB_ID=$1 SLURM_RESTART_COUNT=$2 "$runner" "$job" "$id" c00000.0
}
trained() {
	sort "$COUNT" | uniq -c | awk '{ printf "%s%s x%s", sep, $2, $1; sep = " " }'
}
past= # what was there before
facts() {
	find "$job/run" -type f ! -name '.*' -printf '%f\n' | sort | tr '\n' ' ' |
		sed "s/^$past//"
}

fresh() {
	restore
	: >"$COUNT"
	: >"$COUNT.resume"
}

# An end that is told is in the store; no training without a start.
is_told() {
	first=$(trained)
	said=$(facts)
	case $first in
	"") case $said in *.E*) is_error || echo "an end without training" ;; esac ;;
	"$array x1") case $said in
		*.S*) ;;
		*) echo "trained without a start: $said" ;;
		esac ;;
	*) echo "trained: $first" ;;
	esac
	is_error || [ "$rc" = "$CODE" ] || return 0
	case $kind in memory*) return ;; esac
	case "$rc $first" in
	"$CODE $array x1") case $said in
		*".E$CODE "*) ;;
		*) case $kind in *+) grep -q stfm-run: "$tap_dir/said" ;; *) false ;; esac ||
			echo "ended, but its end is not told: $said" ;;
		esac ;;
	"75 ") ;;
	*) echo "status $rc, trained: $first, facts: $said" ;;
	esac
}

# Slurm starts it again, and a second array was queued by mistake.  What ended
# by itself with 0 is not trained again.
next=1
finished=
again() {
	finished=
	case $CODE$(facts) in
	0*.E0\ *) finished=1 ;;
	esac
	: >"$COUNT"
	run 999999 0
	run "$array" $next
	return 0
}

is_done() {
	torn "$job"
	now=$(trained)
	claim=$(jq -r .array "$job/sub/c00000.0.claim" 2>&1)
	case $finished$now in
	1 | "$claim x1") ;;
	*) echo "claimed by $claim, but trained: $now${finished:+, after E0}" ;;
	esac
	case $(facts) in
	*".E$CODE "*) ;;
	*) echo "facts: $(facts)" ;;
	esac
}

after() { is_told; }
holds() { is_done; }

roots="-r $STFM_DIR"

# Before anything goes wrong.
: >"$COUNT"
stopped=$STFM_DIR/jobs/stopped other=$(jq -r .id "$STFM_DIR/jobs/stopped/job.json")
SLURM_ARRAY_JOB_ID=$(jq -r .array "$stopped/sub/c00000.0.claim") \
	"$runner" "$stopped" "$other" c00000.0 >/dev/null
"$runner" "$job" "$other" c00000.0 2>/dev/null
is "neither a task that was stopped nor one of another job trains" "" \
	"$(cat "$COUNT")"
SLURM_ARRAY_JOB_ID=999999 "$runner" "$job" "$id" c00000.0 >/dev/null
is "an array without the claim does not train" "" "$(cat "$COUNT")"

own_status=0
template "$job"
kinds=${kinds% memory memory+}
sweep stfm-run "$kinds" "$runner" "$job" "$id" c00000.0

# The same where the task has to claim its chunk first, and where it fails.
restore
CODE=3 own_status=3
rm "$job/sub/c00000.0.claim"
template "$job"
sweep "stfm-run, claim" "$kinds" "$runner" "$job" "$id" c00000.0

# Out of memory; the runner is linked so that it can be refused.
[ -n "${FAULT_FS:-}" ] || sweep "stfm-run, out of memory" "memory memory+" \
	"$fault_build/stfm-run" "$job" "$id" c00000.0

# One that goes on: its first run was ended and has left a checkpoint.
restore
CODE=0 own_status=0 next=2
mkfifo pipe
COUNT=$PWD/pipe SLURM_ARRAY_JOB_ID=$array \
	"$runner" "$job" "$id" c00000.0 >"$tap_dir/out" 2>&1 &
first_run=$!
has_begun() { pgrep -P "$first_run" >"$tap_dir/none"; }
poll 30 has_begun || exit 99
kill -TERM "$first_run"
wait "$first_run"
mkdir -p "$job/checkpoint/000001"
echo 1 >"$job/checkpoint/000001/epoch"
after() {
	is_told
	grep -vx 1 "$COUNT.resume" | sed 's/^/trained with STFM_RESUME=/'
}
template "$job"
past=$(facts)
is "a run was ended" "000001.0.0.E143 000001.0.0.S " "$past"
export SLURM_RESTART_COUNT=1
sweep "stfm-run, resumes" "$kinds" "$runner" "$job" "$id" c00000.0

# The same where Slurm does not know that it has begun once.
SLURM_RESTART_COUNT=0
sweep "stfm-run, begun twice" "$kinds" "$runner" "$job" "$id" c00000.0
unset SLURM_RESTART_COUNT
next=1 past=

# The same of a task that runs the script, and is the canary and the last that
# may fail; no Slurm is there to be told.
job=$STFM_DIR/jobs/ruled
id=$(jq -r .id "$job/job.json")
array=$(jq -r .array "$job/sub/c00000.0.claim")
export SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID="$array"
rm "$job/sub/c00001.0.claim"
# What the shell says when it cannot read the script, too; or it was killed; or
# it took that for the end of the script.
CODE=2 own_status=2
is_the_shell() {
	case "$rc $kind $hit" in
	2\ */script) grep -qv '^stfm' "$tap_dir/said" ;;
	# It asks where it is, and can read nothing from then on.
	2\ *+\ */code | 2\ *+\ */code/.)
		grep -q '^/bin/sh: .*/script: ' "$tap_dir/said" ;;
	137\ alone\ */script) ;;
	137\ alone\ */code) facts | grep -q '[.]E137 ' ;; # it looks where it is
	0\ E*\ */script) [ -z "$(trained)" ] ;;
	*) false ;;
	esac
}
# A log that cannot be read now is left to who watches.
is_left() {
	case $kind in *+) return ;; esac
	case $hit in */metrics*) ;; *) [ -s "$tap_dir/said" ] ;; esac
}
is_kept() {
	[ -e "$job/ctl/mark.canary" ] || {
		echo "$1, but the canary has let nobody go"
		return
	}
	cat "$job"/ctl/stop.* 2>"$tap_dir/none" | jq -r .why |
		grep -qx "max-fail 1" || echo "$1, but nothing is stopped"
}
after() {
	skipped=
	[ "$rc" != 0 ] || skipped=$(facts | grep -o '[.]E0 ')
	is_the_shell && return
	is_told
	[ "$rc" != "$CODE" ] || { is_error && is_left; } ||
		is_kept "status $rc"
}
holds() {
	[ -z "$skipped" ] || return 0
	is_done
	is_kept "it failed"
}
template "$job"
sweep "stfm-run, rules" "$kinds" "$runner" "$job" "$id" c00000.0

done_testing
