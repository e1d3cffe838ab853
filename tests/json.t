#!/bin/sh
# JSON is what stfm-json(5) says: the page and the schemas agree, and what the
# commands print without a Slurm follows the schemas.  tests/slurm-json.t,
# tests/slurm-nodes.t, tests/slurm-account.t and tests/watch-hooks.t have the
# rest.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/here/store"
page=$top/man/stfm-json.5
schemas=$top/man/schema

# ---- the page and the schemas ----

schema keys "$page" "$schemas" >differences 2>&1
is "the page has the keys of the schemas, and no others" "" \
	"$(cat differences)"

# changed FILE SED: what is wrong when a line is not as it was.
changed() {
	rm -rf copy && mkdir copy && cp -r "$page" "$schemas" copy
	sed -i "$2" "copy/$1"
	schema keys copy/stfm-json.5 copy/schema 2>&1
}
while IFS='|' read -r what file edit said; do
	like "what differs is found: $what" "^$said" \
		"$(changed "$file" "$edit")"
done <<'END'
a key of a schema|schema/hold.json|s/"what"/"that"/g|hold: that: text
a key of the page|stfm-json.5|/^.It run Ta/d|tensorboard: run: text
a type|schema/nodes.json|/"usable"/s/boolean/string/|nodes: usable: text
a unit|stfm-json.5|s/^.It goes_bytes Ta b.*? Ta/.It goes_bytes Ta count Ta/|
null|schema/hold.json|/"ids"/s/"string"/["string", "null"]/|hold: ids: text\?
what may be missing|schema/hold.json|s/, "ids"//|hold: ids: text\*
a key in another|schema/event-best.json|s/"id"/"task"/g|event-best: best.task
a table|stfm-json.5|s/^.Pa hold.json/.Pa held.json/|held: no schema
what else may be there|schema/hold.json|s/: false/: true/|.*Error
END

# Whether a test validates something by the schema.
is_used() {
	sed '/\\$/N; s/\\\n//' "$top"/tests/*.t |
		grep -Eq "^[[:space:]]*valid \".*\"[[:space:]]+$1( |\$)"
}
for file in "$schemas"/*.json; do
	name=$(basename "$file" .json)
	ok "a test validates by $name" is_used "$name"
done

while IFS='|' read -r what object said; do
	like "what is wrong is found: $what" "$said" \
		"$(echo "$object" | schema check "$schemas/hold.json" 2>&1)"
done <<'END'
another key|{"job":"a","what":"b","tasks":1,"ids":"a/0","more":1}|'more' was un
a missing key|{"job":"a","what":"b","tasks":1}|'ids' is a required
a type|{"job":"a","what":"b","tasks":"1","ids":"a/0"}|tasks: '1' is not
null|{"job":null,"what":"b","tasks":1,"ids":"a/0"}|job: None is not
nothing|[]|no objects
no JSON|{"job"|Error
END
is "a hyperparameter that nobody gave is one key too many" \
	"0: : Additional properties are not allowed ('more' was unexpected)" \
	"$(echo '{"lr": 1, "more": 2}' |
		schema check "$schemas/expand.json" lr)"

# ---- exit statuses ----

# The statuses of a command in the table, and those of its own page.
in_table() {
	sed -n "s/^\.It $1 Ta \([0-9N+]*\) Ta .*/\1/p" "$page" | sort
}
in_page() {
	awk '/^\.Sh/ { inside = /EXIT STATUS/ }
		inside && /^\.It [0-9]/ { print $2 }' "$top/man/$1.1" | sort
}
for source in "$top"/bin/*.c; do
	name=$(basename "$source" .c)
	ok "$name has exit statuses" test -n "$(in_table "$name")"
	# Its statuses are in a sentence.
	[ "$name" = stfm-dist ] ||
		is "they are those of its page" "$(in_page "$name")" \
			"$(in_table "$name")"
done

# ---- status ----

for i in 0 1 2; do
	printf 'epoch,loss,val_loss\n1,1,0.%s\n2,1,0.%s\n' $i $i >$i.csv
done
printf 'epoch,val_loss\n1,1\n2,nan\n' >3.csv
printf '%s\n' 'RuntimeError: CUDA out of memory' >4.log
"$fixture" store <<-EOD || exit 99
	job|net|lr=1e-3,x|act=true|layers:=[[1,2]]|epochs=2|\
	seed=1..3|state=a
	set|description=Three layers
	chunk|0-5|41
	task|0|FINISHED|node=g3|start=-90|end=-40|array=41|exit=0|gpus=0,1|\
	memory=1610612736|cpu=4300
	task|0|FINISHED|usage=time=50 gpus=2 gpu=80 gpu_memory=99 idle=9
	task|1|RUNNING|usage=time=50 gpus=1 cpu=2 cpus=4 memory=20 still=900
	read|0|0.csv
	task|1|RUNNING|start=-1000|pace=60 60|epoch_time=-10|limit=1200|array=41
	read|1|1.csv
	task|2|STOPPED|signal=15|start=-90|end=-40|array=41
	read|2|2.csv
	task|3|RUNNING|start=-100|array=41|attempt=1|restart=2
	read|3|3.csv
	task|4|ERROR|cause=exit 1|start=-90|end=-45|exit=1|log=$PWD/4.log
	task|5|SUBMITTED|cause=(Priority)|array=41
	fold|asked=-1|trouble=no answer
	end
	job|bare|x=1
	task|0|SUBMITTED
	end
	job|found|x=1,2
	set|pruner=asha,eta=3,first=3|sampler=tpe|search_epochs=9|goal=max
	task|0|FINISHED|rungs=3=0.5@0.0|point=0.0 1
	task|1|STOPPED|cause=pruned at epoch 3: 0.4 is 2nd of 3, only the \
	best continues (0.5 or better)|rungs=3=0.4@0.0|point=0.0 2
	end
	job|bands|x=1..9
	set|pruner=hyperband,eta=3,first=1|search_epochs=9|goal=max
	end
EOD
ok "the job has tags" stfm-set -Q net --tag paper,2026
look() {
	stfm-status --no-refresh "$@" 2>/dev/null
}
params='lr act layers param_epochs seed param_state'
look -o json net >net.json
# shellcheck disable=SC2086 # words
valid "tasks" status-tasks $params <net.json
look -o jsonl net >net.jsonl
# shellcheck disable=SC2086
valid "tasks, one a line" status-tasks $params <net.jsonl
is "the lines have what the array has" "$(jq -c '.[]' net.json)" \
	"$(jq -c . net.jsonl)"
valid "a task of which nothing is known" status-tasks x <<-EOD
	$(look -o jsonl bare)
EOD
look -o json found >found.json
valid "tasks of a search" status-tasks x <found.json
is "say what the search did" '[3,null,"tpe"] [3,3,"tpe"]' "$(jq -c \
	'.[] | [.rung, .pruned, .sampler]' found.json | paste -sd ' ' -)"
look -o json bands >bands.json
valid "tasks of hyperband" status-tasks x <bands.json
is "say their bracket" true "$(jq 'all(.[].bracket; . >= 0 and . < 3) and
	([.[].bracket] | unique | length) > 1' bands.json)"
is "each key has a value in some task" "account qos" \
	"$(jq -s add net.json found.json bands.json |
		schema seen "$schemas/status-tasks.json" | paste -sd ' ' -)"
is "hyperparameters are what they are in JSON" \
	'[0.001,true,[1,2],2,1,"a"] ["x",true,[1,2],2,1,"a"]' \
	"$(jq -c '.[0, 3] | [.lr, .act, .layers, .param_epochs, .seed,
		.param_state]' net.json | paste -sd ' ' -)"
is "spelt as typed" '"lr": 1e-3, "act": true, "layers": [1,2]' \
	"$(head -n 1 net.jsonl | grep -o '"lr": .*\]')"
stfm-status --no-refresh -f -i 1 -o jsonl net >changes.json 2>/dev/null &
at_exit "kill $! 2>&-"
has_six() {
	[ "$(wc -l <changes.json)" -eq 6 ]
}
ok "-f begins with each task" poll 10 has_six
# shellcheck disable=SC2086
valid "in the same form" status-tasks $params <changes.json
look -o json >jobs.json
valid "jobs" status-jobs <jobs.json
is "each key has a value in some job, but whose it is" "user" \
	"$(schema seen "$schemas/status-jobs.json" <jobs.json)"
# shellcheck disable=SC2086
valid "means" status-by $params <<-EOD
	$(look --by seed -o jsonl net)
EOD
# shellcheck disable=SC2086
valid "tasks with a second metric" status-tasks $params loss <<-EOD
	$(look -m val_loss,loss -o json net)
EOD
is "-c chooses keys" '["id","seed"]' \
	"$(look -c id,seed -o json net | jq -c '.[0] | keys_unsorted')"
valid "a comparison" status-compare <<-EOD
	$(look --compare -o json net bare)
EOD
valid "costs" status-cost <<-EOD
	$(look --cost -o json)
EOD
valid "failures" status-errors <<-EOD
	$(look -e -o json net)
EOD
valid "pending tasks" status-why <<-EOD
	$(look --why -o json net bare)
EOD
valid "submissions" status-record <<-EOD
	$(look --record -o json net bare)
EOD

# ---- files of tasks ----

mkdir -p store/jobs/net/checkpoint/000000
for i in 1 2; do
	echo >store/jobs/net/checkpoint/000000/epoch=$i.ckpt
done
for options in '' '-l' '--keep-last=1 --dry-run' \
	'-l --keep-best=1 --dry-run'; do
	# shellcheck disable=SC2086
	valid "checkpoints $options" checkpoints <<-EOD
		$(stfm-checkpoints -o jsonl $options net 2>/dev/null)
	EOD
done
: >store/jobs/net/checkpoint/000000/events.out.tfevents.1.host
valid "event files" tensorboard <<-EOD
	$(stfm-tensorboard -o json net 2>/dev/null)
EOD

# ---- points, variables, defaults ----

valid "points" expand lr m note <<-EOD
	$(stfm-expand -o jsonl lr=0.1,auto m=1 --when m:lr=0.1 \
		note:='[[1],true]')
EOD
export SLURM_JOB_ID=7 SLURM_JOB_NODELIST=localhost SLURM_NTASKS=3 SLURM_NNODES=1
for framework in torch tensorflow tensorflow,ps=1 horovod,gloo mxnet jax; do
	valid "variables of $framework" dist <<-EOD
		$(SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 \
			SLURM_TASKS_PER_NODE=3 SLURM_STEP_NODELIST=localhost \
			SLURM_STEP_TASKS_PER_NODE=3 SLURM_STEP_NUM_TASKS=3 \
			SLURM_STEP_ID=0 stfm-dist -o json $framework)
	EOD
done
mkdir .stfm && echo '{"submit": {"epochs": 10, "canary": false}}' \
	>.stfm/config.json
valid "defaults" check-config <<-EOD
	$(stfm-check --config -v -o json)
EOD

done_testing
