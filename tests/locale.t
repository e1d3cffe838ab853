#!/bin/sh
# Words mean the same in a locale whose letters differ: in Turkish, I is not
# the capital of i.
. "$(dirname "$0")/tap.sh"

mkdir "$tap_dir/locale"
localedef -i tr_TR -f UTF-8 "$tap_dir/locale/tr_TR.UTF-8" 2>none ||
	skip_all "there is no Turkish locale"
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"
fixture=$top/build/plain/tests/store-fixture
[ -z "$SANITIZE" ] || fixture=$top/build/sanitize/tests/store-fixture
printf '%s\n' 'job|conv|x=1,2' 'task|0|FINISHED|start=-9|end=-8' \
	'task|1|ERROR|cause=exit 1|start=-9|end=-8' end |
	"$fixture" "$STFM_DIR"

turkish() {
	LOCPATH="$tap_dir/locale" LC_ALL=tr_TR.UTF-8 "$@"
}
is "the locale is there" tr_TR.UTF-8 "$(turkish sh -c 'locale |
	sed -n "s/^LC_CTYPE=\"*\([^\"]*\).*/\1/p"')"
for state in finished FINISHED fin f F; do
	is "state $state" "$(stfm-status --no-refresh -o tsv -t $state conv)" \
		"$(turkish stfm-status --no-refresh -o tsv -t $state conv)"
done
is "columns of a table" "$(stfm-status --no-refresh conv | head -1)" \
	"$(turkish stfm-status --no-refresh conv | head -1)"
printf 'Iteration,VAL_LOSS_I\n0,3\n1,2\n' >curve.csv
is "columns of metrics" "$(stfm-plot -o tsv curve.csv)" \
	"$(turkish stfm-plot -o tsv curve.csv)"
for time in infinite unlimited; do
	is "time limit $time" \
		"$(stfm-submit --dry-run -t $time x=1 -- true 2>&1 | wc -l)" \
		"$(turkish stfm-submit --dry-run -t $time x=1 -- true 2>&1 |
			wc -l)"
done
done_testing
