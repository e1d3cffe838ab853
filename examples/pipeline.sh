#!/bin/sh
# From coarse to fine: try learning rates over four decades, then look closer
# around the best one.  Every step is a command that reads or writes text.
#
#	examples/pipeline.sh [COMMAND [ARGUMENT...]]
#
# The command gets --lr=VALUE and --batch_size=VALUE; without one the network
# of keras_digits.py is trained.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] ||
	set -- "$top/.venv/bin/python" "$top/examples/keras_digits.py" \
		--epochs=8

# The value of a named column in the first row of a table.
first() {
	awk -F '\t' -v name="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
	NR == 2 { print $column; exit }'
}

# 1. A coarse grid: expand it, leave one corner out, queue what remains.
stfm-expand lr=log:1e-4:1e-1:4 batch_size=16,64 --except lr=0.1,batch_size=16 |
	stfm-submit -J coarse --description "Four decades" --from - -- "$@"
stfm-watch --interval 5 coarse

# 2. The three best, and no more than we want to know; any tool that reads
# tables will do.
stfm-status -o tsv -s best coarse | head -n 4 | cut -f 1,6,7,13,14

# 3. A finer grid around the best learning rate.
lr=$(stfm-status -o tsv -s best -n 1 coarse | first lr)
batch_size=$(stfm-status -o tsv -s best -n 1 coarse | first batch_size)
low=$(LC_ALL=C awk -v lr="$lr" 'BEGIN { print lr / 2 }')
high=$(LC_ALL=C awk -v lr="$lr" 'BEGIN { print lr * 2 }')
stfm-expand "lr=log:$low:$high:3" batch_size="$batch_size" |
	stfm-submit -J fine --description "Around lr=$lr" --from - -- "$@"
stfm-watch --interval 5 fine

# 4. What came out: a table and a chart.
stfm-status -s best fine
stfm-plot fine
