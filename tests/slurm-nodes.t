#!/bin/sh
# stfm-nodes on a private Slurm, asked through its library and its commands.

# shellcheck disable=SC2016,SC2317 # what other shells run, functions of ok
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

sandbox=$tap_dir/slurm
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
stfm-sandbox start -Q -N 4 -g 2 -c 4 -o 'PartitionName=night Nodes=n[3-4]' \
	-d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"

# ---- nodes ----

# Two of these are mine, and one node is not to be used.
salloc -Q --no-shell -J held -w n1,n2 -N 2 --gres=gpu:1 2>salloc.err || exit 99
scontrol update NodeName=n4 State=DRAIN Reason='new fans; State=UP' || exit 99
# slurmctld counts what is used of a node once a second.
is_counted() {
	stfm-nodes -o tsv | awk -F '\t' '$2 == "mixed" && $9 == 1' |
		wc -l | grep -qx 2
}
ok "what is in use is told" poll 10 is_counted
stfm-nodes -o json >library
STFM_SLURM=text stfm-nodes -o json >commands
is "both ways to ask tell the same" "$(cat library)" "$(cat commands)"
is "of each node" '["n1","mixed",true,2,1,1,1,"main,short",null]
["n2","mixed",true,2,1,1,1,"main,short",null]
["n3","idle",true,2,2,0,0,"main,short,night",null]
["n4","drained",false,2,0,0,0,"main,short,night","new fans; State=UP"]' \
	"$(jq -c '.[] | [.node, .state, .usable, .gpus, .gpus_free,
		.gpus_mine, .cpus_mine, .partitions, .reason]' <library)"
is "for people those that are alike are one line" \
	"n[1-2] 2 mixed 2/4 2 GPUs 6/8" \
	"$(stfm-nodes n1 n2 |
		awk 'NR == 2 { print $1, $2, $3, $4, $5, $6, $7 }')"
is "unless all are asked for" 2 "$(stfm-nodes -l n1,n2 | grep -c '^n[12] ')"
is "a partition means its nodes" "n3 n4" \
	"$(stfm-nodes -o tsv night | sed 1d | cut -f 1 | xargs)"
refused "a node that is not there is named" \
	"n9: no such node or partition" stfm-nodes n9
COLUMNS=60 stfm-nodes >narrow
is "a narrow table is kept to" "" \
	"$(grep -v ' nodes, ' narrow | grep -E '.{61}')"
stfm-nodes --color=always --charset=ascii n4 >coloured
like "trouble is red" '.\[31mdrained' "$(cat coloured)"

# ---- partitions ----

scontrol update PartitionName=night MaxTime=2:00:00 DefaultTime=30 \
	MaxNodes=1 AllowAccounts=ml State=DRAIN || exit 99
valid "nodes are as stfm-json(5) has them" nodes <library
stfm-nodes -p -o json >library
STFM_SLURM=text stfm-nodes -p -o json >commands
is "both ways tell the same of partitions" "$(cat library)" "$(cat commands)"
is "their limits" \
	'["main",true,"UP",4,3,null,null,null]
["short",false,"UP",4,3,600,null,null]
["night",false,"DRAIN",2,1,7200,1,"accounts ml"]' \
	"$(jq -c '.[] | [.partition, .default, .state, .nodes, .nodes_up,
		.time_limit, .nodes_per_job_max, .allowed]' <library)"
refused "a partition that is not there is named" \
	"nihgt: no such partition: did you mean night?" stfm-nodes -p nihgt

# ---- the calendar ----

# A job of mine holds GPUs for ever, one is expected on n2, n3 is reserved.
sbatch -Q -o /dev/null -w n3 --gres=gpu:2 -t 60 --wrap 'sleep 600' || exit 99
sbatch -Q -o /dev/null -J later -w n3 --gres=gpu:2 -t 120 --wrap true ||
	exit 99
scontrol -Q create reservation ReservationName=lesson StartTime=now+20hours \
	Duration=600 Nodes=n3 Users="$(id -un)" >reserved || exit 99
is_expected() {
	stfm-nodes --calendar -o tsv | cut -f 2 | grep -qx expected
}
ok "Slurm expects a start" poll 60 is_expected
valid "so are partitions" nodes-partitions <library
stfm-nodes --calendar=3 -o json >library
STFM_SLURM=text stfm-nodes --calendar=3 -o json >commands
# Slurm may just have thought again of what it expects.
settled() {
	jq -c '.[] | if .use == "expected" then del(.from, .to) else . end' "$1"
}
is "both ways tell the same of who has what" "$(settled library)" \
	"$(settled commands)"
is "jobs, reservations and trouble" \
	'["n1","running",true,"held",1,1]
["n2","running",true,"held",1,1]
["n3","running",true,"wrap",2,1]
["n3","expected",true,"later",2,1]
["n3","reserved",true,"lesson",0,4]
["n4","down",false,"new fans; State=UP",0,0]' \
	"$(jq -c '.[] | [.node, .use, .mine, .name, .gpus, .cpus]' <library)"
valid "so is the calendar" nodes-calendar <library
COLUMNS=70 stfm-nodes --calendar=2 --charset=ascii >drawn
is "it is drawn, with mine marked" "n[1-2] 1 GPU
1 GPU
n3 2 GPUs
n4 2 GPUs" "$(grep -E '[MmVx.]{20}$' drawn | sed 's/ *[MmVRox.#]*$//; s/^ *//' |
		tr -s ' ')"
like "n3 is mine now, then, and when it is reserved" \
	'^n3 +2 GPUs +M+m+\.+V+\.+$' "$(cat drawn)"
is "no row is too wide" "" "$(grep -E '.{71}' drawn)"
like "a reservation has its name, owner, nodes and times below" \
	"^lesson reserved for $(id -un) on n3, from 20[-0-9 :]+ to 20" \
	"$(COLUMNS=100 stfm-nodes --calendar=2 --charset=ascii)"
refused "days may be a word of their own" "n9: no such node" \
	stfm-nodes --calendar 2 n9
refused "days are a number" "--calendar: " stfm-nodes --calendar=soon
refused "also as a word" "--calendar: 400" stfm-nodes --calendar 400
refused "of at least one" "--calendar: " stfm-nodes --calendar=0

# ---- accounts ----

status "without accounting there are no accounts" 1 stfm-nodes --accounts
like "which is said" "no accounting database here" \
	"$(stfm-nodes --accounts 2>&1)"

# ---- reservations ----

me=$(id -un)
is "what would be done is shown" \
	"scontrol create reservation StartTime=now Duration=90 Users=$me \
Nodes=n1" "$(stfm-nodes --reserve n1 --for 90 --dry-run)"
is "and not done" lesson \
	"$(scontrol -o show reservation |
		sed 's/^ReservationName=\([^ ]*\) .*/\1/')"
stfm-nodes --reserve n3:2 --from now+3days --for 2:00:00 >reserved
name=$(sed -n 's/: reserved; use it with .*//p' reserved)
ok "a reservation is made" test -n "$name"
like "it is for me, on that node, as long" \
	"Duration=02:00:00 Nodes=n3 .* Users=$me " \
	"$(scontrol -o show reservation "$name")"
is "both ways complete it" "$name" \
	"$("$(dirname "$bin")/libexec/stfm-complete" reservations \
		"${name%?}" stfm-nodes | cut -f 1)"
refused "a node has one at a time" "Slurm refuses the reservation: Req" \
	stfm-nodes --reserve n3 --from now+3days --for 60
like "with the one that is there" \
	"^stfm-nodes: n3: reserved as $name for $me, from 20.* to 20" \
	"$(stfm-nodes --reserve n3 --from now+3days --for 60 2>&1)"
like "or the job" "^stfm-nodes: n1: job [0-9]+ of $me runs there without a" \
	"$(stfm-nodes --reserve n1 --from now+3days --for 60 2>&1)"
refused "nor one while a job of others runs there" \
	"Slurm refuses the reservation: Requested nodes are busy" \
	stfm-nodes --reserve n1 --from now+3days --for 60
refused "a node has to be there" "n9: no such node" \
	stfm-nodes --reserve n9 --for 60
sbatch -Q --reservation="$name" -o /dev/null --wrap true || exit 99
refused "one with a job that waits for it stays" "Slurm does not end the \
reservation: Requested reservation is in use: see squeue -R $name" \
	stfm-nodes --release "$name"
scancel --reservation="$name"
nobody_waits() {
	[ -z "$(squeue -h -R "$name")" ]
}
ok "until that is cancelled" poll 20 nobody_waits
is "it is released" "$name: released" "$(stfm-nodes --release "$name")"
refused "and is there no more" "$name: no such reservation" \
	stfm-nodes --release "$name"
mkdir killed
cat >killed/scontrol <<'END'
#!/bin/sh
PATH=${PATH#*:} scontrol "$@" >told
kill -KILL $$
END
chmod +x killed/scontrol
status "an answer that is lost is no refusal" 75 \
	env PATH="$PWD/killed:$PATH" \
	stfm-nodes --reserve n3 --from now+3days --for 60
like "it says where to look" "may have been done all the same" \
	"$(cat "$tap_dir/out")"
ok "as it was done" grep -q created: told
status "neither is that of a release" 75 env PATH="$PWD/killed:$PATH" \
	stfm-nodes --release "$(sed -n 's/.*created: //p' told)"
scontrol create reservation ReservationName=theirs StartTime=now+9days \
	Duration=60 Nodes=n3 Users=daemon >reserved || exit 99
refused "what is for others is not touched" \
	"theirs: is not yours, it is for daemon" stfm-nodes --release theirs

# ---- somebody else ----

# Only root can be another one, who may not make reservations.
as_other() {
	HOME=/ setpriv --reuid=1 --regid=1 --clear-groups "$@"
}
if [ "$(id -u)" -eq 0 ] && chmod 711 "$tap_dir" &&
	as_other stfm-nodes --version >other 2>&1; then
	status "who may not reserve is told so" 1 \
		as_other stfm-nodes --reserve n3 --from now+5days --for 60
	as_other stfm-nodes --reserve n3 --from tomorrow --for 60 >out 2>err
	is "with the line for the administrator" "scontrol create \
reservation StartTime=tomorrow Duration=60 Users=$(id -nu 1) Nodes=n3" \
		"$(cat out)"
	like "and what to do with it" "ask its administrator to run" \
		"$(cat err)"
	is "the jobs of others are theirs" "0
0
0
0" "$(as_other stfm-nodes -o tsv | sed 1d | cut -f 10)"
	as_other stfm-nodes --calendar=2 --charset=ascii n1 >drawn
	like "and are in use in the calendar" '1 GPU  *#+$' "$(cat drawn)"
else
	skip "somebody else" "only root can be another user"
fi

# ---- completion ----

complete=$(dirname "$bin")/libexec/stfm-complete
is "nodes and partitions are completed" "n3 n4 night" \
	"$("$complete" nodes n stfm-nodes | cut -f 1 | grep -v 'n[12]' |
		sort | xargs)"

# ---- processes ----

# The stand-in for nvidia-smi shows one GPU of each node, with these on it.
mkdir smi
cp "$top/tests/data/nvidia-smi" smi/
export GPU_PIDS="$PWD/pids"
path=$PATH
PATH=$PWD/smi:$PATH
: >pids
is "GPUs without processes" "no processes on the GPUs" \
	"$(stfm-nodes --processes n3 2>err)"
is "GPUs that cannot be seen are told" \
	"stfm-nodes: n3: 1 of 2 GPUs is to be seen from jobs of mine" \
	"$(cat err)"
status "without jobs nobody may look" 2 stfm-nodes --processes n4
like "which is said" "n4: no job of mine runs there" "$(cat "$tap_dir/out")"

there=$(scontrol listpids '*' n3 | awk '$3 == "batch" { print $1; exit }')
sleep 600 &
outside=$!
at_exit 'kill "$outside"'
printf '%s 11469\n' "$there" "$outside" 99999999 >pids
status "a process outside any job is a violation" 1 stfm-nodes --processes n3
me=$(id -un)
used=$((11469 * 1024 * 1024))
is "and nothing else is" \
	"[\"n3\",0,$there,\"$me\",\"$(squeue -h -n wrap -o %A)\",$used,false]
[\"n3\",0,$outside,\"$me\",null,$used,true]
[\"n3\",0,99999999,null,null,$used,null]" \
	"$(stfm-nodes --processes -o json n3 2>err |
		jq -c '.[] | [.node, .gpu, .pid, .user, .slurm_id, .gpu_memory,
			.violation]')"
is "both ways to ask tell the same" \
	"$(stfm-nodes --processes -o json n3 2>&1)" \
	"$(STFM_SLURM=text stfm-nodes --processes -o json n3 2>&1)"
COLUMNS=60 stfm-nodes --processes n3 >drawn 2>err
like "for people it is marked" \
	"^n3 +0 +$outside +$me +none +11.2G +sleep 600 +VIOLATION\$" \
	"$(cat drawn)"
like "what nobody knows is not" "^n3 +0 +99999999 +unknown +11.2G *\$" \
	"$(cat drawn)"
stfm-nodes --processes --hook 'cat >>told' n3 >out 2>&1
is "a command is told of each" \
	"[\"violation\",\"n3\",0,$outside,\"$me\",$used]" \
	"$(jq -c '[.event, .node, .gpu, .pid, .user, .gpu_memory]' told)"
valid "as stfm-json(5) has it" event-violation <told
stfm-nodes --processes -o json n3 >processes 2>err
valid "so are all processes" nodes-processes <processes
status "one that fails changes nothing" 1 \
	stfm-nodes --processes --hook 'exit 3' n3
like "and is told" "--hook: the command ended with status 3" \
	"$(cat "$tap_dir/out")"
is "all nodes where I am, and no other" "n1 n2 n3" \
	"$(stfm-nodes --processes -o tsv 2>err | sed 1d | cut -f 1 | sort -u |
		xargs)"
printf '%s\n' "$there" >pids
status "without violations all is well" 0 stfm-nodes --processes n3

# Jobs on GPUs that Slurm has not given to them: the first one has GPU 0 of n4,
# the second one GPU 1 and the third one none.
scontrol update NodeName=n4 State=RESUME || exit 99
for gpus in 1 1 0; do
	sbatch --parsable -w n4 -J wrong --gres=gpu:$gpus -o /dev/null \
		--wrap 'sleep 600' >>wrong.ids || exit 99
	poll 20 sh -c '[ "$(squeue -h -t R -n wrong | wc -l)" = \
		"$(wc -l <wrong.ids)" ]' || exit 99
done
pids_of_wrong() {
	while read -r id; do
		scontrol listpids "$id" n4 |
			awk '$3 == "batch" { print $1; exit }'
	done <wrong.ids >wrong.pids
	[ "$(wc -l <wrong.pids)" = 3 ]
}
judged() {
	GPUS=2 stfm-nodes --processes -o json n4 2>err |
		jq -r '.[] | "\(.pid) \(.gpu) \(.violation)"' |
		sed "s/^$first /first /; s/^$second /second /
			s/^$third /third /" | sort | xargs
}
# What began while the node was looked at is not accused.
has_run() {
	! squeue -h -n wrong -o %M | grep -q '^0:0[0-4]$'
}
poll 20 has_run || exit 99
# Only now: a process of the first moments may be gone.
poll 20 pids_of_wrong || exit 99
{ read -r first && read -r second && read -r third; } <wrong.pids
printf '%s 10 %s\n' "$first" 0 "$second" 1 "$third" 0 >pids
is "a job without a GPU is a violation on any" \
	"first 0 false second 1 false third 0 true" "$(judged)"
printf '%s 10 %s\n' "$first" 0 "$first" 1 "$second" 0 >pids
is "and so is one on a GPU of another" \
	"first 0 false first 1 true second 0 true" "$(judged)"
GPUS=2 COLUMNS=70 stfm-nodes --processes n4 >drawn 2>err
like "its job is shown" \
	"^n4 +0 +$second +$me +$(sed -n 2p wrong.ids) .* VIOLATION\$" \
	"$(cat drawn)"
export MINOR=1
is "unless the driver counts them in another order" \
	"first 0 false first 1 false second 0 false" "$(judged)"
unset MINOR
printf '%s 10 0\n' "$second" "$third" >pids
GPUS=1 stfm-nodes --processes -o json n4 2>err >out
is "or not all of them are to be seen" "false false" \
	"$(jq -r '.[] | .violation' <out | xargs)"
printf '%s\n' "$there" >pids

cat >smi/nvidia-smi <<'END'
#!/bin/sh
[ "$SLURMD_NODENAME" = n3 ] && exec sleep 100
exec "$DATA/nvidia-smi" "$@"
END
DATA=$top/tests/data status "a node that hangs is not waited for" 75 \
	stfm-nodes --processes n2 n3
like "but named" "n3: nvidia-smi does not work" "$(cat "$tap_dir/out")"
like "and the others are shown" "^n2 +0 +$there " "$(cat "$tap_dir/out")"
PATH=$path
command -v nvidia-smi >/dev/null || {
	status "a node without nvidia-smi is not seen" 75 \
		stfm-nodes --processes n3
	like "which is said" "n3: there is no nvidia-smi" \
		"$(cat "$tap_dir/out")"
}

# ---- no answer ----

stop_ctld() {
	kill -STOP "$(cat "$sandbox/run/slurmctld.pid")"
}
at_exit 'kill -CONT "$(cat "$sandbox/run/slurmctld.pid")"'
ok "slurmctld hangs" stop_ctld
STFM_SLURM_TIMEOUT=1 status "it is not waited for" 75 stfm-nodes
STFM_SLURM=text STFM_SLURM_TIMEOUT=1 status "nor by the commands" 75 stfm-nodes

done_testing
