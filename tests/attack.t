#!/bin/sh
# What a hostile value, file or neighbour can try, where no Slurm is needed:
# slurm-attack.t has the rest.
. "$(dirname "$0")/tap.sh"

build=$top/build/plain
[ -z "$SANITIZE" ] || build=$top/build/sanitize
fixture=$build/tests/store-fixture
export STFM_DIR="$tap_dir/here/store" SLURM_CONF=/nonexistent TZ=UTC

limited() {
	timeout -k 1 600 "$@"
}
# Bytes that a terminal would obey: C0 but tab and newline, DEL, C1 as UTF-8,
# what turns the direction of writing.
raw() {
	LC_ALL=C grep -aE "$(printf \
		'[\001-\010\013-\037\177]|\302[\200-\237]|\342\200[\252-\256]')"
}
# A command with whatever status shows nothing of that on either stream.
harmless() {
	harmless_name=$1
	shift
	limited "$@" >shown 2>told
	harmless_rc=$?
	is "$harmless_name" "" "$(cat shown told | raw | head -3 | cat -v)"
	[ "$harmless_rc" -lt 124 ] || is "$harmless_name: it ends" "" hung
}
esc=$(printf '\033')
bell=$(printf '\007')
csi=$(printf '\302\233')
turn=$(printf '\342\200\256')
bad=$(printf '\377')

## Terminal escapes

printf 'epoch,%s[31mloss,val%s_loss\n0,1,2\n1,0.5,1\n' "$esc" "$csi" >evil.csv
cp evil.csv "ev${esc}[31mil.csv"
printf 'a%s[31m%s]0;t%s\r\nlast %s[2J%s' "$esc" "$esc" "$bell" "$esc" "$csi" \
	>evil.log
"$fixture" store <<-EOD
	job|evil|lr=1,${esc}[31mx,${csi}[2Jy|opt=a$turn b
	set|description=d${esc}[31m $csi $turn|metric=${esc}[31mloss
	task|0|FINISHED|node=n${esc}[31m|start=-100|end=-50|array=5|exit=0|\
	cause=c$esc]0;x$bell
	metrics|0|evil.csv
	task|1|ERROR|cause=ex${esc}[31m$csi|node=n$csi|start=-100|end=-50|\
	array=5|exit=1|log=$PWD/evil.log|gpus=${esc}[3|reason=r${esc}[31m
	metrics|1|evil.csv
	chunk|0-2|5
	fold|trouble=${esc}[31mno$csi
	end
EOD
harmless "the table of jobs" stfm-status --no-refresh
harmless "a job" stfm-status --no-refresh evil
harmless "a task" stfm-status --no-refresh evil/0
harmless "a task with its log" stfm-status --no-refresh evil/1
harmless "JSON" stfm-status --no-refresh --json evil
harmless "the logs of a job" stfm-log evil
harmless "its errors" stfm-log -e evil
harmless "the lines that match" stfm-log --grep . evil
harmless "a chart of a job" stfm-plot evil
harmless "a chart of a file" stfm-plot evil.csv
harmless "its name" stfm-plot "ev${esc}[31mil.csv" evil.csv
harmless "a script for gnuplot" stfm-plot -o gnuplot evil
harmless "an image" stfm-plot -o svg evil
harmless "a report" sh -c 'stfm-report --no-refresh evil | cat'
harmless "a report without its job" stfm-report "evil$esc"
harmless "what would be stopped" stfm-stop --dry-run evil
harmless "what would be submitted" stfm-submit --dry-run --no-check \
	--gres=none --description="$esc" "--comment=$esc" "lr=1,${esc}[3" -- \
	true "$esc"
for word in "${esc}[1mx" "evil/$esc" "@$csi" "$turn"; do
	harmless "a task that is not there" stfm-status --no-refresh "$word"
	harmless "a state" stfm-status --no-refresh -t "$word"
	harmless "a condition" stfm-status --no-refresh -w "$word=1"
	harmless "a column" stfm-status --no-refresh -s "$word" evil
	harmless "a file" stfm-plot "$word"
	harmless "a metric" stfm-plot -m "$word" evil.csv
	harmless "a hyperparameter" stfm-expand "$word=1"
	harmless "a job's name" stfm-submit -J "$word" lr=1 -- true
	harmless "an option" stfm-submit "--$word" lr=1 -- true
	harmless "a store" stfm-status --store "$word"
	harmless "one to stop" stfm-stop "$word"
done
# Programs read every byte; a terminal is shown what it would obey.
printf 'epoch,loss%s\n0,1\n1,0.5\n' "$esc" >odd.csv
export value="lr=1,${esc}[31mx$csi"
while read -r command; do
	sh -c "$command" >shown
	like "a pipe gets the bytes: $command" "$esc" "$(cat shown)"
	timeout -k 1 60 script -qec "stty -opost; $command" /dev/null \
		>shown 2>&1 </dev/null
	is "a terminal does not: $command" "" "$(raw <shown | cat -v)"
	like "it shows them: $command" '\\x1b' "$(cat shown)"
done <<-'EOD'
	stfm-expand "$value"
	stfm-expand -o csv "$value"
	stfm-expand -o args "$value"
	stfm-expand -o env "$value"
	stfm-plot -o tsv odd.csv
	stfm-plot -o tsv --by lr evil
	stfm-status --no-refresh -o tsv evil
	stfm-status --no-refresh -o csv evil
EOD
is "programs get the values as they are" "${esc}[31mx" \
	"$(stfm-status --no-refresh --json evil/1 | jq -r '.[0].lr')"

## Values and names

# Without Slurm nothing can be queued: what is refused for itself is refused
# first, and nothing is made.
submit() {
	limited stfm-submit --store new --no-check --gres=none "$@"
}
plan() {
	submit --dry-run "$@" | sed '1,/^# points/d'
}
is "values of any kind stay as they are" \
	"a b;\$(id)\`id\`\"'|-rf|--|~root|*|%A" \
	"$(plan "a=a b;\$(id)\`id\`\"'" b=-rf c=-- d=~root "e=*" f=%A -- true |
		sed 1d | tr '\t' '|')"
is "a newline too, where it is meant" 'a\nb' \
	"$(plan 'a:="a\nb"' -- true | sed 1d)"
refused "a word with one is taken for a mistake" "a line end in a value" \
	submit "a=a
b" -- true
refused "what is not UTF-8" "not UTF-8" submit "a=x$bad" -- true
printf 'a\n1\nx%s\n' "$bad" >bad.csv
refused "from a file" "task 1: a: 'x\\xff' is not UTF-8" \
	submit --from bad.csv -- true
refused "in the command" "word 1 is not UTF-8" submit a=1 -- "true$bad"
printf 'a\n1\000\n' >nul.csv
refused "a NUL byte in points" "NUL" submit --from nul.csv -- true
printf '1\0002\n' >nul.txt
refused "in values" "NUL" submit a=@nul.txt -- true
printf '{"params": {"a": "1\\u0000"}}' >nul.json
refused "in a spec" "line 1, column" submit --spec nul.json -- true
for name in . .. ../x a/b /x .x -x '' "a
b" 'a b' 'a;b' '$(id)' "a$bad" 4102 4102_3 "$(printf '%0300d' 0)"; do
	status "'$name' is no name of a job" 2 submit "-J$name" a=1 -- true
done
for name in 'a b' 'a;b' '$(id)' "a$bad" '../x' '' 1 "$(printf '%0200d' 0)x"; do
	status "'$name' is no hyperparameter" 2 submit "$name=1" -- true
	printf '%s\n1\n' "$name" >name.csv
	status "nor in a file" 2 submit --from name.csv -- true
done
ok "nothing was made of all that" test ! -e new

## Size

many=$(for i in $(seq 30); do echo "x$i=0..9"; done)
# shellcheck disable=SC2086 # one word a hyperparameter
refused "10^30 points" "too many to number" limited stfm-expand $many
# shellcheck disable=SC2086
refused "and as tasks" "too many to number" submit $many -- true
head -c 1000000 /dev/zero | tr '\0' '[' >deep
{
	printf '{"params": {"a": '
	cat deep
} >deep.json
{
	printf '{"a": '
	cat deep
} >deep.jsonl
refused "JSON a million levels deep in a spec" "levels" \
	limited stfm-expand --spec deep.json
refused "in points" "levels" limited stfm-expand --from deep.jsonl
refused "in a word" "more than 64 levels" stfm-expand "a:=$(head -c 1000 deep)"
gigabyte() {
	yes xxxxxxxxxxxxxxx | tr -d '\n' | head -c 1000000000
}
# In 1 GiB of memory, in which it would not fit.
bounded() (
	# shellcheck disable=SC3045 # dash has it
	[ -n "$SANITIZE" ] || ulimit -v 1048576
	exec timeout -k 1 600 "$@"
)
gigabyte | refused "a CSV line of a gigabyte" "no column of numbers" \
	bounded stfm-plot -
{
	echo epoch,loss
	gigabyte
} | refused "behind a header" "more than" bounded stfm-plot -
{
	printf 'a\tb\n'
	gigabyte
} | refused "in points" "line 2" bounded stfm-expand --from -

## Links, pipes and devices in a store

# It ends in time by itself, whatever it says.
ends() {
	ends_name=$1
	shift
	ends_rc=0
	timeout -k 1 200 "$@" >shown 2>told || ends_rc=$?
	[ "$ends_rc" -lt 124 ] || sed 's/^/# /' told
	is "$ends_name" "0, 1, 2 or 75" "$(case $ends_rc in
	0 | 1 | 2 | 75) echo '0, 1, 2 or 75' ;;
	*) echo "$ends_rc" ;;
	esac)"
}
all_end() {
	ends "$1: status of all" stfm-status --no-refresh
	like "$1: other jobs are there" "^good " "$(cat shown)"
	ends "$1: status" stfm-status --no-refresh "$2"
	ends "$1: a page" stfm-status --no-refresh "$2/0"
	ends "$1: plot" stfm-plot "$2"
	ends "$1: a pass" stfm-watch --once "$2"
	ends "$1: stop" stfm-stop -Q "$2"
	is "$1: nothing is written elsewhere" "" "$(ls elsewhere)"
	rm -rf "$STFM_DIR"
}
printf 'epoch,loss\n0,1\n1,0.5\n' >fine.csv
mkdir elsewhere
# A store with the jobs good and x; the log of the task x/0 is the argument.
fresh() {
	"$fixture" store <<-EOD
		job|good|lr=1
		task|0|FINISHED|array=4|exit=0
		end
		job|x|lr=1,2
		task|0|RUNNING|node=n1|start=-100|array=5|\
		log=${1:-$PWD/evil.log}
		metrics|0|fine.csv
		chunk|0-1|5
		end
	EOD
	job=$STFM_DIR/jobs/x
}
rm -rf "$STFM_DIR"
fresh
ln -s /etc "$STFM_DIR/jobs/etc"
mkfifo "$STFM_DIR/jobs/pipe"
: >"$STFM_DIR/jobs/file"
ln -s x "$STFM_DIR/jobs/link"
all_end "jobs that are none" etc
for name in job.json batch.sh; do
	fresh
	cp "$job/$name" kept
	rm "$job/$name"
	ln -s "$PWD/kept" "$job/$name"
	all_end "a link as $name" x
	fresh
	rm "$job/$name"
	mkfifo "$job/$name"
	all_end "a pipe as $name" x
done
for name in fold run sub ctl metrics log checkpoint; do
	fresh
	rm -rf "${job:?}/$name"
	ln -s "$PWD/elsewhere" "$job/$name"
	all_end "a link as $name/" x
	fresh
	rm -rf "${job:?}/$name"
	mkfifo "$job/$name"
	all_end "a pipe as $name/" x
done
for place in run/000/000000.0.0.E0 run/000 sub/c000.0.claim sub/c9.0.intent \
	ctl/stop.0 fold/state.99.jsonl; do
	fresh
	mkdir -p "$job/${place%/*}"
	rm -rf "${job:?}/$place"
	mkfifo "$job/$place"
	all_end "a pipe as $place" x
	fresh
	mkdir -p "$job/${place%/*}"
	rm -rf "${job:?}/$place"
	ln -s /dev/zero "$job/$place"
	all_end "a device as $place" x
done
for log in /dev/zero /dev/stdin "$PWD/pipe" "$PWD" /proc/self/mem; do
	[ -e pipe ] || mkfifo pipe
	fresh "$log"
	all_end "$log as a log" x
	fresh
	rm "$job/metrics/000000.csv"
	ln -s "$log" "$job/metrics/000000.csv"
	all_end "$log as metrics" x
done
fresh
rm "$STFM_DIR/FORMAT"
mkfifo "$STFM_DIR/FORMAT"
refused "a pipe as FORMAT" "FORMAT" limited stfm-status
rm -rf "$STFM_DIR"
rm -rf "$STFM_DIR" elsewhere

## Whose store it is

sbatch_never() {
	refused "$1" "$2" stfm-submit --queue-rest good
	refused "$1: no pass" "$2" stfm-watch --once
	refused "$1: nothing is stopped" "$2" stfm-stop good
	refused "$1: nothing is restarted" "$2" stfm-restart good
	refused "$1: nothing is repaired" "$2" stfm-check --repair good
	ok "$1: looking is possible" stfm-status --no-refresh good
}
fresh
chmod g+w "$STFM_DIR"
sbatch_never "a store that a group can write to" "chmod go-w $STFM_DIR"
chmod g-w "$STFM_DIR"
chmod o+w "$STFM_DIR/libexec"
sbatch_never "programs that others can replace" "chmod go-w $STFM_DIR/libexec"
chmod o-w "$STFM_DIR/libexec"
mkdir -p "$STFM_DIR/fold"
chmod o+w "$STFM_DIR/fold"
sbatch_never "a record of jobs that others can replace" \
	"chmod go-w $STFM_DIR/fold"
chmod o-w "$STFM_DIR/fold"
chmod 0777 .
sbatch_never "a store that others can replace" "anybody can write to $PWD"
chmod 1777 .
is "unless only its owner can" "" \
	"$(limited stfm-watch --once 2>&1 | grep anybody)"
chmod 0755 .
for mask in 000 002 022 027 077; do
	rm -rf "$STFM_DIR"
	(umask $mask && fresh)
	is "umask $mask: nothing is for others to write" "" \
		"$(find "$STFM_DIR" ! -type l -perm /022 ! -name '*.csv')"
	is "umask $mask: it is kept" "" \
		"$(find "$STFM_DIR" -perm "/2$mask" ! -name '*.csv')"
done
rm -rf "$STFM_DIR"
mkdir -m 0775 "$STFM_DIR"
fresh
is "a directory that was made for it is closed to others" 755 \
	"$(stat -c %a "$STFM_DIR")"

# A second user, which only root has.
as_other() {
	limited setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
if [ "$(id -u)" -eq 0 ] && chmod 0755 "$tap_dir" &&
	as_other "$bin/stfm-status" -V >/dev/null 2>&1; then
	belongs="it belongs to user"
	mkfifo "$STFM_DIR/jobs/x/pipe"
	before=$(find "$STFM_DIR" | sort)
	ok "another user can look" as_other stfm-status --no-refresh x
	ok "and draw" as_other stfm-plot x
	refused "but not watch" "$belongs" as_other stfm-watch --once
	refused "not stop" "$belongs" as_other stfm-stop x
	refused "not restart" "$belongs" as_other stfm-restart --finished x
	refused "not repair" "$belongs" as_other stfm-check --repair x
	refused "not submit" "$belongs" as_other stfm-submit --queue-rest x
	is "nothing has changed" "$before" "$(find "$STFM_DIR" | sort)"
	printf '%s\n' 'of|x' 'fact|0|S|node=n1' 'fact|0|E3' |
		"$fixture" store
	rm -rf "$STFM_DIR/jobs/x/fold" && mkdir "$STFM_DIR/jobs/x/fold"
	before=$(find "$STFM_DIR" | sort)
	as_other stfm-status -o tsv x >shown 2>told
	is "what was never folded is folded for who looks" 0 $?
	is "from its records" "ERROR SUBMITTED" \
		"$(sed 1d shown | cut -f 4 | xargs)"
	is "that the store cannot be written is said once" \
		"stfm-status: from the records alone, without Slurm: $(:
		)$STFM_DIR: $belongs 0: you can look, but only they can $(:
		)change it" "$(cat told)"
	ok "so does a chart" as_other stfm-plot x
	is "nor has that changed anything" "$before" \
		"$(find "$STFM_DIR" | sort)"
	chown -R 65534:65534 "$STFM_DIR"
	ok "root can look" stfm-status --no-refresh x
	refused "but does not work for others either" "$belongs" \
		stfm-watch --once
	refused "nor stop" "$belongs" stfm-stop x
	refused "nor restart" "$belongs" stfm-restart --finished x
	chown -R 0:0 "$STFM_DIR"
	chmod -R go-rwx "$STFM_DIR"
	refused "what is closed stays closed" "Permission denied" \
		as_other stfm-status --no-refresh x
	chown 65534 "$STFM_DIR/jobs/x/job.json" "$STFM_DIR/jobs/x/metrics"
	ok "files of another user are read" stfm-status --no-refresh x
else
	skip "a second user" "only root can be another user"
fi
done_testing
