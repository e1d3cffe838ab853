#!/bin/sh
# Metrics that stfm recognises in what a training prints, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store" GO="$tap_dir/go"

submit() {
	stfm-submit -Q --gres=none --args=none "$@"
}
best() {
	row "$1" "$2" '.metrics | "\(.best) @ \(.best_epoch) \(.metric)"'
}
page() {
	COLUMNS=200 stfm-status "$1"
}

## A training that prints

# Fit a line by gradient descent; after the second epoch wait for $GO if told.
cat >fit.py <<'END'
import os
import time

x = [i / 10 for i in range(10)]
w, rate = 0.0, 0.1 * float(os.environ["STFM_PARAM_i"])
print("Namespace(epochs=4, precision=16, loss='mse')", flush=True)
for epoch in range(1, 5):
    print(f"Epoch {epoch}/4")
    for part in 1, 2:
        w -= rate * sum(2 * (w * v - 3 * v) * v for v in x)
        loss = sum((w * v - 3 * v) ** 2 for v in x) / len(x)
        more = f" - val_loss: {2 * loss:.6f}\n" if part == 2 else "\r"
        print(f"{part}/2 [====] - 1s 5ms/step - loss: {loss:.6f}", end=more,
              flush=True)
    while epoch == 2 and "WAIT" in os.environ \
            and not os.path.exists(os.environ["GO"]):
        time.sleep(0.1)
print("best val_loss: 0.0001")
with open(os.environ["STFM_CHECKPOINT_DIR"] + "/last.ckpt", "w") as file:
    file.write(str(w))
END
submit -J fit i=1,2 -- python3 fit.py
ok "a training may print without patterns" stfm-watch -Q -i 1 fit
is "its metrics are found" "7e-06 @ 4 val_loss" "$(best fit 0)"
is "at the end of its bars" 4 "$(row fit 0 .metrics.values)"
like "the page says that they are guessed" "^Metrics +guessed from the printed \
output \(loss, val_loss\); name them with stfm-submit --metrics-regex$" \
	"$(page fit/0)"
like "so does the table" "^fit/0-1  metrics: guessed from the printed output \
\(loss, val_loss\); name them with stfm-submit --metrics-regex$" "$(page fit)"
is "they are drawn" "1 2 3 4" "$(stfm-plot -o tsv -m loss fit/0 |
	sed 1d | cut -f 2 | xargs)"
is "with the same metric on the other data" "val_loss loss" \
	"$(stfm-plot -o tsv fit/0 | sed 1d | cut -f 3 | uniq | xargs)"
is "tasks are compared by them" fit/1 \
	"$(stfm-status --best 1 -o tsv fit | sed 1d | cut -f 1)"

like "checkpoints are not removed by a guess" "^stfm-checkpoints: fit: its \
metrics are guessed from the printed output: name the objective" \
	"$(stfm-checkpoints --dry-run --keep-best 1 fit 2>&1)"

submit -J packed --pack 2 i=1,2 -- python3 fit.py
ok "tasks on one allocation print apart" stfm-watch -Q -i 1 packed
is "and each has its own" "$(best fit 0) $(best fit 1)" \
	"$(best packed 0) $(best packed 1)"

## While it runs

WAIT=1 submit -J live --canary i=1,2 -- python3 fit.py
has_epoch() {
	stfm-watch --once -Q "$1"
	[ "$(row "$1" 0 .metrics.epoch)" = "$2" ]
}
ok "a running task has metrics" poll 60 has_epoch live 2
is "its output is read to the end" \
	"$(cat "$STFM_DIR"/jobs/live/log/*.log | wc -c)" \
	"$(row live 0 .metrics.offset)"
table=$(row live 0 '[.metrics, .metrics_check]')
stfm-watch --once -Q live
is "and not again while it does not grow" "$table" \
	"$(row live 0 '[.metrics, .metrics_check]')"
is "a guess does not let the others of a canary go" "" \
	"$(ls "$STFM_DIR/jobs/live/ctl")"
: >"$GO"
ok "it goes on" stfm-watch -Q -i 1 live
is "from there" "$(best fit 0)" "$(best live 0)"
rm "$GO"

## What else there may be

# shellcheck disable=SC2016 # for the training
submit -J later i=1 -- sh -c 'echo "epoch 1 loss=0.5"
	until [ -e "$GO" ]; do sleep 0.1; done
	printf "epoch,val_loss\n1,0.25\n" >"$STFM_METRICS"'
has_best() {
	stfm-watch --once -Q "$1"
	[ "$(best "$1" 0)" = "$2" ]
}
ok "an output counts while there is no log" \
	poll 60 has_best later "0.5 @ 1 loss"
: >"$GO"
timeout 300 stfm-watch -Q -i 1 later
is "a log that appears later counts instead" "0.25 @ 1 val_loss" \
	"$(best later 0)"
is "and nothing is guessed any more" "" "$(page later | grep guessed)"

submit -J off --metrics none i=1 -- sh -c 'echo "epoch 1 loss=0.5"'
timeout 300 stfm-watch -Q -i 1 off
is "--metrics none turns it off" null "$(row off 0 .metrics)"
submit -J named --metrics none --metrics-regex 'loss=(?<loss>[0-9.]+)' i=1 -- \
	sh -c 'echo "epoch 1 loss=0.5"'
ok "a job with a pattern" stfm-watch -Q -i 1 named
is "a pattern reads the printed output all the same" 0.5 \
	"$(row named 0 .metrics.best)"
submit -J talk i=1 -- sh -c 'echo "lr: 0.1"; echo "Epoch 1/2"; echo Error: 2'
timeout 300 stfm-watch -Q -i 1 talk
like "an output without metrics is none" '^Metrics +none: nothing was written' \
	"$(page talk/0)"
like "nor is it drawn" '^stfm-plot: talk/0: no metrics \(FINISHED\)' \
	"$(stfm-plot talk 2>&1)"

done_testing
