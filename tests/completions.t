#!/bin/sh
# What bash, zsh and fish offer for a word, live from the store: each is asked
# as somebody asks it who presses the tab key.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/plain/tests/store-fixture
[ -z "$SANITIZE" ] || fixture=$top/build/sanitize/tests/store-fixture
complete=$(dirname "$bin")/libexec/stfm-complete
export STFM_DIR="$PWD/store" TOP="$top" TAB_OUT="$PWD/offered" TERM=vt100
export XDG_CACHE_HOME="$PWD/cache"

printf 'epoch,loss,val_loss,val acc,$odd`x"y,evil\033[2J\n0,1,2,3,4,5\n' \
	>log.csv
printf '{"step": 1, "rate": {"train": 2}}\n' >log.jsonl
"$fixture" store <<'END' || exit 99
job|conv2d|lr=0.1,0.01|opt=adam,sgd|seed=1..3
set|description=x
task|0-4|FINISHED|node=n1|start=-300
metrics|0|log.csv
task|5|ERROR|cause=exit 3
fold|asked=0
end
job|big|units=1..100000
task|0-99999|FINISHED|node=n1|start=-300
fold|asked=0
end
job|conv3d|wd=1,2
set|option=-p|option=gpu,used|option=--time=10
fold|asked=0
end
END
mkdir -p cache/stfm data/subdirectory
printf '\ngpu\nlong-queue\nlow\n' >cache/stfm/partitions

# ---- what the program says ----

asks() {
	"$complete" "$@" | cut -f 1
}
is "jobs are told with how they stand" \
	'conv2d	12 tasks: 6 SUBMITTED, 5 FINISHED, 1 ERROR' \
	"$("$complete" tasks conv2 stfm-status)"
is "so are tasks, with their points" \
	'conv2d/5	ERROR exit 3 lr=0.1 opt=sgd seed=3' \
	"$("$complete" tasks conv2d/5 stfm-status)"
is "of many tasks the next digit is told" \
	"$(echo big/99; seq 990 999 | sed 's,^,big/,')" \
	"$(asks tasks big/99 stfm-status)"
is "never more than there are" "big/99999" "$(asks tasks big/99999 stfm-status)"
is "numbers do not begin with a zero" "" "$(asks tasks big/00 stfm-status)"
is "a range goes up" "conv2d/4-10 conv2d/4-11 " \
	"$(asks tasks conv2d/4-1 stfm-status | tr '\n' ' ')"
is "the newest job is @1" '@1	conv3d' "$("$complete" tasks @1 stfm-status)"
is "names are those of the jobs on the line" "lr opt seed " \
	"$(asks names '' stfm-status conv2d/3 -x | tr '\n' ' ')"
is "also of a job by its age" "units " \
	"$(asks names '' stfm-status @2/5 | tr '\n' ' ')"
is "what the list has is not told again" "lr,opt lr,seed " \
	"$(asks names lr, stfm-status conv2d | tr '\n' ' ')"
is "metrics of a file on the line" "rate.train" \
	"$(asks metrics r stfm-plot log.jsonl)"
is "metrics without control characters" "" \
	"$(asks metrics evil stfm-plot conv2d)"
is "a store on the line" "" "$(asks tasks '' stfm-status -d data)"
is "-d of stfm-submit is sbatch's" "conv2d" \
	"$(asks jobs conv2 stfm-submit -d afterok:1)"
is "no store: nothing" "" "$(STFM_DIR=none asks tasks '' stfm-status)"
is "what stfm-submit refuses of sbatch is not told" "--account" \
	"$(asks sbatch --a stfm-submit | grep -e array -e account)"
printf '\n' >nothing
is "where Slurm says nothing, what jobs asked for is told" "gpu used" "$(
	mkdir -p kept/stfm && cp nothing kept/stfm/partitions
	XDG_CACHE_HOME=$PWD/kept asks partitions '' stfm-submit conv3d | xargs)"
status "another question is refused" 2 "$complete" lunch '' x

# ---- what it costs ----

# The programs it starts but itself, and whether it reads little of the store:
# the head of a table, and the part in which some rows are.
traced() {
	strace -f -y -o trace -e trace=execve,read,pread64 "$complete" "$@" \
		>answers || echo "exit $?"
	awk -v store="$STFM_DIR/" -v much=$((fold / 4)) '
	/execve\(/ { programs++ }
	index($0, store) && / = [0-9]+$/ { bytes += $NF }
	END { print programs - 1, bytes < much ? "little" : bytes }' trace
}
if strace -o /dev/null true 2>/dev/null && [ -z "$SANITIZE" ]; then
	fold=$(cat store/jobs/big/fold/* | wc -c)
	ok "the table of 100,000 tasks is large" [ "$fold" -gt 8000000 ]
	for ask in "tasks big" "tasks big/12" "names u" "columns e" \
		"where units" "partitions g" "states E" "sort -b"; do
		# shellcheck disable=SC2086 # two words
		is "$ask: no program is asked, little is read" "0 little" \
			"$(traced $ask stfm-status big)"
		ok "$ask: there is an answer" [ -s answers ]
	done
fi
mkdir -p many/jobs
cp store/FORMAT many 2>/dev/null || cp -R store/[!j]* many
(cd many/jobs && seq 10000 | sed 's/^/train-/' | xargs mkdir)
is "10,000 jobs are all there" 10000 \
	"$(STFM_DIR=many asks tasks train stfm-status | wc -l)"

# ---- the shells ----

# On each line what is typed and, behind a bar, what is offered; an equals sign
# and all before it left out.
cat >cases <<'END'
stfm-status con|conv2d conv3d
stfm-status conv2d/0-3,1|conv2d/0-3,1 conv2d/0-3,10 conv2d/0-3,11
stfm-log @|@1 @2 @3
stfm-log -t ERR|ERROR
stfm-restart -t ERROR,S|ERROR,STOPPED ERROR,SUBMITTED
stfm-stop --state=ERROR,ST|ERROR,STOPPED
stfm-status -s bes|best best_epoch
stfm-status conv2d --by |lr opt seed
stfm-status conv2d -w l|last log log_cause lr
stfm-status conv2d -w opt=|adam sgd
stfm-plot -m loss,val|loss,val acc loss,val_loss
stfm-plot conv2d -m l|loss
stfm-plot conv2d --metric=v|val acc val_loss
stfm-plot conv2d -m "val|val acc val_loss
stfm-plot conv2d --grid lr,|lr,opt lr,seed
stfm-plot conv2d --mean s|seed
stfm-plot conv2d --by |all lr opt seed
stfm-plot log.csv --x |$odd`x"y epoch loss step time val acc val_loss
stfm-plot co|conv2d conv3d
stfm-plot log.c|log.csv
stfm-submit --zip lr, lr=1 bs:=2 lr|
stfm-submit lr=1 bs:=2 --zip lr,|lr,bs
stfm-submit lr=1 @mem=2G --zip lr,|lr,@mem
stfm-submit -p gpu,lo|gpu,long-queue gpu,low
stfm-submit --partition=g|gpu
stfm-submit --par|--parallel --parsable --partition
stfm-submit --gres|--gres --gres-flags
stfm-submit --metric va|val acc val_loss
stfm-submit --queue-rest conv2|conv2d
stfm-expand a=1 b=2 --zip |a b
stfm-watch conv3|conv3d
stfm-watch --on |best error finished idle late stalled
stfm-watch --on finished,b|finished,best
stfm-watch --on=error,st|error,stalled
stfm-check conv3|conv3d
stfm-status --store da|data
stfm sta|status
stfm st|status stop
stfm help sand|sandbox
stfm --ver|--version
stfm status con|conv2d conv3d
stfm stop --state=ERROR,ST|ERROR,STOPPED
stfm plot conv2d -m l|loss
stfm plot log.c|log.csv
END

cat >bash.rc <<'END'
PS1='READY> '
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
for file in "$TOP"/completions/stfm-*.bash; do . "$file"; done
eval "tested$(declare -f _stfm | sed '1s/_stfm//')"
_stfm() {
	tested "$@"
	printf '%s\n' "asked $COMP_LINE" "${COMPREPLY[@]}" >>"$TAB_OUT"
}
eval "main$(declare -f _stfm_main | sed '1s/_stfm_main//')"
_stfm_main() {
	local typed=$COMP_LINE
	main "$@"
	printf '%s\n' "asked $typed" "${COMPREPLY[@]}" >>"$TAB_OUT"
}
END
mkdir zsh
cat >zsh/.zshrc <<'END'
PS1='READY> '
fpath=($TOP/completions $fpath)
unset zle_bracketed_paste
unsetopt beep prompt_sp
autoload -Uz compinit && compinit -u -D
compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	local -a hits
	builtin compadd -A hits "$@"
	print -rl -- "asked $LBUFFER" $hits >>$TAB_OUT
	builtin compadd "$@"
}
END
cat >ask.fish <<'END'
source $TOP/completions/__stfm.fish
for file in $TOP/completions/stfm*.fish
    source $file
end
while read typed
    echo "asked $typed"
    complete -C $typed | cut -f 1
end
END

# Each line is typed, then tab, and thrown away.
keys() {
	cut -d '|' -f 1 cases | while IFS= read -r typed; do
		printf '%s\t\025' "$typed"
	done
	printf 'echo E\\ND\n'
}
in_bash() {
	keys | python3 "$top/tests/tab.py" 'READY> ' END \
		bash --noprofile --rcfile bash.rc -i
}
in_zsh() {
	keys | ZDOTDIR=zsh python3 "$top/tests/tab.py" 'READY> ' END \
		zsh -d -i
}
in_fish() {
	cut -d '|' -f 1 cases | fish --no-config ask.fish >offered
}
# What was offered where that was typed, as the cases have it.  zsh keeps no
# quotation marks in what it is asked.
offers() {
	awk -v typed="asked $(echo "$1" | tr -d '"')" '
	/^asked / { gsub(/"/, ""); on = $0 == typed; next }
	on' offered | sed 's/.*=//; s/\\//g; s,/$,,; /^$/d' |
		LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//'
}
# Installed, and found by bash-completion.
make -C "$top" -s -o all install prefix="$PWD/there" >/dev/null 2>&1
ok "the shared parts are installed" test -f \
	there/share/bash-completion/completions/stfm.bash -a -f \
	there/share/fish/vendor_functions.d/__stfm.fish -a -f \
	there/share/zsh/site-functions/_stfm
cat >package.rc <<'END'
PS1='READY> '
PATH=$PWD/there/bin:$PATH
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
XDG_DATA_DIRS=$PWD/there/share
. /usr/share/bash-completion/bash_completion
END
package() {
	printf 'stfm-status conv2\t\001echo \005>inserted\necho E\\ND\n' |
		python3 "$top/tests/tab.py" 'READY> ' END \
			bash --noprofile --rcfile package.rc -i
}
ok "bash-completion loads it" package
is "the name is completed" "stfm-status conv2d" "$(cat inserted)"
by_name() {
	printf 'stfm status conv2\t\001echo \005>inserted\necho E\\ND\n' |
		python3 "$top/tests/tab.py" 'READY> ' END \
			bash --noprofile --rcfile package.rc -i
}
ok "bash-completion loads what stfm needs" by_name
is "behind stfm, too" "stfm status conv2d" "$(cat inserted)"

for shell in bash zsh fish; do
	: >offered
	ok "$shell: all keys are pressed" "in_$shell"
	while IFS='|' read -r typed expected; do
		is "$shell: $typed" "$expected" "$(offers "$typed")"
	done <cases
done

done_testing
