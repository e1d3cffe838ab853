#!/bin/sh
# Verifying a store and repairing it; no Slurm is needed.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/here/store"

# A job of three tasks, of which two have ended, with a claim and a table.
fresh() {
	rm -rf "$STFM_DIR"
	printf '%s\n' 'job|good|x=1,2,3' 'chunk|0-2|4102|c00000.0' \
		'fact|0|S|node=n1|time=-900|slurm=4102_0' \
		'fact|0|E0|exit=0|time=-800|node=n1' \
		'fact|1|S|node=n2|time=-900|slurm=4102_1' \
		'fact|1|E3|exit=3|time=-800|node=n2' end \
		'job|other|x=1' 'chunk|0|4103|c00000.0' end |
		"$fixture" "$STFM_DIR"
	stfm-watch -1 -Q
	job=$STFM_DIR/jobs/good
}

# The same with all facts packed, because all tasks are over.
fresh_pack() {
	rm -rf "$STFM_DIR"
	printf '%s\n' 'job|good|x=1,2' 'chunk|0-1|4102|c00000.0' \
		'fact|0|S|node=n1|time=-900|slurm=4102_0' \
		'fact|0|E0|exit=0|time=-800|node=n1' \
		'fact|1|S|node=n2|time=-900|slurm=4102_1' \
		'fact|1|E3|exit=3|time=-800|node=n2' end |
		"$fixture" "$STFM_DIR"
	job=$STFM_DIR/jobs/good
	find "$job/run" -type f -exec touch -d '3 minutes ago' {} +
	stfm-watch -1 -Q
}

states() {
	stfm-status --no-refresh -o tsv "$@" 2>/dev/null | cut -f 1-4
}

# Change a letter in line $2 of a file.
damage() {
	sed -i "${2:-1}s/\(.\{${3:-20}\}\)./\1#/" "$1"
}

found() {
	stfm-check --store "$@" | sed "s|^$STFM_DIR/||"
}

newest() {
	find "$job/fold" -name 'state.*' | sort -V | tail -1
}

# ---- the set-up, where there is no Slurm ----

line() {
	awk -F '\t' -v thing="$1" '$2 == thing' set-up
}
set_up() {
	rc=0
	stfm-check -o tsv >set-up 2>err || rc=$?
}
set_up
is "without Slurm nothing can be queued" 1 "$rc"
like "what to do is said" "^fail	slurm	.*SLURM_CONF=.*stfm-sandbox" \
	"$(line slurm)"
like "the store is looked at" "^(ok|warn)	store	$STFM_DIR " \
	"$(line store)"
like "so is Python" "^(ok|warn)	python	" "$(line python)"
is "nothing else fails" 1 "$(grep -c ^fail set-up)"
is "no store is made" "err set-up" "$(echo *)"
STFM_DIR=/proc/store set_up
like "a store that cannot be made" "^fail	store	/proc" "$(line store)"
mkdir -p "$STFM_DIR/jobs" && touch "$STFM_DIR/FORMAT"
set_up
like "a store that is damaged" "^fail	store	.*FORMAT" "$(line store)"
rm -r "$STFM_DIR"
mkdir empty
like "no sbatch" "^fail	slurm	.*there is no program sbatch" \
	"$(env -u SLURM_CONF PATH="$PWD/empty" "$bin/stfm-check" -o tsv |
		grep slurm)"
rmdir empty
refused "options of both" "--gpu: is about the set-up" stfm-check --gpu --store
refused "a job and sbatch's options" "-p: is about the set-up" \
	stfm-check -p gpu try
refused "a command and a job" "--: is about the set-up" \
	stfm-check try -- python3
refused "a wait that is no number" "--wait: " stfm-check --wait soon
refused "a mistyped option" "did you mean --repair?" stfm-check --repiar
refused "no option of anybody" "-Z: no such option" stfm-check -Z
refused "an array of its own" "--array: " stfm-check --array=1-3
refused "a format that is none" "-o" stfm-check -o latex

# ---- clean ----

refused "no store" "no store here" stfm-check --store
mkdir plain
refused "a directory that is none" "not a store" stfm-check -d plain
fresh
is "a sound store has nothing to say" "" "$(stfm-check --store)"
status "that is 0" 0 stfm-check --store
status "the store is named behind a =" 0 \
	env -u STFM_DIR stfm-check --store="$STFM_DIR"
status "the store is named behind a space" 0 \
	env -u STFM_DIR stfm-check --store "$STFM_DIR" good
status "the store is named with -d" 0 env -u STFM_DIR stfm-check -d store
refused "a job that is not there" "nosuch: no such job" stfm-check nosuch
fresh_pack
is "all is packed" 0 "$(find "$job/run" -type f | wc -l)"
status "packs are sound, too" 0 stfm-check --store
mkdir foreign
cp "$job"/pack/p.* foreign/
fresh_pack
cp foreign/p.* "$job/pack/"
is "lines of another job in a pack are named" \
	"$job/pack/$(ls foreign): line 1: damaged \
(it is a fact of another job)" \
	"$(stfm-check --store | grep 'line 1:')"
status "a repair cannot take them out" 1 stfm-check --repair

# ---- what is found ----

fresh
touch "$STFM_DIR/.t.1.x" "$job/run/000/.t.1.x" "$job/run/000/000002.0.0.Z"
mkdir "$STFM_DIR/jobs/.new.x"
is "what may just be written is not left over" "1 notes" \
	"$(found | grep -c ': note: ') notes"
touch -d '2 minutes ago' "$STFM_DIR/.t.1.x" "$job/run/000/.t.1.x" \
	"$STFM_DIR/jobs/.new.x"
is "what is no damage is noted" \
	"4 notes" "$(found | grep -c ': note: ') notes"
status "notes are no damage" 0 stfm-check --store
is "-Q leaves notes out" "" "$(stfm-check --store -Q)"

each() {
	fresh
	eval "$2"
	is "$1 is found" "$3" "$(found)"
	status "$1 is damage" 1 stfm-check --store
}
sum='damaged (its checksum does not fit)'
each "a damaged fact" 'damage "$job/run/000/000001.0.0.E3"' \
	"jobs/good/run/000/000001.0.0.E3: $sum"
each "a cut fact" 'truncate -s -5 "$job/run/000/000001.0.0.E3"' \
	"jobs/good/run/000/000001.0.0.E3: $sum"
each "a damaged claim" 'damage "$job/sub/c00000.0.claim" 1 8' \
	"jobs/good/sub/c00000.0.claim: $sum"
each "a damaged intent" 'damage "$job/sub/c00000.0.intent"' \
	"jobs/good/sub/c00000.0.intent: $sum"
each "a claim without an intent" 'mv "$job/sub/c00000.0.intent" away' \
	"jobs/good/sub/c00000.0.intent: not there"
each "a claim that is gone" 'rm "$job/sub/c00000.0.claim"' \
	"jobs/good/sub/c00000.0.claim: not there, but task 0 of it has started"
each "a damaged table" 'damage "$(newest)" 2' \
	"jobs/good/fold/state.2.jsonl:2: $sum"
each "a table without its end" 'truncate -s -3 "$(newest)"' \
	"jobs/good/fold/state.2.jsonl:5: cut short"
each "another batch script" 'echo exit 1 >>"$job/batch.sh"' \
	"jobs/good/batch.sh: damaged: not what was submitted"
each "a damaged job" 'damage "$job/job.json" 3' \
	"jobs/good/job.json: $sum"
each "a directory without a job" 'rm "$job/job.json"' \
	"jobs/good: no job: no job.json"
each "a job under another name" 'mv "$job" "$STFM_DIR/jobs/better"' \
	"jobs/better/job.json: the record of good, which is the name that its \
directory has to have: if it was renamed, rename it back (mv); if it is a \
copy, stfm-stop --remove better takes it away"
each "what is no job" 'touch "$STFM_DIR/jobs/@x"' \
	"jobs/@x: not the name of a job"
each "a file in place of a job" 'rm -r "$job" && touch "$job"' \
	"jobs/good/job.json: $job: cannot open: Not a directory"
each "a damaged FORMAT" 'damage "$STFM_DIR/FORMAT"' "FORMAT: $sum"
each "a fact that is gone" 'rm "$job/run/000/000001.0.0.E3"' \
	"jobs/good/fold/state.2.jsonl: good/1: the table knows its end, but \
there is no such fact"
each "a directory that a job lost" 'rmdir "$job/ctl"' \
	"jobs/good/ctl: not there"
each "a file in place of one" 'rm -r "$job/run" && touch "$job/run"' \
	"jobs/good/run: not a directory"
# The record of use of run $1, which says that it is that of run $2.
usage() {
	id=$(jq -r .id "$job/job.json")
	printf '%s\n' '# stfm usage 1 cpus=2' seconds,cpu 30,1 \
		"# run $id/$2.csv" >lines
	mkdir -p "$job/usage"
	{
		cat lines
		printf '# crc32c %s\n' "$("$top/tests/crc32c.sh" <lines)"
	} >"$job/usage/$1.csv"
}
fresh
usage 000001.0.0 000001.0.0
status "a record of use may stay there" 0 stfm-check --store
each "a record of use of another task" 'usage 000001.0.0 000000.0.0' \
	"jobs/good/usage/000001.0.0.csv: damaged \
(it is the record 000000.0.0.csv)"
each "a pipe in place of a table" \
	'mkfifo "$job/fold/state.9.jsonl"' \
	"jobs/good/fold/state.9.jsonl: not a regular file"
each "a program that is not itself" 'echo >"$STFM_DIR/libexec/x-00000000-9"' \
	"libexec/x-00000000-9: damaged: not the program of this name"

fresh
damage "$STFM_DIR/FORMAT"
like "the store itself is verified with any job" "FORMAT: damaged" \
	"$(found other)"

# ---- repair ----

fresh
damage "$job/run/000/000001.0.0.S"
damage "$job/run/000/000001.0.0.E3"
before=$(states good)
ok "damaged facts are repaired" stfm-check --repair
is "nothing is left" "" "$(stfm-check --store)"
is "the states are the same" "$before" "$(states good)"
is "the table tells where it ran" n2 \
	"$(jq -r .node "$job/run/000/000001.0.0.S")"
is "what was damaged is kept" 2 \
	"$(find "$STFM_DIR"/lost/*/jobs/good/run -type f | wc -l)"

fresh
rm -r "$job"/fold/*
cp "$STFM_DIR/jobs/good/run/000/000001.0.0.E3" ended
sed 's/"fact":"[^/]*/"fact":"0badc0de0badc0de0badc0de0badc0de/' ended \
	>"$job/run/000/000002.0.0.E0"
is "what is damaged, and not of this job, is no end" SUBMITTED \
	"$(stfm-watch -1 -Q; states good/2 | awk '/^good/ { print $4 }')"
like "nor does a repair make it one" \
	"000002.0.0.E0: moved aside: it is not the fact of this name" \
	"$(stfm-check --repair)"
is "nothing is left of what was not its own" "" "$(stfm-check --store)"

fresh
damage "$job/sub/c00000.0.claim" 1 8
like "a claim is made again" "made again for array 4102" \
	"$(stfm-check --repair)"
is "the claim is the same" 4102 "$(jq .array "$job/sub/c00000.0.claim")"
is "nothing is left of it" "" "$(stfm-check --store)"

fresh
damage "$job/run/000/000000.0.0.S"
damage "$job/run/000/000001.0.0.S"
damage "$job/sub/c00000.0.claim" 1 8
like "also when its tasks' starts are damaged" "made again for array 4102" \
	"$(stfm-check --repair)"

fresh
damage "$job/sub/c00000.0.intent"
body=$(sed '/^  "c":/,$d; s/"created": *[0-9]*/"created": 1000000000/' \
	"$job/job.json")
body=${body%,}
printf '%s,\n  "c":"%s"\n}\n' "$body" \
	"$(printf %s "$body" | "$top/tests/crc32c.sh")" >"$job/job.json"
like "an intent is made again" "intent: made again" \
	"$(stfm-check --repair)"
is "with the same tasks" 0-2 "$(jq -r .tasks "$job/sub/c00000.0.intent")"
is "and the time of the job" 1000000000 \
	"$(stat -c %Y "$job/sub/c00000.0.intent")"
is "and nothing is left" "" "$(stfm-check --store)"

fresh
rm "$job/sub/c00000.0.intent"
like "one that is gone is made again" "intent: made again" \
	"$(stfm-check --repair)"
is "with its tasks" 0-2 "$(jq -r .tasks "$job/sub/c00000.0.intent")"
is "and nothing is left of that" "" "$(stfm-check --store)"
rm "$job/sub/c00000.0.claim"
like "a claim that is gone is made again" "made again for array 4102" \
	"$(stfm-check --repair)"
is "for its array" 4102 "$(jq .array "$job/sub/c00000.0.claim")"
is "and nothing is left of it now" "" "$(stfm-check --store)"

# ---- intents of what was queued again, or cut ----

# Tasks 1, 3 and 4 of five were started again, in an array of their own.
again() {
	rm -rf "$STFM_DIR"
	printf '%s\n' 'job|good|x=1,2,3,4,5' 'chunk|0-4|4102|c00000.0' \
		'chunk|1,3-4|4110|c00001.0|1' \
		'fact|0|S|slurm=4102_0' 'fact|0|E0|exit=0' \
		'fact|2|S|slurm=4102_2' 'fact|2|E0|exit=0' \
		'fact|1|S|attempt=1|slurm=4110_0' end | "$fixture" "$STFM_DIR"
	job=$STFM_DIR/jobs/good
	stfm-watch -1 -Q
	intent=$job/sub/c00001.0.intent
}
left() {
	status "$1: it is left" 1 stfm-check --repair
	like "$1: that and what to do is said" \
		"$2.*scancel.*squeue --me -n good.*submit under another name" \
		"$(stfm-check --repair)"
}

again
before=$(states good)
damage "$intent" 1 8
ok "the intent of a restart is repaired" stfm-check --repair
is "it has its tasks and attempt" '"1,3-4" 1' \
	"$(jq -r '"\(.tasks|tojson) \(.attempt)"' "$intent")"
is "nothing else was touched: no claim, no task" "4110 $before" \
	"$(jq .array "$job/sub/c00001.0.claim") $(states good)"
is "nor is anything left" "" "$(stfm-check --store)"
stfm-watch -1 -Q
is "no task is taken for another" "$before" "$(states good)"

again
sed -i 's/"throttle":0,/&"resume":1,/' "$intent"
ok "one whose tasks go on from a checkpoint is repaired" stfm-check --repair
is "they still do" '"1,3-4" 1' \
	"$(jq -r '"\(.tasks|tojson) \(.resume)"' "$intent")"

again
rm "$intent"
left "one that is gone, whose tasks have not all begun" \
	"have not begun go on from a checkpoint"
printf '%s\n' 'of|good' 'fact|3|S|attempt=1|slurm=4110_1' \
	'fact|4|S|attempt=1|slurm=4110_2' | "$fixture" "$STFM_DIR"
ok "when they have, that does not matter" stfm-check --repair
is "which were in it is known" 1,3-4 "$(jq -r .tasks "$intent")"

# A table that was made again since does not know those that have not begun.
again
damage "$intent" 1 8
rm "$job"/fold/*
stfm-watch -1 -Q 2>err
left "where the table was lost too" "neither the table nor the tasks tell"
like "the damaged one is there as it was" '"tasks":"1,3-4"' "$(cat "$intent")"

# A later run of the last task: nobody can tell that it was in this one.
again
printf '%s\n' 'of|good' 'chunk|4|4111|c00002.0|2' \
	'fact|4|S|attempt=2|slurm=4111_0' | "$fixture" "$STFM_DIR"
stfm-watch -1 -Q
damage "$intent" 1 8
left "where a task has gone on from it" "neither the table nor the tasks tell"

again
damage "$intent" 1 8
damage "$job/sub/c00001.0.claim" 1 8
left "where its claim is damaged as well" "nothing else tells which tasks"

cut_again() {
	rm -rf "$STFM_DIR"
	printf '%s\n' 'job|good|x=1,2,3,4,5' 'chunk|0-4|4102|c00000.0' \
		'chunk|0-2,4|cut|c00001.0|1' 'chunk|0-1|4110|c00001.0a|1' \
		'chunk|2,4|4111|c00001.0b|1' end | "$fixture" "$STFM_DIR"
	job=$STFM_DIR/jobs/good
}
for name in c00001.0 c00001.0a c00001.0b; do
	for how in "damage \$intent 1 8" "rm \$intent"; do
		cut_again
		intent=$job/sub/$name.intent
		cp "$intent" sound
		eval "$how"
		ok "$name, ${how%% *}: what was cut is repaired" \
			stfm-check --repair
		is "$name, ${how%% *}: it is what it was" \
			"$(jq -c '[.tasks, .attempt, .throttle]' sound)" \
			"$(jq -c '[.tasks, .attempt, .throttle]' "$intent")"
		is "$name, ${how%% *}: nothing is left" "" \
			"$(stfm-check --store)"
	done
done

fresh
rm "$job"/run/000/*
damage "$job/sub/c00000.0.claim" 1 8
stfm-check --repair >out
like "a fact that is gone is made again from the table" \
	"^good/1: 000001.0.0.E3 made again" "$(cat out)"
is "where and when it was, too" "n2 3" \
	"$(jq -r '[.node, .exit] | join(" ")' "$job/run/000/000001.0.0.E3")"

fresh_pack
before=$(states good)
damage "$job"/pack/p.* 2
damage "$job"/pack/p.* 3
is "lines of a pack are found by number" "2
3" "$(found -Q | sed -n 's/^.*jsonl:\([0-9]*\): damaged.*/\1/p')"
is "what the table has taken in is not read again" "$before" \
	"$(stfm-watch -1 -Q; states good)"
mv "$job/fold" away-fold
like "who reads it says so" ":2: damaged" "$(stfm-watch -1 2>&1)"
like "and uses the other lines" "^good/0.*FINISHED" "$(states good)"
rm -r "$job/fold" && mv away-fold "$job/fold"
stfm-check --repair >out
is "a damaged pack is repaired" "" "$(stfm-check --store)"
is "its states are the same" "$before" "$(states good)"
rm "$job"/fold/*
stfm-watch -1 -Q
is "also without the table" "$before" "$(states good)"

fresh
before=$(states good)
damage "$(newest)" 2
ok "a damaged table is repaired" stfm-check --repair good
is "it is the same" "$before" "$(states good)"
is "nothing is left of that" "" "$(stfm-check --store)"

fresh
damage "$job/job.json" 3
stfm-check --repair >out
like "a damaged job is moved" "^jobs/good: moved aside" "$(cat out)"
is "its files are kept" 4 \
	"$(find "$STFM_DIR"/lost/*/jobs/good/run -type f | wc -l)"
is "its name is free" "" "$(stfm-check --store)"
printf '%s\n' 'job|good|x=1,2,3' end | "$fixture" "$STFM_DIR"
like "another takes it" "^good" "$(states)"

fresh
damage "$STFM_DIR/FORMAT"
refused "others refuse a store with a damaged FORMAT" "FORMAT: damaged" \
	stfm-status
ok "it is made again" stfm-check --repair
ok "and then all is well" stfm-status --no-refresh

fresh
echo exit 1 >>"$job/batch.sh"
status "what cannot be made again is left" 1 stfm-check --repair
ok "a batch script that is damaged is not run" test ! -e "$job/batch.sh"

# A job that starts the program of this release.
started() {
	rm -rf "$STFM_DIR"
	printf '%s\n' 'job|good|x=1' "starts|$bin/../libexec/stfm-run" end |
		"$fixture" "$STFM_DIR"
	job=$STFM_DIR/jobs/good
	cp "$job/batch.sh" batch
}
for what in 'echo exit 1 >>"$job/batch.sh"' 'rm "$job/batch.sh"' \
	'ln -sf /etc/passwd "$job/batch.sh"' \
	'rm "$job/batch.sh" && mkdir "$job/batch.sh"' \
	'echo >>"$(echo "$STFM_DIR"/libexec/*)"' \
	'rm "$STFM_DIR"/libexec/*'; do
	started
	eval "$what"
	status "it is damage: $what" 1 stfm-check --store
	status "it is repaired: $what" 0 stfm-check --store --repair
	status "that holds: $what" 0 stfm-check --store
	ok "the script is the same: $what" cmp -s batch "$job/batch.sh"
	ok "it can be run: $what" test -x "$job/batch.sh"
done

# What is no file where one should be.
for file in sub/c00000.0.claim sub/c00000.0.intent run/000/000001.0.0.E3; do
	for what in 'ln -s /etc/passwd' 'mkdir'; do
		fresh
		before=$(states good)
		path=$job/$file
		rm "$path"
		$what "$path"
		status "$what in place of $file is damage" 1 stfm-check --store
		status "$what is mended as $file" 0 stfm-check --store --repair
		ok "there is a file again after $what: $file" test -f "$path"
		ok "and it is none but that: $file" test ! -L "$path"
		is "all is as before $what of $file" "$before" \
			"$(states good)"
	done
done

# Facts under the names of others.
run() { echo "$job/run/000/00000$1"; }
holds='holds another fact'
none='holds no fact of this job'

witness='but the file with that name is not a fact of it'
knows="
jobs/good/fold/state.2.jsonl: good/0: the table knows its end, $witness"

# As nobody writes it, without its name.
unnamed() {
	body=$(sed 's/"fact":"[^"]*",//; s/,"c":.*//' "$1")
	crc=$(printf %s "$body" | "$top/tests/crc32c.sh")
	printf '%s,"c":"%s"}\n' "$body" "$crc" >"$1"
}
each "a renamed end" 'mv "$(run 0.0.0.E0)" "$(run 0.0.0.E7)"
	rm "$job"/fold/*' \
	"jobs/good/run/000/000000.0.0.E7: $holds, 000000.0.0.E0"
each "one without its name" 'unnamed "$(run 0.0.0.E0)"
	mv "$(run 0.0.0.E0)" "$(run 0.0.0.E7)"; rm "$job"/fold/*' \
	"jobs/good/run/000/000000.0.0.E7: $none"
each "one that does not say what it is" 'unnamed "$(run 0.0.0.E0)"' \
	"jobs/good/run/000/000000.0.0.E0: $none$knows"
each "a fact of another job" 'printf "%s\n" "of|other" \
	"fact|0|E0|exit=0|time=-800" | "$fixture" "$STFM_DIR"
	stfm-watch -1 -Q
	cp "$STFM_DIR/jobs/other/run/000/000000.0.0.E0" "$(run 0.0.0.E0)"' \
	"jobs/good/run/000/000000.0.0.E0: $none$knows"
each "one of the job that had this name before" 'cp "$(run 1.0.0.S)" old
	fresh; cp old "$(run 1.0.0.S)"' "jobs/good/run/000/000001.0.0.S: $none
jobs/good/fold/state.2.jsonl: good/1: the table knows its start, $witness"
before=$(states good)
like "it is told by who reads it" "it is a fact of another job" \
	"$(rm "$job"/fold/*; stfm-watch -1 2>&1)"
ok "that is repaired" stfm-check --repair
is "from the table" "$before" "$(states good)"
is "which leaves nothing to say" "" "$(stfm-check --store)"

# What is of another job counts for nothing, in no pass and no repair.
for name in 2.0.0.E0 0.0.0.E1 1.0.1.E0 1.1.0.S; do
	fresh
	before=$(states good)
	printf '%s\n' 'of|other' 'fact|0|E0|exit=0|time=-800' |
		"$fixture" "$STFM_DIR"
	cp "$STFM_DIR/jobs/other/run/000/000000.0.0.E0" "$(run $name)"
	stfm-watch -1 -Q 2>/dev/null
	is "a pass leaves another's fact out as $name" "$before" \
		"$(states good)"
	status "$name is moved aside" 0 stfm-check --repair
	ok "and not made again as $name" test ! -e "$(run $name)"
	is "nothing of $name is left" "" "$(stfm-check --store)"
	is "the tasks are as they were before $name" "$before" \
		"$(states good)"
done

# A table that was made from such a fact.
fresh
before=$(states good)
printf '%s\n' 'of|good' 'fact|2|E0|time=-800' | "$fixture" "$STFM_DIR"
stfm-watch -1 -Q
like "the table is poisoned" "^good/2.*FINISHED" "$(states good)"
printf '%s\n' 'of|other' 'fact|0|E0|exit=0|time=-800' | "$fixture" "$STFM_DIR"
cp "$STFM_DIR/jobs/other/run/000/000000.0.0.E0" "$(run 2.0.0.E0)"
status "a poisoned table is repaired" 0 stfm-check --repair
is "what it had from another's fact it has no more" "$before" \
	"$(states good)"
is "and all is well with it" "" "$(stfm-check --store)"

# Records under the names of others: of another chunk, or of another job.
each "a claim of another job" 'cp "${job%/*}"/other/sub/*.claim "$job/sub/"' \
	"jobs/good/sub/c00000.0.claim: damaged (it is a record of another job)"
like "it is made again from what the tasks said" \
	"c00000.0.claim: made again for array 4102" "$(stfm-check --repair)"
is "nothing of the other is left" "" "$(stfm-check --store)"
each "another job's intent" 'cp "${job%/*}"/other/sub/*.intent "$job/sub/"' \
	"jobs/good/sub/c00000.0.intent: damaged (it is a record of another job)"
like "it is made again from its job" "intent: made again from the job" \
	"$(stfm-check --repair)"
is "its tasks are its own" 0-2 "$(jq -r .tasks "$job/sub/c00000.0.intent")"
each "a claim in the place of its intent" \
	'cp "$job/sub/c00000.0.claim" "$job/sub/c00000.0.intent"' \
	"jobs/good/sub/c00000.0.intent: damaged (it is the record $(:
	)c00000.0.claim)"
again
intent=$job/sub/c00001.0.intent
cp "$job/sub/c00000.0.intent" "$intent"
left "nothing of another intent goes into one that is made again" \
	"have not begun go on from a checkpoint"
fresh
before=$(states good)
for file in "$job"/sub/*; do
	body=$(sed 's/,"record":"[^"]*","c":.*//' "$file")
	printf '%s,"c":"%s"}\n' "$body" \
		"$(printf %s "$body" | "$top/tests/crc32c.sh")" >"$file"
done
is "those of before that do not say which they are" "" \
	"$(cat "$job"/sub/* | grep record)"
is "they are no damage" "" "$(stfm-check --store)"
rm "$job"/fold/*
stfm-watch -1 -Q
is "and they are read" "$before" "$(states good)"

# Facts and the chunks of their tasks.
each "a fact of another array" 'printf "%s\n" "of|good" \
	"fact|2|S|slurm=4109_2" | "$fixture" "$STFM_DIR"; rm "$job"/fold/*' \
	"jobs/good/sub/c00000.0.claim: is for array 4102, but the fact $(:
	)000002.0.0.S is of array 4109"
status "nobody knows which is right" 1 stfm-check --repair
gone='not there, but it had task 0, which has facts'
each "a chunk that is gone, with its claim" 'rm "$job"/sub/*' \
	"jobs/good/sub/c00000.0.intent: $gone
jobs/good/sub/c00000.0.claim: $gone"
before=$(states good)
ok "they are made again" stfm-check --repair
is "with the array in which the tasks say they were" 4102 \
	"$(jq .array "$job/sub/c00000.0.claim")"
is "and that leaves nothing" "" "$(stfm-check --store)"
is "the tasks are as they were" "$before" "$(states good)"
each "a later attempt of which nothing is known" 'printf "%s\n" "of|good" \
	"fact|1|S|attempt=1|slurm=4110_1" | "$fixture" "$STFM_DIR"
	rm "$job"/fold/*' \
	"jobs/good/sub: no chunk has task 1, which has facts"

fresh
before=$(states good)
mv "$(run 0.0.0.E0)" swap
mv "$(run 1.0.0.E3)" "$(run 0.0.0.E0)"
mv swap "$(run 1.0.0.E3)"
is "swapped ends are found" 2 "$(found | grep -c "$holds")"
like "and told by who reads them" "it is the fact 000001.0.0.E3" \
	"$(rm "$job"/fold/*; stfm-watch -1 2>&1)"
ok "they are repaired" stfm-check --repair
is "each is what it was" "$before" "$(states good)"
is "and nothing is left of them" "" "$(stfm-check --store)"

fresh
touch "$STFM_DIR/jobs/@x"
rm -r "$job" && touch "$job"
ok "what is no job is moved" stfm-check --repair
is "and no more in the way" "other" "$(ls "$STFM_DIR/jobs")"

fresh
before=$(states good)
rm -r "$job/ctl" "$job/log" "$job/metrics" "$job/checkpoint" "$job/fold"
touch "$job/fold"
damage "$STFM_DIR/jobs/other/batch.sh" 1 3
like "what a job lost hides nothing of others" "^jobs/other/batch.sh" \
	"$(found)"
like "directories are made again" "^jobs/good/ctl: made again, and empty" \
	"$(stfm-check --repair good)"
is "nothing is left of that, too" "" "$(stfm-check good)"
is "the states follow from the facts" "$before" "$(states good)"

fresh
rm -r "$job/sub"
status "what was queued cannot be made again" 1 stfm-check --repair
like "that is said" "^jobs/good/sub: nothing can" "$(cat "$tap_dir/out")"

fresh_pack
before=$(states good)
mkfifo "$job/pack/p.1.x.jsonl" "$job/fold/state.9.jsonl"
status "pipes are moved aside" 0 stfm-check --repair
is "nothing is left of pipes" "" "$(stfm-check --store)"
is "they told nothing" "$before" "$(states good)"

# ---- jobs without a record ----

fresh
rm "$job/job.json"
is "stfm-stop shows what it would remove" \
	"good: would be removed: its record is not there or damaged" \
	"$(stfm-stop --remove --dry-run good)"
refused "others say that it is damaged" "good: its record is gone" \
	stfm-status --no-refresh good
ok "stfm-stop removes what is no job" stfm-stop --remove good
ok "it is gone" test ! -e "$job"
fresh
damage "$job/job.json" 3
ok "stfm-stop removes a job with a damaged record" \
	stfm-stop --remove --yes good
is "others are as before" "other" "$(ls "$STFM_DIR/jobs")"

fresh
cp -a "$job" "$STFM_DIR/jobs/copy"
refused "a copy of a job is not taken for it" "the record of good" \
	stfm-stop copy
ok "a repair moves the copy" stfm-check --repair
is "and not the job" "good
other" "$(ls "$STFM_DIR/jobs")"
cp -a "$job" "$STFM_DIR/jobs/copy"
is "what would be removed is the copy" \
	"copy: would be removed, which is a copy of good" \
	"$(stfm-stop --remove --dry-run copy)"
is "nothing is, then" "copy
good
other" "$(ls "$STFM_DIR/jobs")"
is "a copy can be removed" \
	"copy: removed, which was a copy of good; that stays" \
	"$(stfm-stop --remove copy)"
is "and the job stays" "good
other" "$(ls "$STFM_DIR/jobs")"
is "as it was" "" "$(stfm-check --store)"
mv "$job" "$STFM_DIR/jobs/renamed"
refused "what was renamed is no copy, and how to go on is said" \
	"if it was renamed, rename it back (mv)" \
	stfm-stop --remove --yes renamed
mv "$STFM_DIR/jobs/renamed" "$job"

# ---- newer ----

fresh
body='{"v":2,"why":"to be known'
crc=$(printf '%s"' "$body" | "$top/tests/crc32c.sh")
printf '%s","c":"%s"}\n' "$body" "$crc" >"$job/ctl/mark.new"
ok "a newer mark is no damage" stfm-check --store
ok "and there is nothing to repair" stfm-check --repair
ok "it is left where it is" test -s "$job/ctl/mark.new"

# The job as a stfm writes it that knows this format of jobs.
of_format() {
	fresh
	body=$(sed "s/^  \"v\": 1,\$/  \"v\": $1,/" "$job/job.json")
	body=${body%,*}
	crc=$(printf %s "$body" | "$top/tests/crc32c.sh")
	printf '%s,\n  "c":"%s"\n}\n' "$body" "$crc" >"$job/job.json"
}
newest_format=$(sed -n 's/.*STORE_JOB_VERSION = \([0-9]*\).*/\1/p' \
	"$top/lib/store/record.h")
of_format "$newest_format"
is "a job of this stfm's format is read" "good/0 good/1 good/2" \
	"$(states good | sed 1d | cut -f 1 | xargs)"
of_format $((newest_format + 1))
before=$(find "$job" -printf '%p %s %T@\n' | sort)
for words in 'status good' 'status good/1' 'restart good' 'restart good/1' \
	'restart --dry-run good' 'watch -1 good' 'watch -1Q' 'stop good' \
	'stop --remove good' 'submit --queue-rest good' 'hold good' \
	'set --tag new good' 'ask good' 'log good/0' 'attach good/0'; do
	# shellcheck disable=SC2086 # words
	refused "a job of a newer stfm is refused: stfm-$words" \
		"jobs/good/job.json: written by a newer stfm (format \
$((newest_format + 1)), this one reads $newest_format): use that one" \
		stfm-$words
done
status "the list of jobs says so" 2 stfm-status --no-refresh
like "and has the others" "^other " "$(cat "$tap_dir/out")"
like "the job is named" "good/job.json: written by a newer stfm" \
	"$(cat "$tap_dir/out")"
ok "that is no damage" stfm-check --store
ok "and there is nothing to repair" stfm-check --repair
is "nothing of the job has changed" "$before" \
	"$(find "$job" -printf '%p %s %T@\n' | sort)"

fresh
body='{"v":2,"min_read":1,"min_write":2'
crc=$(printf %s "$body" | "$top/tests/crc32c.sh")
printf '%s,"c":"%s"}\n' "$body" "$crc" >"$STFM_DIR/FORMAT"
ok "a newer store that may be read is read" stfm-check --store
ok "its jobs are shown" stfm-status --no-refresh good
before=$(find "$STFM_DIR" -printf '%p %T@\n' | sort)
import=$tap_dir/theirs
mkdir -p "$import/one" && echo 'loss,acc' >"$import/one/log.csv"
for words in 'check --repair' 'watch -1' 'stop good' 'restart good' \
	'stop --remove good' 'submit --queue-rest good' 'stop --dry-run good' \
	'restart --dry-run good' 'hold good' 'release good' 'throttle good 2' \
	'checkpoints -y --keep-last 1 good' \
	'checkpoints --dry-run --keep-last 1 good' \
	"import $import" 'attach good/0'; do
	# shellcheck disable=SC2086 # words
	refused "stfm-$words does not write to it" "newer stfm" stfm-$words
done
is "nothing of it has changed" "$before" \
	"$(find "$STFM_DIR" -printf '%p %T@\n' | sort)"
body='{"v":2,"min_read":2,"min_write":2'
crc=$(printf %s "$body" | "$top/tests/crc32c.sh")
printf '%s,"c":"%s"}\n' "$body" "$crc" >"$STFM_DIR/FORMAT"
for words in 'check --store' status 'plot good' 'status good' 'watch -1'; do
	# shellcheck disable=SC2086 # words
	refused "stfm-$words does not read what it must not" "newer stfm" \
		stfm-$words
done

# What an older one has queued trains all the same, and says how it went.
before=$(find "$STFM_DIR" -type f -printf '%p %T@\n' | sort)
cat >train <<'END'
#!/bin/sh
echo "$@" >>trained
exit 3
END
chmod +x train
status "a task that was queued before trains in a newer store" 3 env \
	PATH="$PWD:$PATH" SLURM_ARRAY_JOB_ID=4102 SLURM_ARRAY_TASK_ID=2 \
	"$bin/../libexec/stfm-run" "$job" "$(jq -r .id "$job/job.json")" \
	"$(basename "$job/sub/"*.intent .intent)"
is "with its values" "--x=3" "$(cat trained)"
is "changes nothing that was there" "$before" "$(find "$STFM_DIR" -type f \
	! -name '000002*' -printf '%p %T@\n' | sort)"
is "and adds its records" "000002.0.0.E3 000002.0.0.S" \
	"$(find "$job/run" -name '000002*' -printf '%f\n' | sort | xargs)"

done_testing
