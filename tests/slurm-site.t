#!/bin/sh
# Sites that set up Slurm in their own way: without job arrays, with plugins
# that refuse jobs, with parts of GPUs, or with nodes that they hide.
. "$(dirname "$0")/tap.sh"

site="$tap_dir/site"
at_exit 'stfm-sandbox stop -Q -d "$site"'
begin_site() {
	stfm-sandbox stop -Q -d "$site" 2>/dev/null
	stfm-sandbox start -Q -N 1 -d "$site" "$@" || exit 99
	eval "$(stfm-sandbox env -d "$site")"
}
# Start Slurm again, after changes to its files.
change_site() {
	crash "$(cat "$site/run/slurmctld.pid")" "$(cat "$site/run/n1.pid")"
	stfm-sandbox start -Q -d "$site" || exit 99
}

export OUT="$tap_dir/out.d"
mkdir "$OUT"
cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$OUT/trained"
END
chmod +x train.sh
submit() {
	stfm-submit --gres=none --args=none "$@"
}
trained() {
	grep -c "^$1 " "$OUT/trained"
}

## A Slurm without job arrays, and one with arrays of one task

# It has some tasks queued before it is set up like this.
export STFM_DIR="$tap_dir/store.arrays"
begin_site -g 0 -o MaxArraySize=100
submit -Q -J cut --hold i=1..150 -- ./train.sh
is "a job is cut at MaxArraySize" "100 50" \
	"$(squeue -h -r -n cut -o %F | sort | uniq -c | awk '{ print $1 }' |
		xargs)"
stfm-stop -Q cut
submit -Q -J moved --hold i=1..3 -- ./train.sh
stfm-stop -Q moved
submit -Q -J lead --hold --requeue=2 -t 10 --signal-before 60 i=1 -- true
submit -Q -J late --after lead i=1,2 -- true
stfm-stop -Q lead
begin_site -g 0 -o MaxArraySize=0
refused "where Slurm takes no arrays nothing is submitted" \
	"this cluster takes no job arrays" submit -J none i=1..3 -- ./train.sh
status "and nothing is stored" 1 test -e "$STFM_DIR/jobs/none"
like "stfm-check says so" "no job arrays.*MaxArraySize is 0" \
	"$(stfm-check 2>&1 | tr -s "[:space:]" " ")"
status "what was stored before is not queued again" 2 \
	stfm-restart -Q moved
like "for the same reason" "no job arrays, as MaxArraySize is 0" \
	"$(stfm-restart moved 2>&1 | tr -s "[:space:]" " ")"
like "what a watcher was to queue is refused" \
	"late: Slurm refuses: it takes no job arrays" \
	"$(stfm-watch --once -Q late 2>&1)"
says_why() {
	stfm-watch --once -Q late
	stfm-status --why late 2>&1 | tr -s "[:space:]" " " |
		grep -q "Slurm refuses: .*no job arrays"
}
ok "which --why says" poll 20 says_why
is "and not that it will be queued in parts" "" \
	"$(stfm-status --why late 2>&1 | grep 'in parts')"
begin_site -g 0 -o MaxArraySize=1
ok "arrays of one task are enough" submit -Q -J ones i=1..3 -- ./train.sh
ok "for all tasks" stfm-watch -Q -i 1 ones
is "each in an array of its own" "3 3" \
	"$(ls "$STFM_DIR"/jobs/ones/sub/*.claim | wc -l) $(trained ones)"
is "and stfm-check is content" "" "$(stfm-check 2>&1 | grep 'no job arrays')"

# A default that asks for no GPU, on nodes without any.
mkdir -p "$HOME/.config/stfm"
echo '{"sbatch": {"gpus-per-node": "0"}}' >"$HOME/.config/stfm/config.json"
ok "a default may say that no GPU is needed" \
	stfm-submit -Q -J nogpu --begin=now+1hour x=1 -- true
rm "$HOME/.config/stfm/config.json"

## Plugins that refuse jobs

export STFM_DIR="$tap_dir/store.plugins"
begin_site -g 0 -o "PartitionName=night Nodes=ALL State=UP"
cat >"$site/job_submit.lua" <<'END'
function slurm_job_submit(job, partitions, user)
	if job.time_limit == slurm.NO_VAL then
		slurm.log_user("this site wants a time limit")
		return slurm.ERROR
	end
	job.partition = "night"
	return slurm.SUCCESS
end
function slurm_job_modify(job, record, partitions, user)
	return slurm.SUCCESS
end
return slurm.SUCCESS
END
cat >"$site/cli_filter.lua" <<'END'
function slurm_cli_setup_defaults(options, early)
	return slurm.SUCCESS
end
function slurm_cli_pre_submit(options, component)
	if options["account"] == nil then
		slurm.log_error("this site wants an account")
		return slurm.ERROR
	end
	return slurm.SUCCESS
end
function slurm_cli_post_submit(component, job, step)
	return slurm.SUCCESS
end
END
printf '%s\n' JobSubmitPlugins=lua CliFilterPlugins=lua >>"$site/slurm.conf"
change_site
refused "a filter of sbatch refuses a job, and says why" \
	"this site wants an account" submit -J none x=1 -- ./train.sh
refused "so does slurmctld" "this site wants a time limit" \
	submit -J none -A ml x=1 -- ./train.sh
status "nothing is stored" 1 test -e "$STFM_DIR/jobs/none"
ok "with both the job is queued" \
	submit -Q -J night -A ml -t 1 x=1,2 -- ./train.sh
is "in the partition that the plugin chose" night \
	"$(squeue -h -t all -n night -o %P | uniq)"
ok "and ends" stfm-watch -Q -i 1 night
is "after all tasks" 2 "$(trained night)"

## Parts of GPUs

export STFM_DIR="$tap_dir/store.parts"
begin_site -g 2 -c 4
sed -i 's/^GresTypes=.*/GresTypes=gpu,shard/
	/^NodeName=/s/Gres=gpu:2/Gres=gpu:1g.5gb:2,shard:4/' "$site/slurm.conf"
sed -i 's/Name=gpu/Name=gpu Type=1g.5gb/' "$site/gres.conf"
echo "NodeName=n1 Name=shard Count=4" >>"$site/gres.conf"
change_site
refused "a part that is not there is refused" "has no 2g.10gb GPU" \
	stfm-submit -J none --gres=gpu:2g.10gb:1 x=1 -- ./train.sh
ok "parts that have a type of their own are queued" \
	stfm-submit -Q -J slices --gres=gpu:1g.5gb:1 x=1,2 -- ./train.sh
ok "shards, too" stfm-submit -Q -J shards --gres=shard:1 x=1..3 -- ./train.sh
ok "all ends" stfm-watch -Q -i 1 slices shards
is "after all tasks" "2 3" "$(trained slices) $(trained shards)"
like "stfm-nodes shows them" "^n1 .* 1g.5gb 2/2 " "$(stfm-nodes)"

## Other clusters

refused "tasks are for this cluster" \
	"--clusters: only the cluster of this machine can be used" \
	submit -M other -J none x=1 -- ./train.sh
ok "whatever the environment names" \
	env SBATCH_CLUSTERS=other SLURM_CLUSTERS=other \
	stfm-submit -Q --gres=none --args=none -J here x=1 -- ./train.sh
ok "there they end" env SLURM_CLUSTERS=other stfm-watch -Q -i 1 here

## Heterogeneous jobs

printf '%s\n' '#!/bin/sh' '#SBATCH -n 1' '#SBATCH hetjob' '#SBATCH -n 1' \
	true >het.sh
chmod +x het.sh
refused "a heterogeneous job cannot be one of many tasks" \
	"line 3: a heterogeneous job cannot have an array of tasks" \
	submit -J none x=1 het.sh
het=$(sbatch --parsable -o /dev/null het.sh)
refused "one part of another one is not imported" \
	"is one part of a heterogeneous job, which is imported by its first" \
	stfm-import --slurm $((het + 1))

## Nodes and jobs that are hidden

# Only root can be somebody else.
other() {
	HOME=/ setpriv --reuid=1 --regid=1 --clear-groups "$@"
}
if [ "$(id -u)" -ne 0 ] || ! chmod 711 "$tap_dir" ||
	! other stfm-nodes --version >version 2>&1; then
	skip "hidden nodes" "only root can be another user"
	done_testing
fi
mkdir theirs && chown 1:1 theirs && chmod 755 . || exit 99
cd theirs || exit 99

# Runs a command as somebody else, and prints what it says and its exit status
# in one line.
says() {
	{
		other "$@" 2>&1
		echo "status $?"
	} | tr -s '[:space:]' ' '
}
nodes_are="this site hides its nodes from you \(PrivateData in slurm.conf\)"

for how in library text; do
	[ "$how" = library ] || export STFM_SLURM=text
	export STFM_DIR="$PWD/store.$how"

	begin_site -g 1 -o PrivateData=nodes
	ok "who may not see the nodes submits all the same ($how)" \
		other stfm-submit -Q -J unseen --args=none x=1,2 -- true
	ok "and sees the job end" other stfm-watch -Q -i 1 unseen
	like "stfm-nodes says what is hidden" \
		"^stfm-nodes: $nodes_are: stfm-nodes -p .* status 1 $" \
		"$(says stfm-nodes)"
	like "with --calendar, too" "$nodes_are.* status 1 $" \
		"$(says stfm-nodes --calendar)"
	like "and with --processes" "$nodes_are.* status 1 $" \
		"$(says stfm-nodes --processes)"
	like "the partitions are shown" \
		"main\* UP 1 no limit short UP 1 10:00" \
		"$(says stfm-nodes -p)"
	like "and what is not known of them" \
		"$nodes_are: what is free is not known status 0 $" \
		"$(says stfm-nodes -p)"
	is "what is not known has no number" "[1,null,null,null]" \
		"$(other stfm-nodes -p -o jsonl 2>/dev/null | head -n 1 |
			jq -c '[.nodes, .nodes_up, .gpus, .cpus]')"
	ok "a reservation needs no list of nodes" \
		other stfm-nodes --reserve n1 --for 60 --dry-run
	says stfm-check >checked
	like "stfm-check goes on" "ok slurm cluster .* ok task " \
		"$(cat checked)"
	like "and says what is hidden" \
		"warn gres .*hides from you which nodes have them" \
		"$(cat checked)"

	begin_site -g 1 -o PrivateData=partitions
	like "stfm-nodes says that partitions are hidden" \
		"this site hides its partitions( and nodes)? from you" \
		"$(says stfm-nodes)"
	[ "$how" = text ] || like "and shows the nodes" \
		" n1 1 idle 1/1 .* 1 node, 1 up, .* status 0 $" \
		"$(says stfm-nodes)"

	begin_site -g 1 \
		-o PrivateData=jobs,nodes,partitions,usage,users,accounts
	ok "partitions may be hidden, too" \
		other stfm-submit -Q -J sealed --args=none x=1,2 -- true
	ok "and jobs of others" other stfm-watch -Q -i 1 sealed
	is "all tasks end" 2 \
		"$(other stfm-status -o tsv sealed | grep -c FINISHED)"
	like "stfm-check tries a task" "ok slurm cluster .* ok task " \
		"$(says stfm-check)"
	like "stfm-nodes says what is hidden" \
		"this site hides its .* status 1 $" \
		"$(says stfm-nodes)"
done

done_testing
