#!/bin/sh
# Jobs that wait for others, and commands for their end, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0 -c 16
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/out.d"
mkdir "$OUT"

# A task ends when the file of its job is there, as that says.
cat >train.sh <<'END'
#!/bin/sh
until [ -s "$OUT/$STFM_JOB" ]; do sleep 0.1; done
exit "$(cat "$OUT/$STFM_JOB")"
END
chmod +x train.sh

submit() {
	stfm-submit --gres=none --args=none "$@"
}
refuse() {
	refused "$1" "$2" submit -J none --after "$3" -- true
}
began() {
	[ -n "$(facts "$1" '*.S')" ]
}
dependency() {
	squeue -h -n "$1" -o %E
}

## Slurm waits, where it knows what for

submit -Q -J first i=1,2 -- ./train.sh
refuse "a job that is none" "--after: nosuch: no such job" nosuch
refuse "a condition that is none" "or with :ok behind it" first:no
refuse "tasks of a job" "a whole job" first/1
refuse "no job" "--after" first,
like "it is queued at once" "^second: 2 tasks queued .*, after first$" \
	"$(submit -J second --after first i=1,2 --then 'cat >>"$OUT/told"' \
		-- true)"
like "Slurm waits for all tasks" "^afterany:$(array_of first)_" \
	"$(dependency second)"
submit -Q -J strict --after first:ok,second -- true
like "for their success" "^afterok:.*,afterany:" "$(dependency strict)"
submit -Q -J turns --parallel 1 --after first @time=5,6 -- ./train.sh
of_the_second() {
	squeue -h -j "$(array_of turns c00001.0)" -o %E
}
turns="afterany:$(array_of first)_.*,afterany:$(array_of turns)_"
like "and for what is before them in their own job" "^$turns" \
	"$(of_the_second)"
stfm-watch --once -Q turns
like "also when a watcher has told it anew" "^$turns" "$(of_the_second)"
is "a dry run says so" "# after first:ok, second
# then true" "$(submit --dry-run -J dry --after first:ok,second --then true \
	-- true | sed -n '/^# after/p; /^# then/p')"
stfm-watch --once -Q
is "it is why they wait" "(after first)" "$(row second 0 .cause)"
like "in words" "when first is over" "$(stfm-status --why second)"
is "of several, all" "(after first and second)" "$(row strict 0 .cause)"
like "in words" "first and second are over, those with :ok FINISHED" \
	"$(stfm-status --why strict | xargs)"
like "success has its own" "when all tasks of first are FINISHED" \
	"$(submit -Q -J well --after first:ok -- true
		stfm-status --why well | xargs)"
like "who submits it is told all, too, but not more than can be read" \
	", after first, second, strict and 2 more$" \
	"$(submit -J many --after first,second,strict,turns,well -- true)"
long=a_name_that_somebody_gave_who_had_all_of_the_time
submit -Q -J $long --after first -- true
submit -Q -J $long.too --after first -- true
submit -Q -J cut --after $long,$long.too,first -- true
stfm-watch --once -Q cut
is "nor than fits" "(after $long and 2 more)" "$(row cut 0 .cause)"
stfm-stop -Q cut $long $long.too many well
echo 3 >"$OUT/first"
ok "when it is over the next begins, and nobody watches" poll 30 began second
ok "one of its own still waits" poll 20 began turns
stfm-watch --once -Q turns
like "for one of them" "^afterany:$(array_of turns)_" "$(of_the_second)"
stfm-stop -Q turns

# Slurm is not told that one is stopped before it begins.
submit -Q -J halved --parallel 1 i=1,2 -- ./train.sh
submit -Q -J unmet --after halved:ok -- true
poll 20 began halved || exit 99
slurmctld=$(cat "$tap_dir/slurm/run/slurmctld.pid")
kill -STOP "$slurmctld"
STFM_SLURM_TIMEOUT=1 stfm-stop -Q halved/1 2>"$tap_dir/said"
kill -CONT "$slurmctld"
echo 0 >"$OUT/halved"
ok "what was stopped is not done, by Slurm's account too" poll 30 sh -c \
	'squeue -h -n unmet -o %r | grep -q DependencyNeverSatisfied'
ok "and has not failed" poll 20 reaches halved FT
status "what waits for its success does not begin" 1 began unmet
stfm-stop -Q unmet

# It begins while a watcher tells Slurm what it is to wait for now.
submit -Q -J ahead i=1 -- ./train.sh
submit -Q -J behind --after ahead -- ./train.sh
poll 20 began ahead || exit 99
poll 20 sh -c 'squeue -h -n behind -o %r | grep -qx Dependency' || exit 99
rm "$STFM_DIR"/jobs/behind/ctl/waits.* 2>/dev/null
mkdir away
cat >away/scontrol <<END
#!/bin/sh
case "\$*" in
update*Dependency=*)
	echo "\$@" >>"$PWD/asked"
	echo 0 >"$OUT/ahead"
	until squeue -h -n behind -t R | grep -q .; do sleep 0.1; done
esac
exec $(command -v scontrol) "\$@"
END
chmod +x away/scontrol
PATH="$PWD/away:$PATH" STFM_SLURM_TIMEOUT=120 stfm-watch --once -Q behind \
	2>err
is "what began just then need not be told" "0 " "$? $(cat err)"
like "though it was to be" "Dependency=after" "$(cat asked)"
echo 0 >"$OUT/behind"

## The command for the end

ends() {
	stfm-status --refresh -o jsonl second | grep -c FINISHED | grep -q 2
}
ok "it ends" poll 30 ends
ok "no look at it runs the command" test ! -e "$OUT/told"
ok "but a watcher does" stfm-watch --once -Q second
is "the command gets what happened" "finished second" \
	"$(jq -r '"\(.event) \(.job)"' "$OUT/told")"
for _ in 1 2; do stfm-watch --once -Q second; done
stfm-restart -Q --finished second
ok "it is trained again" poll 30 reaches second FF
is "which is told once" 1 "$(wc -l <"$OUT/told")"
submit -Q -J sorry --then 'exit 3' -- true
fails() {
	stfm-watch --once -Q sorry 2>err
	[ -s err ]
}
ok "a command that fails" poll 30 fails
like "is told of" "sorry: --then: .* ended with status 3" "$(cat err)"
status "once" 0 stfm-watch --once -Q sorry
submit -Q -J open --hold --then 'echo >"$OUT/open.told"' -- true
chmod g+w "$STFM_DIR/jobs/open"
stfm-stop -Q open
stfm-watch --once -Q open 2>err
like "what others could have changed" "open: --then: .*open" "$(cat err)"
ok "is not run" test ! -e "$OUT/open.told"
chmod g-w "$STFM_DIR/jobs/open"
refused "a program that is none" "--then: nosuch: no such program" \
	submit -J none --then nosuch -- true

## What can no longer come true

ok "the other one waits in vain" poll 30 sh -c \
	'squeue -h -n strict -o %r | grep -q DependencyNever'
status "nobody waits for it for ever" 1 timeout 300 stfm-watch -Q -i 1 strict
is "which says so" "(after first, of which 2 tasks did not finish)" \
	"$(row strict 0 .cause)"
is "once" 1 "$(stfm-status --no-refresh --why strict |
	grep -o "did not finish" | wc -l)"
like "and what to type" "^ +stfm-restart first$" \
	"$(stfm-status --no-refresh --why strict)"
refuse "it is not begun with" "restart first), or leave out :ok" first:ok
: >"$OUT/first"
stfm-restart -Q first
ok "it trains again" poll 30 reaches first RR
stfm-watch --once -Q strict
like "Slurm waits for that now" "^afterok:$(array_of first c00001.0)_" \
	"$(dependency strict)"
echo 0 >"$OUT/first"
ok "it is trained again" poll 30 reaches first FF
ok "and what waited for it runs" poll 30 reaches strict F

## A site that cancels what waits in vain

echo DependencyParameters=kill_invalid_depend >>"$tap_dir/slurm/slurm.conf"
scontrol reconfigure
: >"$OUT/site"
submit -Q -J site i=1,2 -- ./train.sh
submit -Q -J faithful --after site:ok i=1,2 -- true
submit -Q -J own --kill-on-invalid-dep=yes --after site:ok -- true
is "--kill-on-invalid-dep of the user counts" 1 "$(stfm-submit --dry-run \
	--gres=none -J dry --kill-on-invalid-dep=yes --after site:ok -- true |
	grep -o 'kill-on-invalid-dep=[a-z]*' | tail -n 1 | grep -c yes)"
echo 3 >"$OUT/site"
ok "the first fails" poll 30 reaches site EE
ok "the site cancels a job that asks for it" poll 30 unqueued own
is "but not what stfm queued, which waits on" PENDING \
	"$(squeue -h -n faithful -o %T)"
# Slurm refuses to change an array where some of its tasks are over, and does it
# for the others.  Some releases do not say the latter.
mkdir silent
cat >silent/scontrol <<END
#!/bin/sh
rc=0
$(command -v scontrol) "\$@" 2>"$PWD/silent/said" || rc=\$?
grep -v ': No error' "$PWD/silent/said" >&2
exit "\$rc"
END
chmod +x silent/scontrol
stfm-stop -Q faithful/1
ok "one of it is stopped" poll 20 reaches faithful ST
: >"$OUT/site"
stfm-restart -Q site
ok "the first trains again" poll 30 reaches site RR
is "the rest waits for that" "0 " "$(
	PATH="$PWD/silent:$PATH" stfm-watch --once -Q faithful 2>err
	echo "$? $(cat err)")"
like "by its new array" "^afterok:$(array_of site c00001.0)_" \
	"$(dependency faithful)"
echo 0 >"$OUT/site"
ok "and when it is FINISHED, what waited for it runs" \
	poll 30 reaches faithful FT
sed -i /kill_invalid_depend/d "$tap_dir/slurm/slurm.conf"
scontrol reconfigure

## One that waits for its canary in vain

# shellcheck disable=SC2016 # for the training
submit -Q -J dead --canary i=1,2 -- \
	sh -c 'until [ -e "$OUT/fails" ]; do sleep 0.1; done; exit 1'
submit -Q -J behind-dead --after dead -- true
: >"$OUT/fails"
ok "its canary fails" poll 20 reaches dead ES
stfm-watch --once -Q
is "it is not over, and will not be" \
	"(after dead, whose canary did not pass)" "$(row behind-dead 0 .cause)"
like "which is said in words" \
	"after dead, whose canary .task 0. failed" \
	"$(stfm-status --why behind-dead | xargs)"
like "with what to type" "^ +stfm-restart dead/0$" \
	"$(stfm-status --why behind-dead)"
status "nobody waits for that" 1 timeout 300 stfm-watch -Q -i 1 behind-dead
refuse "none is begun with" "(stfm-restart dead/0)" dead
stfm-stop -Q dead behind-dead

## A watcher waits, where Slurm does not know it all

submit -Q -J again --requeue=2 -t 10 --signal-before 60 i=1,2 -- ./train.sh
late="late: 2 tasks are not queued yet (after again): \
run stfm-watch to queue them"
is "what may be queued again only stfm knows" \
	"$late" \
	"$(submit -J late --after again i=1,2 -- true)"
submit -Q -J later --after late:ok -- true
submit -Q -J never --after again:ok -- true
submit -Q -J beyond --after never:ok -- true
submit -Q -J regardless --after never -- true
is "asking again is harmless" \
	"$late" \
	"$(stfm-submit --queue-rest late)"
stfm-watch --once -Q
is "it is why they wait" "(after again) (after late)" \
	"$(row late 0 .cause) $(row later 0 .cause)"
is "nothing of it is in the queue" "" "$(squeue -h -n late,later)"
stfm-stop -Q again/0
has_failed() {
	stfm-watch --once -Q
	[ "$(row never 0 .cause)" = \
		"(after again, of which 1 task did not finish)" ]
}
ok "what has to finish has failed by then" poll 20 has_failed
is "it waits for the others" "(after again)" "$(row late 1 .cause)"
echo 0 >"$OUT/again"
ok "when it is over a watcher queues the next" poll 30 reaches late FF
ok "and the one after that" poll 30 reaches later F
is "what was to finish is not forgotten" SUBMITTED "$(row never 0 .state)"
is "who waits for it is told" "never cannot go on: 1 SUBMITTED (after again, \
of which 1 task did not finish: stfm-status --why never)" \
	"$(timeout 300 stfm-watch -i 1 never |
		sed -n 's/.*\(never cannot\)/\1/p')"
is "as is who waits for that" "beyond cannot go on: 1 SUBMITTED (after never, \
which cannot start: stfm-status --why beyond)" \
	"$(timeout 300 stfm-watch -i 1 beyond |
		sed -n 's/.*\(beyond cannot\)/\1/p')"
like "and what to type" "^ +stfm-status --why never$" \
	"$(stfm-status --no-refresh --why beyond)"
status "nor is an end awaited that does not come" 1 \
	timeout 300 stfm-watch -Q -i 1 regardless
like "but by hand" "^ +stfm-stop never$" \
	"$(stfm-status --no-refresh --why regardless)"
refuse "none is begun with" \
	"beyond, which cannot start: stfm-status --why beyond says" beyond:ok
stfm-stop -Q --remove again
stfm-watch --once -Q
is "nor when it is removed" "(after again, which was removed)" \
	"$(row never 0 .cause)"
like "it cannot come any more" "^ +stfm-stop never/0$" \
	"$(stfm-status --no-refresh --why never)"
is "it can be stopped" "never: stopped 1 task: 0" "$(stfm-stop never)"
goes_on() {
	stfm-watch --once -Q
	reaches regardless F
}
ok "which is an end" poll 30 goes_on
is "and no success" "(after never, of which 1 task did not finish)" \
	"$(row beyond 0 .cause)"

done_testing
