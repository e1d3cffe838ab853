#!/bin/sh
# A store that was moved or copied, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0 -c 8
cd "$tap_dir" || exit 99
export OUT="$tap_dir/out.d"
mkdir "$OUT"

cat >s.sh <<'END2'
#!/bin/sh
echo "$STFM_ATTEMPT" >>"$OUT/$STFM_JOB.$STFM_TASK"
until [ -e "$OUT/end.$STFM_JOB" ]; do sleep 0.1; done
END2
chmod +x s.sh

submit() {
	stfm-submit -Q --gres=none "$@" -- ./s.sh
}
# The tasks of a job by Slurm: "0 RUNNING 1 PENDING".
slurm() {
	squeue -h -r -n "$1" -o '%K %T' | sort -n | xargs
}
is_slurm() {
	[ "$(slurm "$1")" = "$2" ]
}
runs() {
	find "$OUT" -name "$1.*" | wc -l
}
# All records of a job that say what somebody wants, or has queued.
records() {
	find "$1/sub" "$1/ctl" -type f | sort
}

## Moved

moved="was made in $tap_dir/A/jobs/mo, where Slurm looks for its program and"
submit --store A -J mo --hold k=1,2
submit --store A -J ended k=1
ok "one of its jobs runs" poll 20 is_slurm ended "0 RUNNING"
: >"$OUT/end.ended"
ok "and ends" timeout 200 stfm-watch -Q -i 1 -d A ended
mv A B
before=$(records B/jobs/mo)
refused "what was moved is not let go" "mo: $moved" stfm-release -d B mo
refused "it says what to do" "move it back, or: ln -s $tap_dir/B $tap_dir/A" \
	stfm-release -d B mo
refused "also to who only asks" "mo: $moved" stfm-release --dry-run -d B mo
is "Slurm holds it" "0 PENDING 1 PENDING" "$(slurm mo)"
refused "it is not submitted again" "mo: $moved" submit --store B -J mo k=1,2
refused "with other points neither" "mo: $moved" \
	submit --store B -J mo --sync k=1..3
refused "nor is the rest queued" "mo: $moved" \
	stfm-submit --store B --queue-rest mo
refused "nor what has ended" "ended: was made in $tap_dir/A/jobs/ended" \
	stfm-restart --finished -d B ended
is "nothing of that was recorded" "$before" "$(records B/jobs/mo)"
like "who follows it is told" "^stfm-watch: mo: $moved" \
	"$(stfm-watch -1 -d B 2>&1)"
is "of what is over nobody is" "" "$(stfm-watch -1 -d B ended 2>&1)"
status "the check says so" 1 stfm-check -d B mo
like "by its name" "^$tap_dir/B/jobs/mo: $moved" "$(stfm-check -d B mo)"
status "of the whole store, too" 1 stfm-check --store=B
ok "its tasks can be held" stfm-hold -Q -d B mo
is "and looked at" "SUBMITTED SUBMITTED" \
	"$(stfm-status -o jsonl -d B mo | jq -r .state | xargs)"

ln -s B A
ok "linked back it is let go" stfm-release -Q -d B mo
ok "and trains" poll 20 is_slurm mo "0 RUNNING 1 RUNNING"
is "nobody is told" "" "$(stfm-watch -1 -d B 2>&1)"
ok "the check is quiet" stfm-check -d B mo
is "all the same" "" "$(stfm-check -d B mo)"
ok "and one of them is stopped" stfm-stop -Q -d B mo/0
ok "at once" poll 20 is_slurm mo "1 RUNNING"
rm A
ok "without the link it can be stopped" stfm-stop -Q -d B mo
ok "and is" poll 20 is_slurm mo ""
refused "but not restarted" "mo: $moved" stfm-restart -d B mo
mkdir A
refused "where there is another store, too" "mo: $moved puts its logs: move it\
 back" stfm-restart -d B mo
submit --store A -J mo --hold k=1
refused "or another job of the name" "mo: $moved" stfm-restart -d B mo
ok "which is stopped for itself" stfm-stop -y -Q --remove -d A mo
rm -r A
: >"$OUT/end.mo"
mv B A
ok "moved back it is restarted" stfm-restart -Q -d A mo
ok "and let go" stfm-release -Q -d A mo
ok "and ends well" timeout 200 stfm-watch -Q -i 1 -d A mo
rm "$OUT/end.mo" "$OUT"/mo.*

# What was queued before it was moved fails at its start.
submit --store A -J late --hold k=1
mv A B
scontrol release "$(squeue -h -o %F -n late | head -n 1)"
late_is() {
	[ "$(stfm-status -o jsonl -d B late | jq -r .state)" = "$1" ]
}
ok "who lets it go otherwise sees it fail" poll 20 late_is ERROR
like "and why" "was made in $tap_dir/A/jobs/late, where Slurm looks" \
	"$(stfm-status -d B late | tr -s '\n ' ' ')"
like "so do the errors" \
	"it was made in $tap_dir/A/jobs/late, where Slurm looks" \
	"$(stfm-status -e -d B late | tr -s '\n ' ' ')"
rm -rf A # from 24.05 on Slurm makes a directory for the log
mv B A

# Another store at the old path has the program but not the job.
mkdir logs
submit --store A -J lost --hold --output="$tap_dir/logs/%j" k=1
mv A B
submit --store A -J new --hold k=1
scontrol release "$(squeue -h -o %F -n lost | head -n 1)"
lost_is() {
	[ "$(stfm-status -o jsonl -d B lost |
		jq -r '.state + " " + .cause')" = "$1" ]
}
ok "where another store is now it fails, too" \
	poll 20 lost_is "ERROR launch failure (exit 75)"
like "for the same reason" \
	"it was made in $tap_dir/A/jobs/lost, where Slurm looks" \
	"$(stfm-status -e -d B lost | tr -s '\n ' ' ')"
ok "the new store is removed" stfm-stop -y -Q --remove -d A new
rm -r A
mv B A

## By another path

mkdir real
ln -s real st
submit --store st -J two k=1
ok "a store in a link trains" poll 20 is_slurm two "0 RUNNING"
ok "its job is held by its other path" stfm-hold -Q -d real two
is "of which nobody is told" "" "$(stfm-watch -1 -d real 2>&1)"
ok "and stopped by that" stfm-stop -Q -d real two
ok "it is" poll 20 is_slurm two ""
ok "and queued again by that" stfm-restart -Q -d real two
ok "and trains" poll 20 is_slurm two "0 RUNNING"
ok "by the link it is stopped" stfm-stop -Q -d "$tap_dir/st" two
ok "it is over" poll 20 is_slurm two ""
rm st
ok "without the link it is queued, too" stfm-restart -Q -d real two
ok "and trains again" poll 20 is_slurm two "0 RUNNING"
ok "until it is stopped" stfm-stop -Q -d real two

## Copied

copied="a copy of $tap_dir/org/jobs/orig, which is the job that Slurm has: use\
 that one"
submit --store org -J orig --parallel 2 k=1..3
submit --store org -J over k=1
ok "it runs" poll 20 is_slurm orig "0 RUNNING 1 RUNNING 2 PENDING"
ok "so does another" poll 20 is_slurm over "0 RUNNING"
ok "which is stopped" stfm-stop -Q -d org over
cp -a org copy
before=$(records copy/jobs/orig)
refuses() {
	refused "a copy refuses $1" "orig: $copied" "$@" orig
}
refuses stfm-stop -y --remove -d copy
refuses stfm-stop -y -d copy
refuses stfm-stop --dry-run -d copy
refuses stfm-restart -d copy
refuses stfm-hold -d copy
refuses stfm-release -d copy
refused "and stfm-throttle" "orig: $copied" stfm-throttle -d copy orig 1
refused "and to be submitted again" "orig: $copied" \
	submit --store copy -J orig --parallel 2 k=1..3
refused "also with other points" "orig: $copied" \
	submit --store copy -J orig --sync --parallel 2 k=1,2
refused "by a dry run, too" "orig: $copied" \
	submit --store copy -J orig --dry-run --parallel 2 k=1..3
refused "nor is its rest queued" "orig: $copied" \
	stfm-submit --store copy --queue-rest orig
refused "nor one that is over removed" "over: a copy of" \
	stfm-stop -y --remove -d copy over
like "who follows it is told" "^stfm-watch: orig: $copied" \
	"$(stfm-watch -1 -d copy 2>&1)"
is "of one that is over nobody is" "" "$(stfm-watch -1 -d copy over 2>&1)"
is "nothing of that was recorded" "$before" "$(records copy/jobs/orig)"
is "and the trainings of the original run" \
	"0 RUNNING 1 RUNNING 2 PENDING" "$(slurm orig)"
ok "to look at it is free" stfm-status -d copy orig
is "how many run at once, too" "orig: at most 2 tasks at once" \
	"$(stfm-throttle -d copy orig)"
like "the check notes it" "^$tap_dir/copy/jobs/orig: note: $copied" \
	"$(stfm-check -d copy orig)"

cat >fails.sh <<'END2'
#!/bin/sh
if [ "$STFM_TASK" = 1 ]; then
	touch "$STFM_DIRECTORY/begun"
	exec ./s.sh
fi
until [ -e "$STFM_DIRECTORY/begun" ]; do sleep 0.1; done
exit 1
END2
chmod +x fails.sh
stfm-submit -Q --gres=none --store org -J rule --max-fail 1 k=1,2 -- ./fails.sh
ok "one fails, the other runs" poll 20 is_slurm rule "1 RUNNING"
rm -rf copy
cp -a org copy
before=$(records copy/jobs/rule)
like "a rule does not stop it by a copy" "^stfm-watch: rule: a copy of" \
	"$(stfm-watch -1 -Q -d copy rule 2>&1)"
is "nothing of that was recorded" "$before" "$(records copy/jobs/rule)"
is "it runs on" "1 RUNNING" "$(slurm rule)"
stfm-watch -1 -Q -d org rule
ok "by the original it does" poll 20 is_slurm rule ""
ok "the original is stopped" stfm-stop -y -Q -d org orig
ok "it is" poll 20 is_slurm orig ""
rm -rf org
refused "without the original it was moved" "move it back, or: ln -s" \
	stfm-restart -d copy orig
ok "and is removed" stfm-stop -y -Q --remove -d copy orig

done_testing
