#!/bin/sh
# What was changed since the submission, or can be by others, does not train.
. "$(dirname "$0")/tap.sh"

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
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
is "nor is what was changed while it waited run" "ERROR" "$(task waits .state)"
like "in words" "jobs/waits/script: damaged: not what was submitted" \
	"$(stfm-status waits/0 2>&1)"
submit -J open --hold own.sbatch
chmod g+w "$STFM_DIR/jobs/open/sub"
let_go open
is "nor what others can change" "ERROR" "$(task open .state)"
like "in words that say what to do" "chmod go-w $STFM_DIR/jobs/open/sub" \
	"$(stfm-status open/0 2>&1)"
chmod g-w "$STFM_DIR/jobs/open/sub"
is "nothing but the first has trained" good "$(xargs <"$OUT")"
stfm-restart -Q open
let_go open
is "what was closed again trains" "good good" "$(xargs <"$OUT")"

done_testing
