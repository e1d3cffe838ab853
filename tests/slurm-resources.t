#!/bin/sh
# What each point asks of Slurm by itself, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

fixture=$top/build/plain/tests/store-fixture
[ -z "${SANITIZE:-}" ] || fixture=$top/build/sanitize/tests/store-fixture

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/told"
mkdir "$OUT"

submit() {
	stfm-submit -Q --gres=none "$@"
}
plan() {
	stfm-submit --dry-run -J plan "$@" | sed -n 's/^# task/task/p'
}

# What a task was given, and what it has.
cat >train.sh <<'END'
#!/bin/sh
echo "$* $STFM_PARAMS ${SLURM_MEM_PER_NODE:-all}" >"$OUT/$STFM_JOB.$STFM_TASK"
env | grep -c '^STFM_PARAM_' >>"$OUT/$STFM_JOB.$STFM_TASK"
END
chmod +x train.sh

## Points that lie apart

submit -J apart --zip bs,@mem seed=1,2 bs=32,64 @mem=100M,200M -- ./train.sh
ok "they all train" poll 20 reaches apart FFFF
is "each with what its point asks for, and is told nothing of it" \
	'--seed=1 --bs=32 {"seed":1,"bs":32} 100
2
--seed=1 --bs=64 {"seed":1,"bs":64} 200
2
--seed=2 --bs=32 {"seed":2,"bs":32} 100
2
--seed=2 --bs=64 {"seed":2,"bs":64} 200
2' "$(cat "$OUT"/apart.*)"
is "those that ask for the same are one array" "0,2 1,3 " \
	"$(cat "$STFM_DIR"/jobs/apart/sub/*.intent | jq -r .tasks |
		tr '\n' ' ')"
like "the page of a task says what it asked for" '^Asks for +@mem=200M$' \
	"$(stfm-status apart/3)"
like "so does the record of the job" \
	'^Points ask for +@mem=100M  tasks 0,2$' "$(stfm-status --record apart)"
is "and the data for programs" "100M 200M 100M 200M" \
	"$(stfm-status -o jsonl apart | jq -r '."@mem"' | paste -s -d ' ' -)"
is "by which tasks are chosen" "apart/1 apart/3" \
	"$(stfm-status -o jsonl -w '@mem=200M' apart | jq -r .id |
		paste -s -d ' ' -)"
is "the same again has nothing to do" "apart: 4 done; nothing to queue" \
	"$(stfm-submit --gres=none -J apart --zip bs,@mem seed=1,2 bs=32,64 \
		@mem=100M,200M -- ./train.sh)"
refused "other resources make another job" \
	"with points that ask Slurm for something else" \
	submit -J apart --zip bs,@mem seed=1,2 bs=32,64 @mem=100M,201M -- \
	./train.sh

## Queued again

ok "they are restarted with what they had" stfm-restart --finished -Q apart/0-1
ok "and train" poll 20 reaches apart FFFF
is "with the same memory" "100 200 " \
	"$(for i in 0 1; do sed -n 's/.* //;1p' "$OUT/apart.$i"; done |
		tr '\n' ' ')"
ok "an option of the restart is the last word" \
	stfm-restart --finished -Q --mem=150M apart/2-3
ok "for all of them" poll 20 reaches apart FFFF
is "whatever they asked for" "150 150 " \
	"$(for i in 2 3; do sed -n 's/.* //;1p' "$OUT/apart.$i"; done |
		tr '\n' ' ')"
like "which the page says" '^Asks for +@mem=100M --mem=150M$' \
	"$(stfm-status apart/2)"

cat >hungry.sh <<'END'
#!/bin/sh
[ "$STFM_ATTEMPT" = 1 ] && exit 0
kill -KILL $$
END
chmod +x hungry.sh
submit -J hungry --retry-oom 1.5 --zip i,@mem i=1..3 @mem=100M,1G,300M \
	--args=none -- ./hungry.sh
ended() {
	[ "$(facts hungry '*.E137' | wc -w)" -eq 3 ]
}
poll 20 ended || exit 99
# What Slurm would say where it knows of memory limits.
for i in 0 1; do
	printf 'of|hungry\nfact|%s|XOUT_OF_MEMORY|attempt=0\n' "$i"
done | "$fixture" "$STFM_DIR"
ok "those that ran out of memory are queued again" poll 20 reaches hungry FFE
is "each with more than it had itself" '["--mem=150M"]
["--mem=1536M"]' "$(intent hungry c00003.0 '.options | tojson'
	intent hungry c00004.0 '.options | tojson')"

# An sbatch that works, and then ends stfm-submit before it hears of it.
mkdir cut
cat >cut/sbatch <<END
#!/bin/sh
"$(command -v sbatch)" "\$@"
case "\$*" in
*c00001.0) kill -9 \$PPID ;;
esac
END
chmod +x cut/sbatch
PATH="$PWD/cut:$PATH" submit -J rest --zip i,@mem i=1..3 @mem=110M,120M,130M \
	-- ./train.sh 2>/dev/null
ok "what a submission could not queue is" stfm-submit -Q --queue-rest rest
ok "trains" poll 20 reaches rest FFF
is "with what it asks for" "110 120 130 " \
	"$(for i in 0 1 2; do sed -n 's/.* //;1p' "$OUT/rest.$i"; done |
		tr '\n' ' ')"

## What is planned

printf 'lr,@mem,@time\n0.1,1G,\n0.2,,5\n0.3,1G,\n' >points.csv
is "from a file; what is empty is what the job says" \
	'tasks 0,2 @mem=1G
task 1 @time=5' "$(plan --from points.csv -- ./train.sh)"
echo '{"params": {"lr": [1, 2], "@gpus": [1, 2]}, "zip": [["lr", "@gpus"]]}' \
	>spec.json
is "from a spec" 'task 0 @gpus=1
task 1 @gpus=2' "$(plan --spec spec.json -- ./train.sh)"
is "GPUs are asked for as the job does" \
	'--gres=gpu:2 --gpus-per-node=a:2 --gres=shard:1,gpu:2 ' \
	"$(for o in --nice=0 --gpus-per-node=1 --gres=shard:1; do
		set -- "$o" @gpus=2
		[ "$o" != --gpus-per-node=1 ] || set -- "$o" @gpus=a:2
		stfm-submit --no-check --dry-run -J plan "$@" -- ./train.sh |
			grep -o -e '--gres=[^ ]*' -e '--gpus-per-node=[^ ]*'
	done | tr '\n' ' ')"

## What does not fit

check() {
	refused "$1: $3" "$2" \
		stfm-submit -J no --zip i,"${3%%=*}" i=1,2 "$3" -- ./train.sh
}
check "more memory than a node has" \
	"task 1: @mem=900G: no node of partition main has more than" \
	@mem=1G,900G
check "more GPUs" "task 1: --gres=gpu:3: no node of partition main has more" \
	@gpus=1,3
check "more CPUs" "task 1: @cpus=9999: no node of partition main" @cpus=1,9999
check "no such partition" \
	"task 1: @partition=gpus: no such partition (there are: main, short)" \
	@partition=main,gpus
check "no memory" "@mem=lots: 'lots' is not an amount of memory" @mem=1G,lots
check "no time" "@time=soon" @time=1,soon
check "an unknown name" "did you mean @mem?" @men=1,2
refused "more time than the partition of the point has" \
	"task 1: @time=1:00:00: partition short allows 10 minutes at most" \
	stfm-submit -J no --zip i,@partition i=1,2 @partition=main,short \
	@time=1:00:00 -- ./train.sh
refused "two ways to say how much" "some tasks have --mem, and some \
--mem-per-cpu" submit -J no --retry-oom 2 --mem-per-cpu=1G i=1,2 @mem=1G \
	--when @mem:i=1 -- ./train.sh
ok "nothing of all that was stored" test ! -e "$STFM_DIR/jobs/no"

ok "the store is sound after all this" stfm-check --store
done_testing
