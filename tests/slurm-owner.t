#!/bin/sh
# What was changed since the submission, or can be by others, does not train.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/trained"
: >"$OUT"

printf '#!/bin/sh\n#SBATCH -t 5\necho "%s" >>"$OUT"\nexit 1\n' good >own.sbatch
submit() {
	stfm-submit -Q --gres=none "$@"
}
# Let go what was held, and see it end.
let_go() {
	scontrol release "$(squeue -h -o %F -n "$1" | head -n 1)"
	stfm-watch -Q -i 1 "$1" 2>/dev/null
}
task() {
	stfm-status -o jsonl "$1" | jq -r "$2"
}
spoil() {
	sed -i s/good/evil/ "$STFM_DIR/jobs/$1/script"
}

submit -J ran own.sbatch
stfm-watch -Q -i 1 ran
is "it trained, and failed" "ERROR exit 1" \
	"$(task ran '"\(.state) \(.cause)"')"
before=$(find "$STFM_DIR/jobs/ran/sub" | sort)
spoil ran
refused "a script that was changed is not queued again" \
	"jobs/ran/script: damaged: not what was submitted" stfm-restart ran
is "nothing of that was recorded" "$before" \
	"$(find "$STFM_DIR/jobs/ran/sub" | sort)"
truncate -s 12 "$STFM_DIR/jobs/ran/script"
refused "nor one that was cut" "jobs/ran/script: damaged" stfm-restart ran
stfm-watch -Q -1
is "and no state is made of it" "ERROR exit 1" \
	"$(task ran '"\(.state) \(.cause)"')"
status "stfm-check names it" 1 stfm-check ran
like "by its file" "^$STFM_DIR/jobs/ran/script: damaged" "$(stfm-check ran)"
stfm-check --repair ran >repaired
like "it is moved aside, not removed" "^jobs/ran/script: moved aside" \
	"$(cat repaired)"
ok "it is there" test -e "$(echo "$STFM_DIR"/lost/*/jobs/ran/script)"
refused "and without it nothing is queued" \
	"jobs/ran/script: cannot open: No such file" stfm-restart ran

submit -J waits --hold own.sbatch
spoil waits
let_go waits
is "nor is what was changed while it waited run" "ERROR exit 75" \
	"$(task waits '"\(.state) \(.cause)"')"
like "in words" "jobs/waits/script: damaged: not what was submitted" \
	"$(stfm-status waits/0 2>&1)"
submit -J open --hold own.sbatch
chmod g+w "$STFM_DIR/jobs/open/sub"
let_go open
is "nor what others can change" "ERROR job is not safe to run" \
	"$(task open '"\(.state) \(.cause)"')"
like "in words that say what to do" "chmod go-w $STFM_DIR/jobs/open/sub" \
	"$(stfm-status open/0 2>&1)"
chmod g-w "$STFM_DIR/jobs/open/sub"
is "nothing but the first has trained" good "$(xargs <"$OUT")"
stfm-restart -Q open
let_go open
is "what was closed again trains" "good good" "$(xargs <"$OUT")"

# ---- a store in the directory of a group ----

# Whatever the umask, others cannot write to what is made there.
mkdir -m 2775 group
if [ "$(id -u)" = 0 ]; then
	chgrp 65534 group
fi
export STFM_DIR="$PWD/group/store"
cat >trains <<'END'
#!/bin/sh
printf 'epoch,val_loss\n0,1\n' >"$STFM_METRICS"
echo >"$STFM_CHECKPOINT_DIR/a.pt"
umask >"$OUT.umask"
END
chmod +x trains
(
	umask 000
	submit -J shared -A lab x=1,2 -- ./trains
	stfm-watch -Q -i 1 shared
	stfm-restart -Q --finished shared/0
	stfm-watch -Q -i 1 shared
) 2>/dev/null
is "it trained" "FINISHED FINISHED" "$(task shared .state | xargs)"
is "nothing in it can be written by others" "" \
	"$(find "$STFM_DIR" -perm /022 ! -type l)"
is "as little as if the user had said so" "0022" \
	"$(cat "$OUT.umask")"
is "the account is known that it ran under" "lab" \
	"$(task shared/1 .account)"
like "and shown" "^Account +lab$" "$(stfm-status shared/1)"
is "who looks at their own jobs need not read whose they are" "" \
	"$(stfm-status | grep -w USER)"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 711 "$tap_dir" "$tap_dir/slurm"
	other() {
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			env HOME=/nonexistent "$@"
	}
	like "somebody else sees whose they are" \
		"^shared .* $(id -un) *$" "$(other stfm-status 2>/dev/null)"
	like "under a head" "^JOB .* USER *$" \
		"$(other stfm-status 2>/dev/null)"
	is "with their tasks" "shared/0 shared/1" \
		"$(other stfm-status -o jsonl shared 2>/dev/null | jq -r .id |
			xargs)"
	like "and their logs" "^[0-9]*_1.log$" "$(other stfm-log --path \
		shared/1 | xargs basename)"
	is "and how many run at once" "shared: any number of tasks at once" \
		"$(other stfm-throttle shared 2>&1)"
	before=$(find "$STFM_DIR" -printf '%P %i %T@\n' | sort)
	for command in stfm-stop stfm-restart "stfm-stop --remove -y" \
		stfm-hold stfm-release "stfm-checkpoints -y --keep-last 1"; do
		# shellcheck disable=SC2086 # words
		refused "$command is not for them" \
			"belongs to user 0: you can look, but only they can" \
			other $command shared
	done
	refused "nor is it for them to change that" "belongs to user 0" \
		other stfm-throttle shared 2
	other stfm-check --store shared >"$tap_dir/said" 2>&1
	is "what only its owner can read is not called fine" 2 $?
	like "but named" "/shared/code\.tsv: note: .*Permission denied" \
		"$(cat "$tap_dir/said")"
	like "and counted" "[0-9] files? could not be read, and (is|are) not" \
		"$(cat "$tap_dir/said")"
	refused "nor is a job of theirs" "belongs to user 0" \
		other stfm-submit -J mine --gres=none x=1 -- true
	is "nothing was changed" "$before" \
		"$(find "$STFM_DIR" -printf '%P %i %T@\n' | sort)"
else
	skip "somebody else" "only root can be another user"
fi

done_testing
