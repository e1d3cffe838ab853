#!/bin/sh
# Logs of stores made by the library itself, printed without any Slurm.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/here/store" TZ=UTC
esc=$(printf '\033')

refused "the option of another program" \
	"--tail: no such option (write -n N)" stfm-log --tail 5
refused "also with its value" "--tail: no such option (write -n N)" \
	stfm-log --tail=5 conv2d
refused "no store" "no store here" stfm-log try
refused "no operand" "usage: stfm-log" stfm-log
refused "no expression" "--grep: (: Unmatched" stfm-log --grep '(' try
refused "no number" "-n: 'many' is not" stfm-log -n many try
refused "an attempt that is none" "--attempt: " stfm-log --attempt x try
refused "what is over cannot be followed" "--attempt: " \
	stfm-log -f --attempt 0 try
refused "one way to show it" "only one of them" stfm-log --raw --path try
refused "a pattern for bytes" "--grep: not with" \
	stfm-log --raw --grep x try
refused "how tasks ended cannot be followed" "--follow: not with" \
	stfm-log -f --errors try
refused "a state that is none" "nonsense" stfm-log -t nonsense try

# ---- tasks that are over ----

# Twelve lines, a bar, colours, a tab, and a control character.
{
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "line $i"; done
	printf '  0%%|    |\r 50%%|##  |\r100%%|####|\n'
	printf '\033[1;31mred\033[0m\tand\007 \001\n'
} >log0
cat >log1 <<'END'
epoch 1 loss 0.5
Traceback (most recent call last):
  File "train.py", line 7, in read
KeyError: 'x'

During handling of the above, another exception occurred:

Traceback (most recent call last):
  File "train.py", line 9, in <module>
RuntimeError: CUDA out of memory, 512 MiB at 0x7f0012345678
slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED ***
END
sed 's/512 MiB/1.2 GiB/' log1 >log4
printf 'out\nhalf' >log2
echo 'warning' >err2
: >log5
printf 'first attempt\n' >log0.0
"$fixture" store <<-EOD
	job|try|lr=1e-3,1e-2|batch_size=16,32,64,128
	task|0|FINISHED|node=g3|start=-90|end=-40|array=4102|index=0|exit=0|\
	log=$PWD/log0
	task|1|ERROR|cause=exit 1|node=g3|start=-90|end=-45|array=4102|\
	index=1|exit=1|log=$PWD/log1
	task|2|STOPPED|array=4102|index=2|log=$PWD/log2|err=$PWD/err2
	task|3|FINISHED|array=4102|index=3|log=$PWD/gone
	task|4|ERROR|cause=exit 1|node=g4|start=-90|end=-60|array=4102|\
	index=4|exit=1|log=$PWD/log4
	task|5|FINISHED|array=4102|index=5|log=$PWD/log5
	task|6|STOPPED|array=4102|index=6
	task|7|FINISHED|array=4102|index=7|log=/dev/null
	chunk|0-7|4102
	fold|asked=-5
	end
EOD

is "one task: all of it, as it would stand on a terminal" \
	"$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "line $i"; done
		printf '100%%|####|\nred\tand \\x01\n')" \
	"$(stfm-log try/0)"
is "by its Slurm id" "line 1" "$(stfm-log 4102_0 | head -n 1)"
is "the last lines" "$(printf '100%%|####|\nred\tand \\x01')" \
	"$(stfm-log -n 2 try/0)"
is "bytes are bytes" "$(od -c log0)" "$(stfm-log --raw try/0 | od -c)"
is "a line that has no end, and errors behind the output" \
	"$(printf 'out\nhalf\nwarning')" "$(stfm-log try/2)"
is "of several the last ten lines each, errors first, by when they came" \
	"4 1 0 2" "$(stfm-log -Q try | sed 's/[|!].*//' | uniq | xargs)"
is "ten lines each" 10 "$(stfm-log -Q try | grep -c '^0| ')"
is "or all" 14 "$(stfm-log -Q -n all try | grep -c '^0| ')"
is "errors are told from output" "2! warning" "$(stfm-log -Q try/2-3 |
	grep '!')"
is "tasks by a condition" "1| " \
	"$(stfm-log -Q -n 1 -w 'lr=1e-3,batch_size=32' try | cut -c 1-3)"
is "by their state" "$(printf '4\n1')" \
	"$(stfm-log -n 1 -t ERROR try | cut -d '|' -f 1)"
status "where none is left the answer is no" 1 stfm-log -t RUNNING try
is "widths are the same" "$(printf '  try/2| half\nmore/10| x')" "$(
	echo x >x
	"$fixture" store <<-EOD
		job|more|a=1..11
		task|10|FINISHED|array=4103|index=10|log=$PWD/x
		chunk|0-10|4103
		end
	EOD
	stfm-log -n 1 try/2 more/10 | grep -v !)"

is "lines that match, of all tasks" \
	"$(printf '4| KeyError: %s\n1| KeyError: %s' "'x'" "'x'")" \
	"$(stfm-log -Q --grep '^Key(E|F)rror' try)"
is "the last ones that match" "$(printf 'line 11\nline 12')" \
	"$(stfm-log --grep line -n 2 try/0)"
is "a bar matches in its last state" "100%|####|" \
	"$(stfm-log --grep '0%' try/0)"
status "nothing matches" 1 stfm-log -Q --grep 'no such thing' try

is "where the logs are" "$(printf '%s\n' "$PWD/log2" "$PWD/err2")" \
	"$(stfm-log --path try/2)"
status "one that nobody knows" 1 stfm-log -Q --path try/6

# ---- no log ----

like "a log that was removed" \
	"^stfm-log: try/3: $PWD/gone is not there: .*stfm-restart" \
	"$(stfm-log try/3 2>&1)"
status "is a failure" 1 stfm-log -Q try/3
like "one that goes nowhere" "^stfm-log: try/7: .*/dev/null, which keeps" \
	"$(stfm-log try/7 2>&1)"
is "it is not followed either" "$(stfm-log try/7 2>&1)" \
	"$(stfm-log -f try/7 2>&1)"
status "which is no success" 1 stfm-log -Q try/7
status "in neither way" 1 stfm-log -fQ try/7
status "nor is one that was removed" 1 stfm-log -fQ try/3
is "a task that never ran" "stfm-log: try/6: stopped before it began" \
	"$(stfm-log try/6 2>&1)"
is "a log without anything" "stfm-log: try/5: nothing in its log" \
	"$(stfm-log try/5 2>&1)"
status "is no failure" 0 stfm-log try/5
is "nothing is said when that is wanted" "" "$(stfm-log -Q try/3 2>&1)"
for i in 0 1 2 3; do : >"empty$i"; done
"$fixture" store <<-EOD
	job|empty|a=0..3
	task|0|FINISHED|node=g3|array=4106|index=0|exit=0|log=$PWD/empty0
	task|1|FINISHED|node=g3|array=4106|index=1|exit=0|log=$PWD/empty1
	task|2|FINISHED|node=g3|array=4106|index=2|exit=0|log=$PWD/log0
	task|3|FINISHED|node=g3|array=4106|index=3|exit=0|log=$PWD/empty3
	chunk|0-3|4106
	fold|asked=-5
	end
EOD
is "logs without anything are named once" \
	"stfm-log: empty/0-1,3: nothing in its log" \
	"$(stfm-log -n 1 empty 2>&1 | grep nothing)"
"$fixture" store <<-EOD
	job|nowhere|a=1
	task|0|RUNNING|node=g3|start=-90|array=4105|index=0|log=/dev/null
	chunk|0|4105
	fold|asked=-5
	end
EOD
like "there is nothing to wait for" "--output can name a file$" \
	"$(stfm-log nowhere 2>&1)"
"$fixture" store <<-EOD
	job|wait|a=1..40
	task|0-39|SUBMITTED|cause=(Priority)|array=4104
	chunk|0-39|4104
	fold|asked=-5
	end
EOD
like "tasks that wait are named together" \
	"^stfm-log: wait/0-39: not started yet: .Priority. .--follow waits" \
	"$(stfm-log wait 2>&1)"
status "and the answer is no" 1 stfm-log -Q wait
like "an attempt that never was" "^stfm-log: try/0: no attempt 3: the last is" \
	"$(stfm-log --attempt 3 try/0 2>&1)"
like "there is none before the first" "^stfm-log: try/0-1: no earlier" \
	"$(stfm-log --attempt -1 try/0-1 2>&1)"

# ---- errors ----

is "the errors, the first to come first, equal ones together" \
	"$(cat <<-'EOD'
		try/4  exit 1  after 0:30 on g4  log4
		    Traceback (most recent call last):
		      File "train.py", line 7, in read
		    KeyError: 'x'
		    During handling of the above, another exception occurred:
		    Traceback (most recent call last):
		      File "train.py", line 9, in <module>
		    RuntimeError: CUDA out of memory, 1.2 GiB at 0x7f0012345678
		    slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED ***
		and 1 more like this: try/1
	EOD
	)" "$(stfm-log -e try)"
is "only some lines of it" \
	"    RuntimeError: CUDA out of memory, 512 MiB at 0x7f0012345678" \
	"$(stfm-log -e -n 1 try/1 | sed 1d)"
is "no line is too wide" "" "$(COLUMNS=50 stfm-log -e try | grep -E '.{51}')"
status "of tasks that did not fail" 1 stfm-log -e try/0
seq 1 100 | sed 's/.*/  frame &/' >frames
{
	echo "Traceback (most recent call last):"
	cat frames
	echo "ValueError: no"
	seq 1 100
} >log4
is "a long one is shown at its end" "$(printf '    %s\n' '  frame 100' \
	'ValueError: no' 1 2 3)" "$(stfm-log -e -n 5 try/4 | sed 1d)"

# ---- nothing raw ----

printf '\033]0;a\033[31m\033[2J\xc2\x9b31m\xe2\x80\xae\n' >log0
printf '\033Pevil\n' >log1
printf '%s\n' "${esc}[2J" >err2
is "no escape sequence gets out" "" \
	"$(stfm-log -Q try 2>&1 | LC_ALL=C grep "$esc")"
is "nor in errors" "" "$(stfm-log -e try 2>&1 | LC_ALL=C grep "$esc")"

# ---- one log of several ----

"$fixture" store <<-EOD
	job|same|a=1..3
	task|0-2|FINISHED|array=4105|log=$PWD/x
	chunk|0-2|4105
	end
EOD
is "a log of several tasks is printed once, which is said" \
	"$(printf '0| x\n%s' \
		"stfm-log: same/1 writes to the same log: $PWD/x")" \
	"$(stfm-log same 2>&1)"

# ---- another attempt meanwhile ----

"$fixture" store <<-EOD
	job|again|a=1
	task|0|RUNNING|start=-90|array=4106|index=0|log=$PWD/x
	chunk|0|4106
	end
	of|again
	fact|0|S|slurm=4106_0|time=-90|log=$PWD/x
EOD
stfm-log -f again >followed 2>&1 &
ok "a log is followed" poll 10 grep -q x followed
printf '%s\n' 'of|again' "chunk|0|4107|c00001.0|1" \
	"fact|0|S|attempt=1|slurm=4107_0|time=-20|log=$PWD/never" \
	'fact|0|E0|attempt=1|time=-10|exit=0' | "$fixture" store
wait $!
is "that of the next attempt never was: the first does not count for it" 1 $?
is "which is the same as without --follow" 1 \
	"$(stfm-log again >out 2>&1; echo $?)"

done_testing
