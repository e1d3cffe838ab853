#!/bin/sh
# stfm-expand
. "$(dirname "$0")/tap.sh"

tab=$(printf '\t')

# Lines with blanks instead of tabs, which are easier to read here.
points() {
	stfm-expand "$@" | tr '\t' ' '
}

# ---- points ----

is "the last hyperparameter varies fastest" \
	"lr bs
1e-3 16
1e-3 64
1e-4 16
1e-4 64" "$(points lr=1e-3,1e-4 bs=16,64)"

is "hyperparameters can be paired" \
	"lr bs seed
1e-3 64 1
1e-3 64 2
1e-4 128 1
1e-4 128 2" "$(points lr=1e-3,1e-4 bs=64,128 seed=1..2 --zip lr,bs)"

is "points can be left out, and hyperparameters be conditional" \
	"opt lr momentum
sgd 0.1 0.9
sgd 0.1 0.99
sgd 0.01 0.9
sgd 0.01 0.99
adam 0.01 " "$(points opt=sgd,adam lr=0.1,0.01 momentum=0.9,0.99 \
	--when momentum:opt=sgd --except opt=adam,lr=0.1)"

is "options may stand before, between and behind words" \
	"$(points --zip a,b --except a=2 a=1..3 b=4..6)" \
	"$(points a=1..3 --zip=a,b b=4..6 --except a=2)"

is "items can be mixed" "wd 0 1e-06 1e-05 0.0001 0.001" \
	"$(stfm-expand wd=0,log:1e-6:1e-3:4 | xargs)"

is "ranges are exact" "drop 0.0 0.1 0.2 0.3 0.4 0.5" \
	"$(stfm-expand drop=0..0.5..0.1 | xargs)"

is "the same name twice adds values" "$(points lr=1e-3,1e-4 seed=1,2)" \
	"$(points lr=1e-3 lr=1e-4 seed=1 seed=2)"

stfm-expand --samples 2 --seed 7 lr=loguniform:1e-5:1e-1 layers=int:1:4 >few
stfm-expand --samples 4 --seed 7 lr=loguniform:1e-5:1e-1 layers=int:1:4 >longer
is "more samples keep the earlier ones" "$(cat few)" "$(head -n 3 longer)"
is "another hyperparameter keeps the samples" "$(cat longer)" \
	"$(stfm-expand --samples 4 --seed 7 \
		lr=loguniform:1e-5:1e-1 layers=int:1:4 \
		act=choice:relu:gelu | cut -f 1-2)"
ok "another seed gives other samples" sh -c \
	'! stfm-expand --samples 2 --seed 8 \
		lr=loguniform:1e-5:1e-1 layers=int:1:4 |
		diff -q few -'

printf 'first one\nsecond,1\n' >values.txt
is "values can be the lines of a file" "name${tab}seed
first one${tab}1
second,1${tab}1" "$(stfm-expand name=@values.txt seed=1)"
is "values can come from standard input" "name${tab}seed
first one${tab}1
second,1${tab}1" "$(stfm-expand name=@- seed=1 <values.txt)"

# ---- output ----

is "JSON Lines" '{"lr":1e-3,"layers":[64]}
{"lr":1e-3,"layers":[64,32]}' \
	"$(stfm-expand -o jsonl lr=1e-3 layers:='[[64],[64, 32]]')"
is "what has no value is null in JSON Lines" \
	'{"opt":"a","m":1}
{"opt":"b","m":null}' \
	"$(stfm-expand -o jsonl opt=a,b m=1 --when m:opt=a)"
is "arguments are quoted for a shell" \
	"--lr=1e-3 '--note=a b,c'" \
	"$(stfm-expand -o args lr=1e-3 'note=a b\,c')"
is "what has no value is no argument" "--opt=a --m=1
--opt=b" "$(stfm-expand -o args opt=a,b m=1 --when m:opt=a)"
is "variables" "STFM_PARAM_model_depth=18 STFM_PARAM_note='a b'" \
	"$(stfm-expand -o env model.depth=18 'note=a b')"
is "CSV" 'note,b
"a,""b",1' "$(stfm-expand -o csv 'note=a\,"b' b=1)"
is "the number of points" 2000000000000000000 \
	"$(stfm-expand -o count a=1..1000000000 b=1..1000000000 c=x,y)"
is "the number of points that are left" 3 \
	"$(stfm-expand -o count a=1,2 b=1,2 --except a=1,b=2)"
is "no line of names" 1 "$(stfm-expand --no-header a=1)"
is "records that end with NUL" "a|1|2|" \
	"$(stfm-expand -0 a=1,2 | tr '\0' '|')"
is "arguments that end with NUL" "--a=1 --b=x|--a=2 --b=x|" \
	"$(stfm-expand -0 -o args a=1,2 b=x | tr '\0' '|')"

# Values as bad as they can be, as what they are after a round trip.
cat >bad.json <<'END'
{"params": {"bad": ["'; touch pwned; '", "$(touch pwned)", "a\nb\tc\rd\\e",
	" blank ", "\"", "a,b;c", "-x", "\u001b[31m", "été", "@f", "1..3",
	"1e-3", "true", "[1, 2]", "log:1:2", "%s%n", "*", "null", "#"],
	"l": [[1, {"a b": " "}], true]}}
END
for format in tsv csv jsonl; do
	stfm-expand --spec bad.json -o $format >bad.$format
	is "points survive $format" "$(stfm-expand --spec bad.json | cat -v)" \
		"$(stfm-expand --from bad.$format | cat -v)"
	is "points survive $format through a pipe" \
		"$(stfm-expand --spec bad.json | cat -v)" \
		"$(stfm-expand --from - <bad.$format | cat -v)"
done
is "JSON Lines survive to the byte" "$(cat bad.jsonl)" \
	"$(stfm-expand --from - -o jsonl <bad.jsonl)"
while read -r value; do
	# shellcheck disable=SC2059 # the value is a format
	printf "$value" | od -An -tx1
done >wanted <<'END'
\047; touch pwned; \047
$(touch pwned)
a\nb\tc\rd\\e
\040blank\040
"
a,b;c
\055x
\033[31m
été
@f
1..3
1e-3
true
[1, 2]
log:1:2
%%s%%n
*
null
#
END
# shellcheck disable=SC2016 # for the inner shell
stfm-expand --spec bad.json -o args --except l=true -0 | xargs -0 -n 1 sh -c \
	'eval "set -- $1"; printf "%s" "${1#--bad=}" | od -An -tx1' sh >got
is "a shell takes arguments for what they are" "$(cat wanted)" "$(cat got)"
# shellcheck disable=SC2016
stfm-expand --spec bad.json -o env --except l=true -0 | xargs -0 -n 1 sh -c \
	'eval "$1"; printf "%s" "$STFM_PARAM_bad" | od -An -tx1' sh >got
is "a shell takes variables for what they are" "$(cat wanted)" "$(cat got)"
ok "no value was run" test ! -e pwned

# ---- files of points ----

printf 'lr,bs\r\n1e-3,16\r\n1e-4,"3,2"\r\n' >p.csv
is "points of a file are crossed with words and vary slowest" \
	"lr bs seed
1e-3 16 1
1e-3 16 2
1e-4 3,2 1
1e-4 3,2 2" "$(points --from p.csv seed=1,2)"
is "commands can be put together" "$(points a=1,2 b=3,4 c=5,6)" \
	"$(stfm-expand a=1,2 b=3,4 | points --from - c=5,6)"
mkfifo slow
stfm-expand --from slow b=3 >points &
exec 9>slow
printf 'a\n1\n' >&9
ok "points of a slow pipe are printed as they come" \
	poll 20 grep -q "^1${tab}3" points
exec 9>&-
wait

is "the format can be said" "a
x\"y" "$(printf 'a\n"x""y"\n' | stfm-expand --from - --from-format csv)"

# ---- specs ----

cat >spec.json <<'END'
{ "name": "conv2d",
  "params": { "lr": {"log": [1e-4, 1e-1, 4]}, "batch_size": [16, 32, 64, 1e2],
              "opt": ["sgd", "adam"], "momentum": [0.9, 0.99],
              "dropout": {"uniform": [0, 0.5]}, "epochs": 100,
              "seed": {"range": [1, 3]} },
  "zip": [["lr", "batch_size"]], "when": {"momentum": {"opt": "sgd"}},
  "exclude": [{"opt": "adam", "lr": 0.1}],
  "samples": 5, "seed_of_draws": 7,
  "sbatch": {"partition": "gpu", "time": "8:00:00", "gres": "gpu:1"},
  "command": ["python", "train.py", "{@}"] }
END
is "a spec in JSON" "$(stfm-expand --samples 5 --seed 7 lr=log:1e-4:1e-1:4 \
	batch_size=16,32,64,1e2 opt=sgd,adam momentum=0.9,0.99 \
	dropout=uniform:0:0.5 epochs=100 seed=1..3 --zip lr,batch_size \
	--when momentum:opt=sgd --except opt=adam,lr=0.1)" \
	"$(stfm-expand --spec spec.json)"
is "a spec from standard input" 165 \
	"$(stfm-expand --spec - -o count <spec.json)"
is "words replace what a spec says" "lr opt epochs
0.5 adam 7
0.7 adam 7" "$(points --spec spec.json lr=0.5,0.7 opt=adam epochs=7 seed=1 \
	batch_size=1,2 --samples 1 | cut -d ' ' -f 1,3,6)"

# ---- what is doubtful ----

is "a condition that never holds is named" \
	"stfm-expand: --when m:opt=sdg: no value of opt fulfils this" \
	"$(stfm-expand --no-header opt=sgd m=1 --when m:opt=sdg 2>&1 >points)"
is "and the points are those without" "sgd" "$(xargs <points)"
is "a file may have other values" "" \
	"$(printf 'opt\nsgd\n' | stfm-expand --from - m=1,2 \
		--when m:opt=adam 2>&1 >points)"

# ---- what is refused ----

while IFS='|' read -r reason words; do
	eval "set -- $words"
	refused "refused: $words" "stfm-expand: $reason" stfm-expand "$@"
done <<'END'
lr: log needs a lower bound above 0 (put 0 in the list: lr=0,log:|lr=log:0:1:4
lr: log takes 3 numbers, as in log:1e-4:1e-1:4|lr=log:1e-4:1e-1
lr: empty value (write lr:='[""]' for an empty string)|lr=1e-3,,1e-4
lr: a random distribution needs --samples N|lr=loguniform:1e-5:1e-1
lr: a value is given twice|lr=1,2,1
--zip lr,bs: give each the same number of values|lr=1,2 bs=1,2,3 --zip lr,bs
lr: a range needs a step other than 0|lr=1..5..0
lr: a range takes numbers of at most 18 digits|lr=1..1e400
lr: lin takes finite numbers, not 1e400|lr=lin:0:1e400:3
lr: none.txt: cannot open: No such file|lr=@none.txt
none.json: cannot open: No such file|--spec none.json
none.csv: cannot open: No such file|--from none.csv
lr: no values (write lr=1e-3,1e-4)|lr
'-': not a hyperparameter (write NAME=VALUES|-
'9lr': not a name|9lr=1
--except q=1: no hyperparameter q (there is a)|a=1 --except q=1
--except: a: not a condition (write NAME=VALUE|a=1 --except a
--when a: write NAME:CONDITION, as in momentum:opt=sgd|a=1 --when a
--samples 0: write a number from 1 on|--samples 0 a=uniform:0:1
--samples: 'x' is not a whole number|--samples x a=uniform:0:1
--seed: '-1' is not a whole number|--seed -1 --samples 1 a=uniform:0:1
--samples 5: no hyperparameter has a random distribution|--samples 5 a=1
'xml': no such format (tsv, csv, jsonl, args, env or count)|-o xml a=1
'xml': no such format (csv, tsv or jsonl)|--from p.csv --from-format xml
--from-format: without --from FILE|--from-format csv a=1
lr: the file has this column already|--from p.csv lr=1
-o env: a.b and a-b are both STFM_PARAM_a_b|-o env a.b=1 a-b=1
about 1e+20 combinations are too many|a=1..10000000000 b=1..10000000000
spec.json: a second spec|--spec spec.json --spec spec.json
END

while IFS='|' read -r advice words; do
	eval "set -- $words"
	refused "refused, with the way to write it: $words" \
		"${1%%=*}: ${1#*=}: $advice" stfm-expand "$@"
done <<'END'
values need no brackets: write lr=0.1,0.2 (write lr:='["[0|lr=[0.1,0.2]
values need no brackets: write x=1,2 (write|'x={1,2}'
values need no brackets: write x=1,2 (write|'x=(1, 2)'
values need no brackets: write x=1..3 (write|'x={1..3}'
values need no brackets: write x=sgd,adam|"x=['sgd', 'adam']"
values with brackets are written as JSON: x:='[[64,3],[8]]' (|x=[[64,3],[8]]
values need no brackets, only commas between them, as in x=1,2|x=[a,[b,c]]
values need no brackets, only commas between them, as in x=1,2|x=[,]
write x=0..2 (write x:='["range(3)"]' for this very text)|'x=range(3)'
write x=1..9|'x=range(1,10)'
write x=0..8..2|'x=range(0, 9, 2)'
write x=5..1..-1|'x=range(5,0,-1)'
write a range as in x=0..9, with a step as in x=0..0.5|'x=np.arange(0,1,.1)'
write x=lin:0:1:5|'x=np.linspace(0,1,5)'
write x=log:0.0001:0.1:4|'x=np.logspace(-4,-1,4)'
write x=log:1e-4:1e-1:4|'x=np.geomspace(1e-4,1e-1,4)'
write lr=loguniform:1e-5:1e-1|'lr=loguniform(1e-5,1e-1)'
write x=choice:a:b|'x=choice(a,b)'
write x=1..10 (write x:='["1:10"]' for this very text)|x=1:10
write x=0..9|x=0:9
write a range with a step as in x=0..0.5..0.1|x=0:10:2
write x=1..10|x=1-10
write lr=loguniform:1e-5:1e-1 to draw, or lr=log:1e-5:1e-1:5|lr=1e-5-1e-1
write x=uniform:0.1:0.5 to draw, or x=lin:0.1:0.5:5|x=0.1:0.5
write x=uniform:-1:0.5 to draw|x=-1-0.5
END
refused "also one of several items" "x: 1:10: write x=1..10" \
	stfm-expand x=0,1:10
for word in 'x=[64]' 'x=[64\,32],[8\,4]' 'x=16:9' x=80-20 x=2024-01 x=01-12 \
	x=2024-01-05 x=1:30:00 @time=8:00:00 @time=8:30 @time=1-12 \
	'x=log(x)' x=1e-3 x=-5..-1 'x=[]' 'x=[a],[b]' x=a-b x=1-a \
	x=http://h:80/a 'x=a\,1:10' 'x:=["1:10"]' 'x:=[[1,2]]'; do
	ok "taken as it is: $word" stfm-expand "$word"
done

refused "standard input is read for one thing only" \
	"stfm-expand: b: standard input is asked for twice" \
	sh -c 'echo x | stfm-expand a=@- b=@-'

printf '{ "params": {},\n  "parms": 5 }\n' >wrong.json
refused "a wrong spec is shown with line and column" \
	"stfm-expand: wrong.json: line 2, column 3: unknown key \"parms\"" \
	stfm-expand --spec wrong.json
printf 'lr\tlr\n1\t2\n' >wrong.tsv
refused "two columns of one name" \
	"stfm-expand: wrong.tsv: line 1: two columns are named lr" \
	stfm-expand --from wrong.tsv
printf '1e-3\t2\n1\t2\n' >wrong.tsv
refused "a file without a line of names" \
	"stfm-expand: wrong.tsv: line 1: '1e-3': not a name" \
	stfm-expand --from wrong.tsv
printf 'a\tb\n1\t2\n1\n' >wrong.tsv
status "a line with too few fields" 2 stfm-expand --from wrong.tsv
like "... is named" "^stfm-expand: wrong.tsv: line 3: 1 field, but the first" \
	"$(stfm-expand --from wrong.tsv 2>&1 >/dev/null)"
refused "escape sequences do not reach the terminal" '\x1b[31m' \
	stfm-expand "$(printf '\033[31m')=1"

refused "no words: a short usage" "usage: stfm-expand" stfm-expand
mkfifo silent
status "no words: standard input is not waited for" 2 \
	sh -c 'timeout 200 stfm-expand <>silent'

status "no points are left" 1 stfm-expand a=1,2 --except a=1 --except a=2
is "... which is said" "a
stfm-expand: no points: every one is left out" \
	"$(stfm-expand a=1,2 --except a=1 --except a=2 2>&1)"
printf 'a\n' >none.tsv
is "a file without rows" "a
stfm-expand: no points: none.tsv has no rows" \
	"$(stfm-expand --from none.tsv 2>&1)"

# ---- sizes ----

many=seed=1..1000000000000
is "the first points of many come at once" "seed 1" \
	"$(timeout 200 stfm-expand $many 2>err | head -n 2 | xargs)"
is "a reader that leaves is left in silence" "" "$(cat err)"
for words in $many "$many a=1" "a=1 $many"; do
	(
		trap '' PIPE
		# shellcheck disable=SC2086 # words
		timeout 200 stfm-expand $words 2>err
		echo $? >left
	) | head -n 1 >first
	like "a reader that leaves is noticed without SIGPIPE: $words" \
		"^2 stfm-expand: standard output: " "$(cat left err | xargs)"
done
status "so is a full disk" 2 timeout 200 sh -c "stfm-expand $many >/dev/full"

# Within 20 MB of address space, which the sanitizers do not fit into.
little() {
	# shellcheck disable=SC3045 # every sh of today has it
	[ -n "$SANITIZE" ] || ulimit -v 20000
	timeout 600 stfm-expand "$@"
}
many=seed=1..10000000
[ -z "$SANITIZE" ] || many=seed=9900001..10000000
is "ten million points take no memory" 10000000 \
	"$(little $many | tail -n 1)"
is "... nor those that are left out" "seed 10000000" \
	"$(little $many --except 'seed<10000000' | xargs)"
is "... nor samples" 1000000 \
	"$(little --samples 1000000 -o count lr=uniform:0:1 --except lr=2)"
is "... nor the rows of a file" 1000000 \
	"$(stfm-expand seed=1..500000 | little --from - a=1,2 -o count)"

# ---- shells ----

cat >words <<'END'
lr=1e-3,1e-4 lr=log:1e-4:1e-2:2 seed=1..2 drop=0..0.2..0.1 neg=-1
units=lin:32:64:2 wd=0,log:1e-6:1e-5:2 name=@values.txt model.depth=18
weight-decay=+0.1 path=../data/x url=http://x:80/a pct=50% mail=a@b home=a~b
n:=5 opt=sgd,adam momentum=0.9 act=choice:relu:gelu --samples 1
--zip lr,opt,momentum2 momentum2=1,2,3,4 opt=a,b --except opt=adam,seed=1
--when momentum:opt=sgd
END
words=$(tr '\n' ' ' <words)
# shellcheck disable=SC2086 # words are words
stfm-expand $words >expected
ok "the words for the shells are right" test "$(wc -l <expected)" -gt 10
for shell in sh bash dash 'zsh -f' 'zsh -f -o extendedglob -o magicequalsubst' \
	'fish --no-config' tcsh; do
	command -v "${shell%% *}" >/dev/null || continue
	is "$shell takes words without quotes" "$(cat expected)" \
		"$($shell -c "stfm-expand $words" 2>&1)"
done
is "braces of bash and zsh make words that add values" \
	"$(points lr=1e-3,1e-4 seed=1,2)" \
	"$(bash -c 'stfm-expand lr={1e-3,1e-4} seed={1..2}' | tr '\t' ' ')"

# TSV prints points in runs, args one by one.
printf 'x,y\n1,a\n2,b\n' >rows.csv
for words in "a=1,2 b=1..3" "b=1..5000 a=1" "a=1,2 b=1..5000" "a=7" \
	"a=1..3 b=1..3 --except a=2,b=2" "a=1,2 b=3,4 c=5,6 --zip b,c" \
	"--from rows.csv a=1..3" "--from rows.csv a=1..3 b=5,6 --except a=2" \
	"a=uniform:0:1 b=1..4 --samples 3"; do
	# shellcheck disable=SC2086 # words
	stfm-expand -o args $words | sed 's/--[a-z]*=//g' >one-by-one
	# shellcheck disable=SC2086 # words
	is "in runs: $words" "$(tr ' ' '\t' <one-by-one | cksum)" \
		"$(stfm-expand --no-header $words | cksum)"
done

done_testing
