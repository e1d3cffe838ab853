#!/bin/sh
# "make bench-search": all methods have a row, the same seeds give the same
# table, and a goal that is missed is not said to hold.
. "$(dirname "$0")/tap.sh"

python=$top/build/bench-env/bin/python
[ -x "$python" ] || python=python3
command -v "$python" >/dev/null || skip_all "no python3"
export PYTHONDONTWRITEBYTECODE=1
search() {
	"$python" "$top/bench/search.py" "$@"
}
names() {
	cut -f 3 "$1"
}
library() {
	PYTHONPATH=$top/bench "$python" -c "
import search
$1"
}

ok "stfm is measured without other tools" search --seeds 1 --tables digits \
	--methods stfm --runs one
is "each method of stfm has a run" \
	"$(library 'print(*[m for m in search.METHODS if m[:4] == "stfm"],
	sep="\n")')" "$(names one)"
search --seeds 1 --tables digits --methods stfm --runs two >table 2>err
is "the same seeds give the same decisions" "" "$(diff one two)"
is "the table can be made from the runs" "" \
	"$(search --methods stfm --from one 2>err | diff - table)"

if "$python" -c 'import optuna' 2>err; then
	search --seeds 1 --tables digits --methods optuna --runs theirs \
		>out 2>err
	search --seeds 1 --tables digits --methods random --runs random \
		>out 2>err
	cat random theirs one >all
	search --from all --write results >out 2>err
	is "each method has a row" "$(names all)" \
		"$(sed -n '/^Mean/,/^stfm is/p' results |
			sed -n 's/   *[0-9.]* *[0-9]* *[0-9]*$//p' |
			sed '/^$/d')"
	like "the results say of which version they are" \
		'^Measured on .*, of .*, with 1 seeds, beside optuna' \
		"$(cat results)"
	is "all goals are checked" 4 \
		"$(grep -cE '^\([abcd]\) .* (yes|NO|unclear)$' results)"
else
	skip "each method has a row" "no optuna: make bench-search installs it"
fi

# goal MEAN: of ten seeds of stfm that are worse than random search by MEAN.
goal() {
	library "
runs = []
for seed in range(10):
    runs.append(('digits', seed, 'random search', 5.0, 80.0, 0.0))
    runs.append(('digits', seed, 'stfm', 5.0 + $1 + seed % 2, 80.0, 0.0))
print(*search.goals(search.Results(runs)), sep='\n')" | grep -A1 '^(b)'
}
like "a goal that is met" "^\\(b\\).* yes\$" "$(goal -0.5)"
like "a goal that is missed" "^\\(b\\).* NO\$" "$(goal 2)"
like "the miss has its numbers" \
	'stfm - random search +digits +\+2\.5 \[.*p 0\.00.* NO$' "$(goal 2)"
is "a seed that lacks a run is left out" "[0, 1]" \
	"$(library 'both = "stfm", "stfm tpe"
print(search.Results([("digits", s, m, 1.0, 1.0, 0.0)
    for s in range(3) for m in both][:5]).seeds_of(*both))')"

done_testing
