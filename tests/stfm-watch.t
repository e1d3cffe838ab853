#!/bin/sh
# stfm-watch where there is no Slurm: slurm-watch.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "$STFM_DIR: no store here" stfm-watch
mkdir "$STFM_DIR"
refused "a directory that is none" "not a store of stfm" stfm-watch
refused "an interval of nothing" "--interval: 0 is not between 1 and 86400" \
	stfm-watch --interval 0
refused "an interval that is no number" "-i: 'x' is not a whole number" \
	stfm-watch -i x

done_testing
