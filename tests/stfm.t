#!/bin/sh
# stfm: the map of the commands, and each of them by its name.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/plain/tests/store-fixture
[ -z "$SANITIZE" ] || fixture=$top/build/sanitize/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$PWD/store"

commands=$(cd "$top/bin" && ls stfm-*.c | sed 's/\.c$//' | LC_ALL=C sort)
stfm >map 2>err
is "without a store there is nothing to say of jobs" "0 " "$? $(cat err)"
is "the map names every command" "$commands" \
	"$(grep -oE 'stfm-[a-z]+' map | LC_ALL=C sort -u)"
is "each line begins with what for" "" \
	"$(sed '/^$/,$d' map | grep -vE '^[a-z].{30}  stfm-[a-z -]+$')"
is "it fits 80 columns" "" "$(grep -E '.{81}' map)"
is "it has thirteen lines" 13 "$(sed '/^$/,$d' map | wc -l)"

"$fixture" store <<'END' || exit 99
job|older|lr=1,2
task|0-1|FINISHED|node=n1|start=-300
fold|asked=0
end
job|newest|lr=1,2
task|0-1|FINISHED|node=n1|start=-300
fold|asked=0
end
END
stfm >output 2>err
# Its age may grow by a second between the two.
ageless() {
	sed 's/[0-9]* s$/AGE/'
}
is "the newest job is shown, as stfm-status shows it" \
	"$(cat map; echo; stfm-status -n 1 2>/dev/null | ageless)" \
	"$(ageless <output)"
like "which is one line" "^newest " "$(tail -n 1 output)"
is "an empty store is no error" "$(cat map)" \
	"$(rm -rf store/jobs/* && stfm 2>&1)"

is "a command by its name" "$(stfm-expand lr=1,2 -o csv)" \
	"$(stfm expand lr=1,2 -o csv)"
status "with its exit status" 1 stfm expand lr=1 --except lr=1
is "and its own name" "stfm-status: nowhere: no store here; stfm-submit makes\
 one, --store or STFM_DIR name another" \
	"$(stfm status -d nowhere x 2>&1 | sed "s,$PWD/,,")"
for command in $commands; do
	is "help of ${command#stfm-}" "$("$command" --help)" \
		"$(stfm help "${command#stfm-}")"
done
is "help alone" "$(stfm --help)" "$(stfm help)"

refused "a name that is mistyped" \
	"stfm: stauts: no such command (did you mean stfm status?)" stfm stauts
refused "also behind help" "did you mean stfm submit?" stfm help sumbit
refused "what is no command" \
	"stfm: lunch: no such command (stfm alone lists them)" stfm lunch
refused "what is none of people's" "stfm: run: no such command" stfm run
refused "no name at all" "stfm: : no such command" stfm ''
refused "a path" "no such command" stfm ../bin/stfm-status

for file in stfm.bash _stfm stfm.fish; do
	is "$file completes every command" "$commands" "$(echo "$commands" |
		sed 's/^stfm-//' | while read -r name; do
			grep -qw "$name" "$top/completions/$file" &&
				echo "stfm-$name"
		done)"
done

done_testing
