#!/bin/sh
# The record of settled jobs: the list of jobs is the same with it and without.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export STFM_DIR="$tap_dir/here/store" TZ=UTC

# jobs FROM TO: lines for jobs whose tasks are over.
jobs() {
	seq "$1" "$2" | while read -r n; do
		printf '%s\n' "job|j$n|seed=1..3" \
			"set|description=number $n|metric=loss|goal=min" \
			'task|0|FINISHED|node=n1|start=-90|end=-40|exit=0' \
			'task|1|ERROR|node=n2|start=-90|end=-50|exit=1' \
			'task|2|STOPPED' end
	done
}

# The list as it is shown, and as it is when each job is read.
shown() {
	stfm-status --no-refresh -o tsv "$@" 2>&1
}
read_all() {
	shown --find '' "$@"
}

same() {
	is "$1" "$(read_all | sort)" "$(shown | sort)"
}

generation() {
	find store/fold -name 'settled.*.tsv' 2>/dev/null |
		sed 's/.*settled\.//; s/\.tsv//'
}

# List the jobs until so many are recorded.
recorded() {
	for _ in $(seq 100); do
		shown >/dev/null
		[ "$(cat store/fold/settled.* 2>/dev/null |
			grep -c '^j')" -eq "$1" ] && return 0
		sleep 0.2
	done
	return 1
}

# Which jobs a list opens, and how many files of others it asks for.
traced() {
	strace -f -o trace stfm-status --no-refresh "$@" >/dev/null 2>&1
	sed -n 's/.*openat(.*"\(j[0-9]*\)", .*/\1/p' trace | sort -u |
		tr '\n' ' '
	grep -c 'statx(.*"j[0-9]' trace
}

mkdir -p store
jobs 1 40 | "$fixture" store
first=$(read_all)
is "a store without a record" "$first" "$(shown)"
ok "jobs that have just changed are not recorded" [ ! -e store/fold ]
ok "jobs that have not changed for a while are" recorded 40
is "the list is the same" "$first" "$(shown)"
is "so is the one for people" \
	"$(stfm-status --no-refresh --find '' 2>&1 | sed 's/[0-9]* s$//')" \
	"$(stfm-status --no-refresh 2>&1 | sed 's/[0-9]* s$//')"
is "and its newest jobs" "$(read_all -n 3)" "$(shown -n 3)"
like "people read how many jobs were not looked at" \
	"37 older jobs not looked at; without -n all jobs are$" \
	"$(stfm-status --no-refresh -n 3 2>&1)"
is "if there are any" "" \
	"$(stfm-status --no-refresh 2>&1 | grep 'looked at')"

if strace -o /dev/null true 2>/dev/null && [ -z "$SANITIZE" ]; then
	is "no job is opened, five files are asked for" "200" "$(traced)"
	is "of the newest two, only they are looked at" "10" "$(traced -n 2)"
fi

# ---- changes ----

stfm-set -Q --tag paper j3 >set.log 2>&1
like "a tag is shown at once" "^j3	number 3	paper	" \
	"$(shown | grep '^j3	')"
same "with everything else"
if strace -o /dev/null true 2>/dev/null && [ -z "$SANITIZE" ]; then
	like "only the changed job is opened" '^j3 ' "$(traced)"
fi
stfm-set --metric acc j4 >set.log 2>&1
same "another metric is shown"

rm -rf store/jobs/j5
is "a removed job is not shown" "" "$(shown | grep '^j5	')"
same "the others are"
jobs 5 5 | sed 's/number/another/' | "$fixture" store
like "a new job of its name is" "^j5	another 5	" \
	"$(shown | grep '^j5	')"
is "and is the newest" "j5" "$(shown -n 1 | sed 1d | cut -f1)"
same "with the others"

printf '%s\n' 'of|j6' 'task|0|RUNNING|node=n1|start=-9' end |
	"$fixture" store 2>/dev/null
same "a task that runs again is shown"

# ---- damage ----

cp -p store/jobs/j7/job.json kept
printf X | dd of=store/jobs/j7/job.json bs=1 seek=20 conv=notrunc 2>/dev/null
like "a flipped byte in a record is noticed" "j7/job.json: damaged" "$(shown)"
same "and the other jobs are shown"
cp -p kept store/jobs/j7/job.json
same "until it is back"
for file in store/jobs/j8/fold/state.*; do
	printf X | dd of="$file" bs=1 seek=30 conv=notrunc 2>/dev/null
done
like "so is one in a table" "j8: .*damaged" "$(shown)"
same "which is no different"
mv store/jobs/j9/fold store/jobs/j9/away
same "a job whose table is gone"
mv store/jobs/j9/away store/jobs/j9/fold
rm store/jobs/j10/job.json
same "a job whose record is gone"
mv store/jobs/j11 store/jobs/j11b
same "a job under another name"
mv store/jobs/j12 aside
ln -s "$PWD/aside" store/jobs/j12
same "a link in place of a job"
mkdir -p store/jobs/j13/change/1
same "a change without its record"

# ---- records of changes, and what is shown of Slurm ----

rm -rf store
mkdir store
jobs 1 40 | "$fixture" store
stfm-set -Q --tag lost j14 >set.log 2>&1
ok "jobs are recorded again" recorded 40
printf X | dd of=store/jobs/j14/change/1/change.json bs=1 seek=20 \
	conv=notrunc 2>/dev/null
like "a flipped byte in a change is noticed" "change.json: damaged" "$(shown)"
same "with the other jobs"
ok "jobs are recorded without it" recorded 39
stfm-check --store --repair j14 >/dev/null 2>&1
same "its repair is shown"
is "with the newest jobs" "$(read_all -n 3)" "$(shown -n 3)"
ok "jobs are recorded with it" recorded 40
printf X | dd of=store/jobs/j40/job.json bs=1 seek=20 conv=notrunc 2>/dev/null
is "as many newest jobs are shown if one is damaged" \
	"$(read_all -n 3)" "$(shown -n 3)"
rm -rf store/jobs/j38 store/jobs/j39 store/jobs/j40
ok "jobs that are gone are in no later record" recorded 37

printf '%s\n' 'job|t1|seed=1..3' 'task|0|RUNNING|node=n1|start=-90' \
	'fold|asked=-50|trouble=no answer' end | "$fixture" store
same "that Slurm did not answer is shown"
sleep 1.1
jobs 41 41 | "$fixture" store
ok "a job that ended later is recorded" recorded 38
same "and known to be later"

# ---- damage to the record ----

last=$(generation)
cp -R store/fold keep
for place in 5 40 400 2000; do
	printf X | dd of="store/fold/settled.$last.tsv" bs=1 seek=$place \
		conv=notrunc 2>/dev/null
	same "a flipped byte at $place of the record"
	last=$(generation)
done
: >"store/fold/settled.$last.tsv"
same "an empty record"
last=$(generation)
rm -rf store/fold
cp -R keep store/fold
printf X >>"store/fold/settled.$(generation).tsv"
like "stfm-check names a damaged record" "fold/settled.*damaged" \
	"$(stfm-check --store 2>&1)"
stfm-check --store --repair >/dev/null 2>&1
is "and moves it away" "" "$(generation)"
rm -rf store/fold
same "without a record it is the same"
mkdir -p store/fold
chmod 555 store/fold
same "and with a place that cannot be written to"
chmod 755 store/fold

# ---- other users ----

jobs 1 40 | sed 's/|j/|k/' | "$fixture" store
other() {
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		stfm-status --no-refresh -d "$STFM_DIR" -o tsv "$@" 2>&1
}
if [ "$(id -u)" -eq 0 ] && chmod 755 "$tap_dir" "$tap_dir/here" &&
	other >/dev/null; then
	rm -rf store/fold
	is "without a record another user sees the same" \
		"$(other --find '' | sort)" "$(other | sort)"
	is "and makes none" "" "$(generation)"
	rm -rf store
	mkdir store
	jobs 1 40 | "$fixture" store
	recorded 40
	is "and with one" "$(other --find '' | sort)" "$(other | sort)"
	stfm-set -Q --tag mine j1 >set.log 2>&1
	is "that is older than a change" \
		"$(other --find '' | sort)" "$(other | sort)"
	chmod 700 store/jobs/j2
	is "a job that is closed is not shown by the record" \
		"$(other --find '' | sort)" "$(other | sort)"
	closed() {
		rm -rf store/fold
		shown >/dev/null
		grep -q '^j2	' store/fold/* 2>/dev/null
	}
	poll 30 closed
	is "which is closed, too" 600 "$(stat -c %a store/fold/settled.*)"
	is "and not missed" "$(other --find '' | sort)" "$(other | sort)"
	chmod 755 store/jobs/j2
	chmod 600 store/jobs/j2/job.json
	is "nor is one whose record is closed" \
		"$(other --find '' | sort)" "$(other | sort)"
	poll 30 closed
	is "even if it is recorded" \
		"$(other --find '' | sort)" "$(other | sort)"
	chmod 644 store/jobs/j2/job.json
	poll 30 closed
	is "an open store has an open record" \
		644 "$(stat -c %a store/fold/settled.*)"
	chmod 700 store/jobs
	poll 30 closed
	is "and one with closed jobs has none" \
		600 "$(stat -c %a store/fold/settled.*)"
	chmod 755 store/jobs
else
	skip "the store of another user" "root alone can be another user"
fi

# ---- killed in between ----

if strace -o /dev/null true 2>/dev/null && [ -z "$SANITIZE" ]; then
	rm -rf store
	mkdir store
	jobs 1 40 | "$fixture" store
	recorded 40
	# killed CALL N COMMAND...: kill it at the N-th such call.
	killed() {
		call=$1 at=$2
		shift 2
		strace -f -o trace -e trace="$call" \
			-e inject="$call":signal=KILL:when="$at" "$@" \
			>/dev/null 2>&1
		grep -q 'killed by SIGKILL' trace
	}
	n=1
	for name in mkdirat linkat renameat unlinkat; do
		at=1
		while killed "$name" "$at" stfm-set -Q \
			--tag "$name$at" "j$n"; do
			n=$((n + 1)) at=$((at + 1))
			[ "$(read_all | sort)" = "$(shown | sort)" ] || break 2
		done
	done
	ok "a command was killed at each call that changes files" \
		[ "$n" -gt 3 ]
	same "and what it had changed is shown"
	rm -rf store/fold
	unrecorded() {
		killed linkat 1 stfm-status --no-refresh
	}
	ok "a list is killed while it writes the record" poll 30 unrecorded
	same "the next one is the same"
fi

# ---- two at once ----

rm -rf store
mkdir store
jobs 1 40 | "$fixture" store
recorded 40
for _ in 1 2 3 4; do
	stfm-set -Q --tag "t$_" "j$_" >/dev/null 2>&1 &
	shown >"list.$_" &
done
wait
same "changes and lists at once"
# Two that write at the same moment leave both; the next one removes them.
ok "all jobs are recorded again" recorded 40
is "in one record" 1 "$(find store/fold -name 'settled.*' | wc -l)"

done_testing
