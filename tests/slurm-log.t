#!/bin/sh
# stfm-log on a real Slurm: tasks followed as they train.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2
export STFM_DIR="$tap_dir/store"

# Each goes on when the test lets it: a bar, half a line, its end.
cat >train.sh <<'END'
#!/bin/sh
wait_for() {
	until [ -e "$STFM_DIRECTORY/$1.$STFM_TASK" ]; do sleep 0.02; done
}
echo "begun $STFM_ATTEMPT"
wait_for bar
printf '\r 10%%'
printf '\r 50%%'
wait_for half
printf '\r100%%\nha'
wait_for end
printf 'lf\nlast %s' "$STFM_PARAM_x"
[ "$STFM_PARAM_x" != 3 ] || { echo "no luck" >&2; exit 3; }
END
chmod +x train.sh
has() {
	grep -Fqx -e "$2" "$1"
}
is_over() {
	! kill -0 "$1" 2>/dev/null
}

# ---- tasks of which one waits for another ----

ok "a job" stfm-submit -Q -J try --gres=none --args=none --parallel 2 \
	x=1,2,3 -- ./train.sh
stfm-log -f try >out 2>err &
follower=$!
at_exit 'kill $follower 2>/dev/null'
ok "the first line of a task" poll 60 has out "0| begun 0"
ok "and that of another one" poll 60 has out "1| begun 0"
ok "no line of the one that waits" sh -c '! grep "^2" out'
touch bar.0 half.0
ok "a bar, folded, when its line ends" poll 60 has out "0| 100%"
ok "no half line" sh -c '! grep -e ha -e 10% out'
touch end.0
ok "the half line, once it is whole" poll 60 has out "0| half"
ok "a task that starts later" poll 60 has out "2| begun 0"
touch bar.1 bar.2 half.1 half.2 end.1 end.2
ok "it ends when all tasks have ended" poll 60 is_over "$follower"
status "some failed" 1 wait "$follower"
is "each line of each task came once" "$(printf '%s\n' '0| 100%' \
	'0| begun 0' '0| half' '0| last 1' '1| 100%' '1| begun 0' '1| half' \
	'1| last 2' '2| 100%' '2| begun 0' '2| half' '2| last 3no luck')" \
	"$(sort out)"
is "what became of the tasks is said" "$(printf '%s\n' \
	'try/0: FINISHED' 'try/1: FINISHED' 'try/2: ERROR exit 3')" \
	"$(sed -n 's/^stfm-log: \(.*\) after .*/\1/p' err | sort)"
status "who comes late is told the same" 1 stfm-log -f -Q try
status "the others did not fail" 0 stfm-log -f -Q try/0-1
is "of them all the one that failed comes first" "2| begun 0" \
	"$(stfm-log try | head -n 1)"
is "and what it died of" "    last 3no luck" \
	"$(stfm-log -e try | tail -n 1)"

# ---- a task that is started again, while it is followed ----

rm -f ./bar.* ./half.* ./end.*
ok "a task again" stfm-restart -Q try/2
stfm-log -f try/2 >out 2>err &
follower=$!
ok "the log of the new attempt is the one to follow" \
	poll 60 has out "begun 1"
touch bar.2
ok "its log is known" test -f "$(stfm-log --path try/2)"
is "what is there of a line is printed" "$(printf 'begun 1\n 50%%')" "$(
	poll 60 sh -c 'stfm-log try/2 | grep -q 50%'
	stfm-log try/2
)"
ok "it goes on in a file that takes its place" sh -c '
	log=$(stfm-log --path try/2) &&
	printf "another\n" >new && mv new "$log"'
ok "from its beginning" poll 60 has out another
kill "$follower"
wait "$follower"
is "the first attempt is there as well" "begun 0" \
	"$(stfm-log --attempt 0 try/2 | head -n 1)"
is "so counted from the last" "begun 0" \
	"$(stfm-log --attempt -1 try/2 | head -n 1)"

# ---- nobody reads ----

# shellcheck disable=SC2016 # it is the inner shell that asks
ok "it ends when nobody reads any more, though nothing comes" \
	timeout 300 sh -c 'stfm-log -f try/2 | head -n 1'
status "a signal ends it" 124 timeout 1 stfm-log -f try/2
touch half.2 end.2
stfm-log -f -Q try/2 >/dev/null

# ---- a log that cannot be made ----

# Nobody is in a hurry any more an hour after it was queued, and what is known
# is of tomorrow, never too old: only a look at the queue tells that it left.
mkdir logs
ok "a job that waits" stfm-submit -Q -J late --gres=none --args=none --hold \
	-o "$PWD/logs/%a" a=1 -- true
rm -r logs && : >logs # from 24.05 on Slurm makes a directory
stfm-watch --once -Q late
touch -d '-1 hour' "$STFM_DIR/jobs/late/sub" "$STFM_DIR/jobs/late/sub"/*
touch -d '+1 day' "$STFM_DIR/jobs/late/fold"/*
stfm-log -f late >out 2>err &
follower=$!
scontrol release "$(squeue -h -o %A -n late | head -n 1)"
ok "that it could not be started is seen by a look at the queue" \
	poll 45 is_over "$follower"
kill "$follower" 2>/dev/null
status "as a failure" 1 wait "$follower"
like "and said" "^stfm-log: late/0: ERROR launch failure" "$(cat err)"

rm logs && mkdir logs
ok "a job whose logs go elsewhere" stfm-submit -Q -J lost --gres=none \
	--args=none --hold -o "$PWD/logs/%a" a=1,2 -- true
rm -r logs && : >logs
scontrol release "$(squeue -h -o %A -n lost | head -n 1)"
failed() {
	stfm-watch --once -Q lost
	[ "$(stfm-status --no-refresh -o tsv -t ERROR lost |
		grep -c "^lost/")" -eq 2 ]
}
ok "Slurm cannot start it" poll 60 failed
like "which is said, and what to do" \
	"^stfm-log: lost/0-1: never began, launch failure.*--output" \
	"$(stfm-log lost 2>&1)"

mkdir away
ok "a job whose directory goes" stfm-submit -Q -J away --gres=none \
	--args=none --hold --chdir="$PWD/away" a=1 -- true
rmdir away
stfm-release -Q away
stfm-watch -Q -i 1 away
is "is in ERROR by that cause" "ERROR no directory $PWD/away" \
	"$(stfm-status --no-refresh --json away |
		jq -r '.[0] | "\(.state) \(.cause)"')"
like "the words say why" "$PWD/away: cannot go to this directory" \
	"$(stfm-status --no-refresh -e away)"
touch away
stfm-restart -Q away
stfm-watch -Q -i 1 away
is "a file is no directory" "no directory $PWD/away" \
	"$(stfm-status --no-refresh --json away | jq -r '.[0].cause')"

# Slurm begins the task; stfm-run refuses to train it.
refused_by_run() {
	stfm-submit -Q -J "$1" --gres=none --args=none --hold a=1 -- true
	array=$(squeue -h -o %F -n "$1" | head -1)
	chmod go+w "$STFM_DIR/jobs/$1/$2"
	scontrol release "$array"
	ok "a job with $2 open to others ends" poll 60 ended "$array"
	chmod go-w "$STFM_DIR/jobs/$1/$2"
	stfm-watch -Q -i 1 "$1"
	is "its cause names that: $2" "ERROR job is not safe to run" \
		"$(stfm-status --no-refresh --json "$1" |
			jq -r '.[0] | "\(.state) \(.cause)"')"
	like "the reason names the file: $2" "other users can write to it" \
		"$(stfm-status --no-refresh -e "$1")"
}
ended() {
	[ -z "$(squeue -h -t PD,R,CG -j "$1")" ]
}
refused_by_run open1 .
refused_by_run open2 batch.sh

done_testing
