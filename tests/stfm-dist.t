#!/bin/sh
# stfm-dist with the variables of Slurm but without a Slurm: what it prints and
# refuses.  tests/slurm-dist.t runs it in real steps.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

refused "a framework is needed" "usage: stfm-dist" stfm-dist
refused "one it knows" "pytorch: no such framework (did you mean torch?)" \
	stfm-dist pytorch
refused "or one of these" "caffe: no such framework (tensorflow, torch, " \
	stfm-dist caffe
refused "a form it knows" "-o xml: choose sh, csh, json or env" \
	stfm-dist -o xml torch
refused "options that the framework has" "ps: torch has no such thing" \
	stfm-dist torch --ps 1
refused "one value an option" "--ps: '1,chief' cannot be read" \
	stfm-dist tensorflow --ps 1,chief
refused "a job of Slurm around it" \
	"SLURM_JOB_NODELIST: not set: this runs inside a job of Slurm" \
	stfm-dist torch

# ---- a step, on nodes whose names resolve ----

export SLURM_JOB_ID=17 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3
export SLURM_STEP_NODELIST=localhost,127.0.0.1 SLURM_STEP_TASKS_PER_NODE=2,1
export SLURM_DISTRIBUTION=block SLURM_PROCID=1 SLURM_NODEID=0 SLURM_LOCALID=1
# Nobody has to be asked for what the environment says.
export SLURM_CONF=/nonexistent/slurm.conf

(
	eval "$(stfm-dist torch)" && env | sort | grep -E '^(MASTER|RANK|WORLD)'
) >eval.out
is "eval sets what it prints" "MASTER_ADDR=localhost
MASTER_PORT=10051
RANK=1
WORLD_SIZE=3" "$(cat eval.out)"

(
	eval "$(stfm-dist tensorflow --ps 1)" && printf '%s\n' "$TF_CONFIG"
) >eval.out
is "quotes and braces come through" \
	'{"cluster":{"chief":["localhost:10068"],"worker":["localhost:10069"]' \
	"$(cut -c 1-68 eval.out)"
is "TF_CONFIG is JSON" 3 \
	"$(jq '[.cluster[][]] | length' <eval.out)"
is "and so is -o json, with it as text" worker \
	"$(stfm-dist tensorflow,ps=1 -o json | jq -r .TF_CONFIG |
		jq -r .task.type)"
is "-o env has no quotes" "$(cat eval.out)" \
	"$(stfm-dist -o env tensorflow --ps=1 | sed -n 's/^TF_CONFIG=//p')"
is "-o csh is for setenv" "setenv MASTER_ADDR 'localhost';" \
	"$(stfm-dist torch -o csh | head -n 1)"
is "a command gets the variables and its own words" "1/3 --lr=0.1 a b" \
	"$(stfm-dist torch -- sh -c 'echo "$RANK/$WORLD_SIZE $*"' sh --lr=0.1 \
		"a b")"
status "and its exit status is ours" 7 stfm-dist jax -- sh -c 'exit 7'
status "a command that is not there is 127" 127 stfm-dist jax -- nosuch-command
refused "more roles than tasks are refused" \
	"3 tasks: too few for a chief, 2 ps and a worker: give it 4 or more" \
	stfm-dist tensorflow --ps 2 -- true
refused "so is a heterogeneous job" "SLURM_HET_SIZE=2: this is a het" \
	env SLURM_HET_SIZE=2 stfm-dist torch -- true
refused "and a place that cannot be" "SLURM_PROCID=1: this task is on node 1" \
	env SLURM_NODEID=1 SLURM_LOCALID=0 stfm-dist torch -- true

# ---- addresses of nodes whose names do not resolve ----

nowhere='nowhere[1-2].invalid'
aliases='nowhere1.invalid:192.0.2.7:h1,nowhere2.invalid:[2001:db8::7]:h2'
is "nodes of a cloud are in the environment" "192.0.2.7" \
	"$(SLURM_STEP_NODELIST=$nowhere SLURM_NODE_ALIASES=$aliases \
		stfm-dist -o json torch | jq -r .MASTER_ADDR)"
is "with IPv6 in brackets" "[2001:db8::7]:10053" \
	"$(SLURM_STEP_NODELIST=$nowhere SLURM_NODE_ALIASES=$aliases \
		stfm-dist -o json tensorflow | jq -r .TF_CONFIG |
		jq -r '.cluster.worker[2]')"
# Slurm does not know them, and there is no Slurm to ask.
unset SLURM_CONF
mkdir empty && cp "$(command -v getent)" empty || exit 99
SLURM_STEP_NODELIST=$nowhere PATH=$PWD/empty "$bin/stfm-dist" -o env torch \
	>out 2>err
is "otherwise the name stays" "MASTER_ADDR=nowhere1.invalid" \
	"$(head -n 1 out)"
like "with a warning" "nowhere1.invalid: this name does not resolve here" \
	"$(cat err)"

# ---- a port that is taken ----

cat >listen.py <<'END'
import socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
for port in range(12000, 19000):
    try:
        s.bind(("", port))
        break
    except OSError:
        pass
s.listen()
print(port, flush=True)
sys.stdin.read()
END
mkfifo hold
python3 listen.py <hold >port &
exec 9>hold
at_exit 'exec 9>&-'
ok "a program listens" poll 20 test -s port
port=$(cat port)
refused "its port is not given to another" \
	"port $port on localhost: another program has it: choose others with" \
	env SLURM_PROCID=0 SLURM_LOCALID=0 stfm-dist -o env torch --port "$port"
ok "who does not listen does not mind" stfm-dist torch --port "$port"
refused "of TensorFlow each task listens" "port $port on localhost" \
	stfm-dist -o env tensorflow --port "$((port - 1))"

# ---- a batch script ----

unset SLURM_STEP_ID SLURM_STEP_NODELIST SLURM_STEP_TASKS_PER_NODE \
	SLURM_STEP_NUM_TASKS SLURM_DISTRIBUTION
export SLURM_JOB_NODELIST=localhost,127.0.0.1 SLURM_TASKS_PER_NODE=2,1
export SLURM_NTASKS=3 SLURM_PROCID=0 SLURM_NODEID=0 SLURM_LOCALID=0
is "what all have in common is printed there" \
	"MASTER_ADDR MASTER_PORT WORLD_SIZE STFM_DIST SLURM_TASK_PROLOG " \
	"$(stfm-dist -o env torch | cut -d = -f 1 | tr '\n' ' ')"
refused "the training is none of its tasks" \
	"3 tasks, and none of them: srun stfm-dist torch -- python" \
	stfm-dist torch -- python train.py
like "parameter servers would stay, it says" \
	"servers stay .* srun stfm-dist tensorflow,ps=1 -- COMMAND" \
	"$(stfm-dist tensorflow --ps 1 2>&1 >out)"
is "of those that end by themselves it does not" "" \
	"$(stfm-dist tensorflow 2>&1 >out)"
# Without its variables each task would train by itself.
for options in "--ps 7" "--sp 1"; do
	is "a script ends where $options cannot be" "2 " "$(
		sh -c "eval \"\$(stfm-dist tensorflow $options 2>/dev/null)\"
			echo trains" && echo 0 || printf '%s ' $?
	)"
done
is "a shell at a terminal does not" "1" \
	"$(printf '%s\n' 'eval "$(stfm-dist tensorflow --ps 7)"; echo $?' |
		sh -i 2>/dev/null)"
is "who types it at a terminal is shown what is wrong alone" "2
0" \
	"$(script -qec 'stfm-dist --sp 1; echo $?' "$tap_dir/typed" |
		tr -d '\r' >typed; tail -n 1 typed; grep -c 'case' typed)"
is "nor is it put where another form is wanted" "" \
	"$(for form in -o --out; do
		stfm-dist --sp 1 "$form" json torch 2>/dev/null
		stfm-dist --sp 1 "$form=csh" torch 2>/dev/null
	done)"
like "but where it is that of sh" "exit 2" \
	"$(stfm-dist --sp 1 -o sh torch 2>/dev/null)"
SLURM_TASK_PROLOG=/bin/true stfm-dist -o env torch >out 2>err
is "a prolog of the user's own stays" "" "$(grep PROLOG out)"
like "and what to do then is said" "SLURM_TASK_PROLOG is set: start the" \
	"$(cat err)"

done_testing
