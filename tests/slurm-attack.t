#!/bin/sh
# Hostile values, logs and stores with a real Slurm: what a task gets to see,
# and what a pass makes of it.  attack.t has what needs no Slurm.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1
export STFM_DIR="$tap_dir/store"
export OUT="$tap_dir/out.d"
mkdir "$OUT"

submit() {
	stfm-submit -Q --gres=none "$@"
}
follow() {
	timeout -k 1 3000 stfm-watch -Q -i 1 "$@"
}
raw() {
	LC_ALL=C grep -aE "$(printf \
		'[\001-\010\013-\037\177]|\302[\200-\237]|\342\200[\252-\256]')"
}
harmless() {
	harmless_name=$1
	shift
	timeout -k 1 300 "$@" >shown 2>told
	is "$harmless_name" "" "$(cat shown told | raw | head -3 | cat -v)"
}

## Values and words as a task gets them

cat >train.sh <<'END'
#!/bin/sh
printf '%s\0' "$@" >"$OUT/$STFM_JOB.words"
env -0 >"$OUT/$STFM_JOB.env"
END
chmod +x train.sh
shell="a b;\$(touch $OUT/ran)\`touch $OUT/ran\`\"'\\|&>x#*?[]{}~!"
lines=$(printf 'x\ny\tz')
submit -J placed "shell=$shell" lr=-1e-3 "--description=$shell" \
	"--comment=$shell" -- ./train.sh -- "$shell" '--{lr}' -x
follow placed
is "words and a value in its place, byte for byte" \
	"$(printf '%s\0' -- "$shell" "---1e-3" -x | base64)" \
	"$(base64 "$OUT/placed.words")"
submit -J at --args=long "shell=$shell" dash=-rf 'lines:="x\ny\tz"' \
	"quote='" -- ./train.sh
submit -J two --args=space "shell=$shell" dash=-rf 'lines:="x\ny\tz"' \
	"quote='" -- ./train.sh
submit -J words --args=hydra "shell=$shell" dash=-rf 'lines:="x\ny\tz"' \
	"quote='" -- ./train.sh
for job in at two words; do
	follow $job
done
is "--name=value" "$(printf '%s\0' "--shell=$shell" --dash=-rf \
	"--lines=$lines" "--quote='" | base64)" "$(base64 "$OUT/at.words")"
is "--name value" "$(printf '%s\0' --shell "$shell" --dash -rf \
	--lines "$lines" --quote "'" | base64)" "$(base64 "$OUT/two.words")"
is "name=value" "$(printf '%s\0' "shell=$shell" dash=-rf \
	"lines=$lines" "quote='" | base64)" "$(base64 "$OUT/words.words")"
variable() {
	tr '\n\0' '\1\n' <"$OUT/$1.env" | sed -n "s/^$2=//p" | tr '\1' '\n'
}
is "STFM_PARAM_" "$shell" "$(variable at STFM_PARAM_shell)"
is "STFM_PARAM_ with lines" "$lines" "$(variable at STFM_PARAM_lines)"
is "STFM_PARAMS" "$shell" "$(variable at STFM_PARAMS | jq -r .shell)"
is "STFM_PARAMS with lines" "$lines" "$(variable at STFM_PARAMS | jq -r .lines)"
is "STFM_PARAMS with dashes" "-rf" "$(variable at STFM_PARAMS | jq -r .dash)"
ok "nothing of that was run" test ! -e "$OUT/ran"

## Secrets

export API_TOKEN=s3cr3t-of-the-user AWS_SECRET_ACCESS_KEY=s3cr3t-of-the-user
submit -J secret lr=1 -- ./train.sh
scontrol show job -o >scontrol.out
squeue -h -o '%i %j %k %o %Z' >squeue.out
follow secret
is "the task has the user's environment" s3cr3t-of-the-user \
	"$(variable secret API_TOKEN)"
is "no record has it" "" "$(grep -rl s3cr3t-of-the-user "$STFM_DIR")"
is "nor does Slurm show it" "" "$(cat scontrol.out squeue.out | grep s3cr3t)"
unset API_TOKEN AWS_SECRET_ACCESS_KEY

## What the training prints

cat >evil.sh <<'END'
#!/bin/sh
printf '\033[31mred\033]0;title\007\302\233[2J\n\r\342\200\256last\033[2J'
printf 'ep\033[31moch,lo\033ss,val_loss\n0,1,2\n1,1,1\n' >"$STFM_METRICS"
exit 3
END
chmod +x evil.sh
submit -J evil "note=$(printf '\033')[31m" -- ./evil.sh
array=$(squeue -h -n evil -o %A | head -1)
scontrol update "jobid=$array" "comment=$(printf '\033')[31m" 2>/dev/null
harmless "a pass" stfm-watch -1 evil
follow evil
harmless "the end of a pass" stfm-watch -1
harmless "the table" stfm-status --refresh
harmless "the tasks" stfm-status evil
harmless "a page" stfm-status evil/0
harmless "the logs" stfm-log evil
harmless "the logs, followed" stfm-log -f evil
harmless "the errors" stfm-log -e evil
harmless "the chart" stfm-plot evil
harmless "stopping" stfm-stop evil

## A line without an end

# The sanitizers look at each of its bytes: there it is shorter.
export ENDLESS=300000000
[ -z "$SANITIZE" ] || ENDLESS=30000000
cat >endless.sh <<'END'
#!/bin/sh
echo epoch,loss >"$STFM_METRICS"
echo 0,1 >>"$STFM_METRICS"
yes xxxxxxxxxxxxxxx | tr -d '\n' | head -c "$ENDLESS" >>"$STFM_METRICS"
END
chmod +x endless.sh
submit -J endless lr=1 -- ./endless.sh
follow endless
bounded() (
	# shellcheck disable=SC3045 # dash has it
	[ -n "$SANITIZE" ] || ulimit -v 250000
	exec timeout -k 1 300 "$@"
)
ok "a pass takes little memory for 300 MB of one line" \
	bounded stfm-watch -1 endless
ok "so does the table" bounded stfm-status --no-refresh endless
is "what came before it is known" 1 \
	"$(stfm-status --no-refresh --json endless | jq '.[0].best')"
rm -f "$STFM_DIR/jobs/endless/metrics"/*

## Modes

for mask in 000 002 022 077; do
	export STFM_DIR="$tap_dir/store.$mask"
	(
		umask $mask
		submit -J mode lr=1,2 -- ./train.sh
		follow mode
		stfm-watch -1 -Q
	)
	is "umask $mask: both tasks have trained" FINISHED \
		"$(stfm-status --no-refresh --json mode |
			jq -r '[.[].state] | unique | join(" ")')"
	is "umask $mask: no record is for others to write" "" \
		"$(find "$STFM_DIR" ! -type l -perm /022 ! -path '*/log/*' \
			! -path '*/metrics/*')"
done
is "umask 077: nothing is for others at all" "" \
	"$(find "$STFM_DIR" ! -type l -perm /077)"
ok "umask 022: it is for others to read" \
	test -r "$tap_dir/store.022/jobs/mode/job.json"
is "umask 022: all of it" "" "$(find "$tap_dir/store.022/jobs/mode/run" \
	"$tap_dir/store.022/jobs/mode/fold" ! -perm -044)"

# What others may not read they do not read as a part of a job either.
export STFM_DIR="$tap_dir/store.022"
umask 022
private() {
	stat -c %a "$STFM_DIR/jobs/$1"
}
printf '#!/bin/sh\nexport TOKEN=private\n./train.sh\n' >own.sbatch
printf 'lr\n1\n2\n' >own.csv
echo '{"params": {"lr": [1]}}' >own.json
printf '1\n2\n' >own.txt
submit -J open lr=1 own.sbatch
chmod 700 own.sbatch
chmod 600 own.json own.txt
chmod 640 own.csv
submit -J script lr=1 own.sbatch
submit -J points --from own.csv -- true
submit -J spec --spec own.json -- true
submit -J values lr=@own.txt -- true
submit -J grown --hold lr=1 -- true
submit -J grown --hold --sync lr=@own.txt -- true
is "a job is as private as what it was made of" "755 700 750 700 700 700" \
	"$(for job in open script points spec values grown; do
		private $job
	done | xargs)"
follow script
is "and is trained like others" FINISHED \
	"$(stfm-status --no-refresh -o tsv script | sed 1d | cut -f 4)"
stfm-stop -yQ grown

# Nor what looks like a secret, wherever the job needs it.
export WANDB_API_KEY=a1s2d3f4g5h6j7k8
told() {
	told_in=$1
	shift
	submit -J "told-$told_in" -H "$@" 2>told
	like "a secret in $told_in is said to be for its owner alone" \
		'looks like a secret.*readable for you alone' \
		"$(tr '\n' ' ' <told)"
}
told export "--export=ALL,K=$WANDB_API_KEY" lr=1 -- ./train.sh
told "then" "--then=post:$WANDB_API_KEY" lr=1 -- ./train.sh
told description "--description=$WANDB_API_KEY" lr=1 -- ./train.sh
told space "lr=a-$WANDB_API_KEY" -- ./train.sh
told command lr=1 -- ./train.sh "--key=$WANDB_API_KEY"
submit -J told-sync -H lr=1 -- ./train.sh
submit -J told-sync -H --sync "lr=a-$WANDB_API_KEY" -- ./train.sh 2>told
stfm-stop -yQ told-export told-then told-description told-space \
	told-command told-sync
follow open
stfm-restart -Q --finished --hold "--export=ALL,K=$WANDB_API_KEY" open/0 2>told
stfm-stop -yQ open
like "so is one with which tasks are queued again" \
	'looks like a secret.*readable for you alone' \
	"$(tr '\n' ' ' <told)"
is "in a job that was for others to read" 700 "$(private open)"
ok "it is in the store" grep -qr "$WANDB_API_KEY" "$STFM_DIR"
is "and no file with it is for others to read" "" \
	"$(find "$STFM_DIR" -type d ! -perm /011 -prune -o \
		-type f -perm /044 -exec grep -l "$WANDB_API_KEY" {} +)"
unset WANDB_API_KEY

## Links in a store

export STFM_DIR="$tap_dir/linked"
mkdir elsewhere
for name in fold run sub ctl; do
	submit -J linked lr=1 -- ./train.sh
	follow linked
	rm -rf "${STFM_DIR:?}/jobs/linked/$name"
	ln -s "$PWD/elsewhere" "$STFM_DIR/jobs/linked/$name"
	timeout -k 1 300 stfm-watch -1 -Q linked >/dev/null 2>&1
	timeout -k 1 300 stfm-stop -Q linked >/dev/null 2>&1
	is "nothing is written through a link as $name/" "" "$(ls elsewhere)"
	touch elsewhere/kept
	timeout -k 1 300 stfm-stop -Q --yes --remove linked >/dev/null 2>&1
	ok "or removed" test -e elsewhere/kept
	rm -rf "$STFM_DIR" elsewhere/kept
done

## A program in the place of ours

submit -J first lr=1 -- ./train.sh
follow first
program=$(find "$STFM_DIR/libexec" -type f)
cp "$program" kept
printf '#!/bin/sh\ntouch %s/ran\n' "$OUT" >"$program"
refused "it is not run" "damaged" submit -J second lr=1 -- ./train.sh
cp kept "$program"
ok "ours is" submit -J second lr=1 -- ./train.sh
follow second
ok "nothing of that was run either" test ! -e "$OUT/ran"

done_testing
