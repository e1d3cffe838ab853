#!/bin/sh
# Defaults from files: what applies to a command, and where it comes from.
# tests/unit/config/config-test.c has what a file may say, and which of them
# holds.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_SITE_CONFIG="$tap_dir/here/site.json"
user=$HOME/.config/stfm/config.json
project=.stfm/config.json
mkdir -p "${user%/*}" .stfm

# Write the three files; "" is none.
files() {
	rm -f "$STFM_SITE_CONFIG" "$user" "$project"
	[ -z "$1" ] || printf '%s\n' "$1" >"$STFM_SITE_CONFIG"
	[ -z "$2" ] || printf '%s\n' "$2" >"$user"
	[ -z "$3" ] || printf '%s\n' "$3" >"$project"
}

# What is looked at, and the line of one key.
config() {
	stfm-check --config -o tsv "$@"
}

key() {
	config | grep "^$1	" | cut -f 2,3
}

plan() {
	stfm-submit --dry-run "$@" a=1,2 -- true
}

defaults() {
	plan "$@" | sed -n 's/^# default \(.*\) (.*/\1/p'
}

# ---- what applies ----

files '{"sbatch": {"partition": "site", "time": "1:00:00"}}' \
	'{"sbatch": {"partition": "user"},
 "submit": {"parallel": 4, "args": "hydra", "metric": "acc", "goal": "max"}}' \
	'{"submit": {"parallel": 2}}'
is "nearer files come first" "user	user
1:00:00	site
2	project" "$(for i in sbatch.partition sbatch.time submit.parallel; do
	key "$i"
done)"
is "what nobody says is built in" "60	built in" "$(key watch.interval)"
is "a variable comes before files" "var	environment" \
	"$(SBATCH_PARTITION=var key sbatch.partition)"
is "what holds is shown once" "" "$(config | cut -f 1 | sort | uniq -d)"
is "-v shows what does not hold" "site false
user true" "$(config -v | awk -F '\t' '
	$1 == "sbatch.partition" { print $2, $6 }')"
like "-v shows what could be said" '^submit.canary	' "$(config -v)"
like "people see the file and the line" \
	'^submit\.args +hydra +user:2$' \
	"$(stfm-check --config)"
like "people see where the files are" \
	'^project +.*/here/\.stfm/config\.json$' "$(stfm-check --config)"
like "and which are not there" '^site .* not there$' \
	"$(rm site.json && stfm-check --config)"
is "no line is over the width" "" "$(COLUMNS=60 stfm-check --config -v |
	grep -E '.{61}')"
ok "it is JSON" sh -c 'stfm-check --config -o json | jq -e \
	"map(select(.key == \"submit.args\"))[0].line == 2"'

# ---- a job ----

is "a job has the defaults" "--args=hydra
--parallel=2
--metric=acc
--goal=max
--partition=user" "$(defaults | grep -v time)"
like "a dry run says where they come from" \
	'^# default --parallel=2 \(.*/here/\.stfm/config\.json: line 1\)$' \
	"$(plan)"
like "sbatch is given them" '^sbatch .* --partition=user .*%2 ' "$(plan)"
is "the command line comes before" "--args=hydra" \
	"$(defaults --parallel 9 -p x --metric loss)"
like "so does its value" '^sbatch .* --partition=x .*%9 ' \
	"$(plan --parallel 9 -p x)"
is "a variable of sbatch comes before" "" \
	"$(SBATCH_PARTITION=v plan | grep partition)"
printf '#!/bin/sh\n#SBATCH -p mine\ntrue\n' >job.sh
is "a script comes before" "" \
	"$(stfm-submit --dry-run a=1 job.sh | grep partition=)"
echo '{"params": {"a": [1]}, "policy": {"requeue": 3},
	"sbatch": {"partition": "spec"}}' >spec.json
files '' '{"submit": {"requeue": 5, "max-fail": 2}, "sbatch":
	{"partition": "p", "mem": "4G"}}' ''
is "a spec comes before" "--max-fail=2
--mem=4G" "$(stfm-submit --dry-run --spec spec.json -- true |
	sed -n 's/^# default \(.*\) (.*/\1/p')"
is "what says the same otherwise comes before" "" \
	"$(plan --mem-per-cpu=1G | grep -e '--mem=')"
files '' '{"submit": {"metrics-regex": ["a=(?P<a>.)", "b=(?P<b>.)"]}}' ''
is "a list is taken whole" 2 "$(defaults | wc -l)"
is "the command line takes the place of a list" "" \
	"$(defaults --metrics-regex 'c=(?P<c>.)')"
is "one file can be named instead" "" "$(STFM_CONFIG=/dev/null defaults)"
files '' '{"submit": {"no-snapshot": true}}' ''
like "a snapshot can be left out" '^# no snapshot: --no-snapshot$' "$(plan)"
is "and be asked for again" "" \
	"$(plan --snapshot='*.x' | grep 'no-snapshot')"

# ---- the store ----

files '' "{\"store\": \"$PWD/mine\"}" ''
is "the nearest .stfm comes before the user's" "$PWD/.stfm	nearest" \
	"$(key store)"
rmdir .stfm
like "elsewhere it is the user's" "no jobs in $PWD/mine:" \
	"$(stfm-status 2>&1)"
like "stfm-check knows it, too" "$PWD/mine: no store here" \
	"$(stfm-check --store 2>&1)"
like "STFM_DIR comes before" "no jobs in $PWD/other:" \
	"$(STFM_DIR=other stfm-status 2>&1)"
like "-d comes before all" "$PWD/third: no store here" \
	"$(STFM_DIR=other stfm-status -d third 2>&1)"
mkdir .stfm
files '' '' '{"store": "runs"}'
mkdir -p deep/er
like "a path is relative to the project" "no jobs in $PWD/runs:" \
	"$(cd deep/er && stfm-status 2>&1)"
files '' '' '{}'
like "defaults alone are no store yet" 'no FORMAT\); stfm-submit makes one' \
	"$(stfm-watch -1 2>&1)"

# ---- what is wrong ----

wrong() {
	files '' "$2" ''
	refused "$1" "$user: $3" plan
	ok "$1: nothing was made" test ! -e .stfm/FORMAT
	status "$1: stfm-check says no" 1 stfm-check --config
	like "$1: stfm-check says why" "stfm-check: $user: " \
		"$(stfm-check --config 2>&1 >/dev/null)"
}
wrong "no JSON" '{"submit": }' "line 1, column 12: "
wrong "a mistyped key" '{
  "submit": {"parallex": 2}}' \
	'line 2, column 14: unknown key "parallex" in "submit" (did you mean'
wrong "a wrong type" '{"submit": {"parallel": "x"}}' \
	"line 1, column 25: \"parallel\": 'x' is no whole number"
wrong "an option of sbatch that is none" '{"sbatch": {"partitoin": "x"}}' \
	'line 1, column 13: unknown key "partitoin" in "sbatch" (did you mean'
files '' '{"submit": {"epochs": -1}}' ''
refused "a value that the command refuses" \
	"$user: line 1: epochs: '-1' is not" plan
files '' '{"submit": {"retry-oom": 0.5}}' ''
refused "its reason begins with the place" "$user: line 1: retry-oom: " plan
files '' '{"submit": {"parallex": 2}}' ''
status "what is wrong for one command is nothing to another" 0 \
	sh -c "printf 'epoch,loss\n0,1\n' | stfm-plot -o tsv -"
files '' '{' ''
ok "help is to be had all the same" stfm-submit --help
ok "and the version" stfm-status -V
refused "a command that would change something does not run" "$user: line 2" \
	stfm-stop --remove x

# ---- somebody else's file ----

files '' '' '{"store": "x", "submit": {"parallel": 2, "snapshot": "*"},
	"sbatch": {"chdir": "/", "partition": "p"}}'
chmod 666 "$project"
is "of a file that others can write to resources are taken" "--parallel=2
--partition=p" "$(defaults 2>/dev/null)"
plan >/dev/null 2>err
is "and the rest is said not to be" 3 "$(grep -c 'not taken from a file' err)"
like "with the place" "config.json: line 1, column 2: \"store\"" "$(cat err)"
like "stfm-check shows it" ' others can write to it$' \
	"$(stfm-check --config 2>&1)"
status "which is no reason to say no" 0 stfm-check --config
echo '{' >"$project"
ok "a broken one keeps nobody from working" plan

done_testing
