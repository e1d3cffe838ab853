#!/bin/sh
# The examples that let Optuna and scikit-optimize choose the points of a
# search, with the real packages: optuna_sampler.py, skopt_sampler.py.
. "$(dirname "$0")/tap.sh"

# A sanitizer finds nothing here that the tests of the commands do not.
[ -z "$SANITIZE" ] || skip_all "Python's packages have no sanitizer"

env=$top/build/samplers
requirements=$examples/samplers.txt
# What is imported must come from the environment and from nowhere else.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$env/cache" PIP_DISABLE_PIP_VERSION_CHECK=1

make_env() {
	cmp -s "$requirements" "$env/samplers.txt" && return
	rm -rf "$env" && python3 -m venv "$env" &&
		TMPDIR=$tap_dir "$env/bin/pip" install -q --no-compile \
			-r "$requirements" && cp "$requirements" "$env/"
}
mkdir -p "$top/build"
exec 9>"$top/build/samplers.lock"
flock 9
make_env >pip.log 2>&1 ||
	skip_all "the packages cannot be installed: $(tail -n 1 pip.log)"
exec 9>&-
python=$env/bin/python

begin_slurm -N 1 -g 0 -c 2
export STFM_DIR="$tap_dir/store"

cat >train.sh <<'END_'
exec >"$STFM_METRICS"
echo epoch,accuracy
for epoch in 1 2 3 4; do
	echo "$epoch,0.$((100 - $1))$epoch"
	sleep 0.2
done
END_
search() {
	stfm-submit -Q -J "$1" --gres=none --args=none --parallel 1 \
		--search 5 --sampler "$python $examples/$1_sampler.py" \
		--pruner asha,first=2 --metric accuracy --epochs 4 \
		width=int:10:90 lr=loguniform:1e-4:1 opt=sgd,adam \
		momentum=uniform:0:0.99 --when momentum:opt=sgd \
		-- sh train.sh "{width}"
	stfm-watch -Q -i 1 "$1"
}
states() {
	stfm-status -o tsv -c state "$1" | sed 1d | sort | uniq | xargs
}
# What a sampler is told: the smaller the width, the better the value.
told() {
	printf '%s%s%s\n' '{"task":61,"seed":0,"goal":"max","epochs":4,' \
		'"space":[{"name":"width","distribution":"int","low":0,' \
		'"high":1000},{"name":"opt","values":["sgd","adam"]}]}'
	seq 60 | while read -r i; do
		printf '{"task":%d,"state":"FINISHED","epoch":4,"value":%s,' \
			"$i" "0.$((99 - i))"
		printf '"point":{"width":"%d","opt":"adam"}}\n' $((16 * i))
	done
	echo '{"task":0,"state":"RUNNING","point":{"width":"0","opt":"sgd"}}'
}
told >told.jsonl

for example in optuna_sampler.py skopt_sampler.py; do
	sampler=${example%_sampler.py}
	search "$sampler"
	like "$sampler: all tasks of a search end well" \
		"^FINISHED( STOPPED)?$" "$(states "$sampler")"
	is "its points are trained" "" "$(stfm-log "$sampler" 2>&1 |
		grep 'sampler command failed')"
	is "each is another one" 5 "$(stfm-status -o points "$sampler" |
		sed 1d | sort -u | wc -l)"
	is "with a momentum only where one is used" "" "$(stfm-status -o jsonl \
		"$sampler" | jq -c 'select((.opt == "sgd") !=
			(.momentum != null)) | .id')"
	width=$("$python" "$examples/$example" <told.jsonl |
		jq .width)
	ok "it learns: $width is near the best" [ "$width" -lt 400 ]
done

done_testing
