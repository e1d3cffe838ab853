#!/bin/sh
# What commands print as JSON of real jobs is what stfm-json(5) says.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/here/store"
git() {
	command git -c user.name=t -c user.email=t@example.org "$@" >/dev/null
}
mkdir code && cd code && git init -q -b main . || exit 99
cat >train.sh <<'END'
#!/bin/sh
echo "epoch 1 loss=$1"
test "$1" != 2
END
chmod +x train.sh
git add train.sh && git commit -m first && echo '# more' >>train.sh &&
	echo >unknown.sh || exit 99

ok "a job with everything is submitted" stfm-submit -Q -J full \
	--gres=none --args=none --description "All of it" --tag a,b \
	--epochs 1 \
	--metric loss --metrics-regex 'loss=(?<loss>[0-9.]+)' --requeue=2 \
	--signal-before 90 --max-fail 9 --retry-oom 1.5 --retry-time 2 \
	--parallel 2 \
	-t 5 --then true lr=1,2,3 @mem=10M,20M -- ./train.sh {lr}
stfm-watch -Q -i 1 full
stfm-status -o json full >full.json
valid "its tasks" status-tasks lr @mem <full.json
is "all have run" 6 "$(jq 'map(select(.end >= .start)) | length' full.json)"
echo '# still more' >>train.sh
ok "it is restarted with new code" stfm-restart -Q --new-code full
ok "its metrics are set" stfm-set full --goal max --epochs 2 \
	--tag c
stfm-status --record -o json full >record.json
valid "its submission" status-record <record.json
is "that has all keys" "script dist container container_runtime \
container_state imported metrics script_sum pack seed" \
	"$(schema seen "$top/man/schema/status-record.json" <record.json |
		paste -sd ' ' -)"
is "and both changes" 2 "$(jq '.[0].changes | length' record.json)"
stfm-watch -Q -i 1 full
stfm-status -e -o json full >failures.json
valid "its failures" status-errors <failures.json

ok "a job waits" stfm-submit -Q -J waits --gres=none --hold lr=1,2 -- sleep 600
stfm-status --refresh --why -o json waits >why.json
valid "why it does" status-why <why.json
is "Slurm's word is the reason" JobHeldUser "$(jq -r '.[0].reason' why.json)"
stfm-release -o json waits/0 >released.json
valid "what is released" hold <released.json
stfm-hold -o jsonl waits/0,1 >held.json
valid "and held" hold <held.json
stfm-status --refresh -o json >jobs.json
valid "the jobs" status-jobs <jobs.json
stfm-nodes -o jsonl >nodes.json
valid "the nodes" nodes <nodes.json
stfm-check -o json --no-job >checks.json 2>err
valid "checks" check <checks.json

done_testing
