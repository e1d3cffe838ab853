#!/bin/sh
# Sites and trainings may change the comment of a Slurm job.  stfm must still
# recognise its own arrays.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -c 8 -g 0
export STFM_DIR="$tap_dir/store" STFM_GRACE=2

submit() {
	stfm-submit -Q --gres=none "$@"
}
array_of() {
	squeue -h -n "$1" -o %F | head -1
}
field() { # COMMENT or COMMAND of an array
	squeue -h -j "$1" -O "$2:400" | sed 's/ *$//' | head -1
}
states() {
	stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4,5 |
		sed 's/[	 ]*$//' | tr '\t' ' '
}
becomes() {
	stfm-watch --once -Q "${1%%/*}"
	[ "$(states "$1")" = "$2" ]
}
in_queue() {
	[ -n "$(squeue -h -n "$1" -t PD,R -o %A)" ]
}
gone() {
	! in_queue "$1"
}

cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK" >>"$COUNT"
until [ -e "$FILE" ]; do sleep 0.05; done
EOT
chmod +x train.sh
export FILE="$PWD/go" COUNT="$PWD/count"

## The user's comment

submit -J own --hold --comment '{"project": 7}' x=1,2 -- ./train.sh
like "the user's comment is first and whole" '^[{]"project": 7[}] stfm-' \
	"$(field "$(array_of own)" Comment)"
stfm-release -Q own
ok "and the tasks run" poll 20 becomes own "RUNNING
RUNNING"

## A training that changes its comment

scontrol update jobid="$(array_of own)" comment=mine
is "the comment was replaced" mine "$(field "$(array_of own)" Comment)"
sleep 3
stfm-watch --once -Q own
is "the tasks are RUNNING, also after the grace time" "RUNNING
RUNNING" "$(states own)"
stfm-restart -Q own
is "nothing of it is queued again" 1 \
	"$(squeue -h -n own -o %F | sort -u | wc -l)"
ok "stop cancels it" stfm-stop -Q -y own
ok "in Slurm, too" poll 20 gone own
ok "it is STOPPED" poll 20 becomes own "STOPPED
STOPPED"

submit -J waits --hold x=1,2 -- ./train.sh
scontrol update jobid="$(array_of waits)" comment='see stfm for details'
ok "a held array with another comment is released" stfm-release -Q waits
ok "and runs" poll 20 becomes waits "RUNNING
RUNNING"
ok "attach finds its tasks" stfm-attach waits/1 -- true
ok "stop --remove cancels it" stfm-stop -Q -y --remove waits
ok "and nothing of it is left" gone waits

submit -J bird --canary x=1..3 -- ./train.sh
scontrol update jobid="$(array_of bird)" comment=mine
ok "a canary runs alone" poll 20 becomes bird \
	"RUNNING
SUBMITTED (waiting for the canary)
SUBMITTED (waiting for the canary)"
touch "$FILE"
ok "the others follow it" poll 40 becomes bird "FINISHED
FINISHED
FINISHED"
rm "$FILE"

## A site whose filter sets the comment

cat >"$(dirname "$SLURM_CONF")/job_submit.lua" <<'EOT'
function slurm_job_submit(job_desc, part_list, submit_uid)
	job_desc.comment = "site=1"
	return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	return slurm.SUCCESS
end
return slurm.SUCCESS
EOT
echo JobSubmitPlugins=lua >>"$SLURM_CONF"
scontrol reconfigure
replaces() {
	sbatch -H -Q -J probe -o /dev/null --wrap true
	case $(squeue -h -n probe -o %k) in
	*site=1*) scancel -n probe ;;
	*) scancel -n probe && return 1 ;;
	esac
}
ok "the site's filter is at work" poll 20 replaces

ok "a job is queued" submit -J site x=1,2 -- ./train.sh
is "with the site's comment" site=1 "$(field "$(array_of site)" Comment)"
ok "and seen to run" poll 20 becomes site "RUNNING
RUNNING"
is "once" 1 "$(squeue -h -n site -o %F | sort -u | wc -l)"
ok "hold finds it" stfm-hold -Q site
ok "so does release" stfm-release -Q site
like "stfm-check tells about the comment" \
	'comment.*replace' "$(stfm-check --gres=none 2>&1)"
ok "stop cancels it" stfm-stop -Q -y site
ok "in Slurm, too" poll 20 gone site

## A site whose sbatch drops both marks

mkdir wrapped
cat >wrapped/sbatch <<EOT
#!/bin/sh
# No comment, and the script under another name.
for word in "\$@"; do
	shift
	case \$word in
	--comment=*) continue ;;
	*/.t.stfm-*) word=\${word%/sub/*}/batch.sh ;;
	esac
	set -- "\$@" "\$word"
done
exec $(command -v sbatch) "\$@"
EOT
chmod +x wrapped/sbatch
PATH=$PWD/wrapped:$PATH submit -J bare --hold x=1,2 -- ./train.sh 2>said
is "an array that could not be recognised is not accepted" 2 $?
like "the message says why" 'bare: .*comment.*name of the batch script' \
	"$(cat said)"
ok "and it does not stay in the queue" poll 20 gone bare

done_testing
