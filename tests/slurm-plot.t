#!/bin/sh
# stfm-plot draws jobs that a real Slurm trains.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}
# The series drawn, the best first.
series() {
	stfm-plot -o tsv "$@" 2>/dev/null | sed 1d | cut -f 1 | uniq | xargs
}
talk() {
	{ stfm-plot "$@" >/dev/null; } 2>&1
}
# The x values of a task's objective.
epochs() {
	stfm-plot -o tsv -m val_loss "$1" 2>/dev/null | sed 1d | cut -f 2 |
		xargs
}

# A training of ten epochs.  It waits before an epoch until it may go on:
# until there is a file of that number.
cat >train.sh <<'END'
#!/bin/sh
echo epoch,loss,val_loss >"$STFM_METRICS"
for epoch in 0 1 2 3 4 5 6 7 8 9; do
	while [ -n "$HALT" ] && [ ! -e "go/$epoch" ]; do
		sleep 0.05
	done
	awk -v e="$epoch" -v lr="$STFM_PARAM_lr" -v d="$STFM_PARAM_drop" '
	BEGIN {
		x = 2 / (1 + e * lr) + 0.1
		print e "," x "," x + d + lr * e / 200
	}' >>"$STFM_METRICS"
done
[ "$STFM_PARAM_lr" != 0.1 ]
END
chmod +x train.sh

## While it trains

mkdir go
HALT=1 submit -J net lr=0.1,1,10 drop=0,0.5 epochs=10 -- ./train.sh
log=$STFM_DIR/jobs/net/metrics/000003.csv
ok "the tasks run" poll 30 test -s "$log"
like "without any pass the state is that at submission" \
	"; the states are those at submission .run stfm-status" \
	"$(talk net/3)"
like "there are no values yet" "^stfm-plot: net/3: no values yet .SUBMITTED" \
	"$(talk net/3)"
status "which is no failure" 0 stfm-plot net/3
touch go/0 go/1
reaches() {
	[ "$(epochs "$1")" = "$2" ]
}
ok "epochs are seen as they are written, without a pass" \
	poll 30 reaches net/3 "1 2"
is "the pass was not made" "" "$(ls "$STFM_DIR/jobs/net/fold")"
stfm-watch --once -Q net
like "after one the state is known, the epoch is that of the log" \
	"^net/3 RUNNING  lr=1 drop=0.5  epoch 2/10" "$(stfm-plot -W 100 net/3)"
touch go/2
ok "epochs go on" poll 30 reaches net/3 "1 2 3"
like "and are newer than the pass" \
	"^net/3 RUNNING  lr=1 drop=0.5  epoch 3/10" "$(stfm-plot -W 100 net/3)"
touch go/3 go/4 go/5 go/6 go/7 go/8 go/9

## When it has ended

stfm-watch -i 1 -Q net
is "two tasks fail" 1 $?
array=$(stfm-status -o tsv --no-refresh net/0 | awk -F '\t' '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "slurm_id") k = i }
	NR == 2 { sub(/_.*/, "", $k); print $k }')

# Drawings that were looked at and found good.
is "a job, as it was looked at" \
	"val_loss, 6 tasks of net  lower is better  sorted by best
  |cff
  | c ffffff
  |aec      fffffffffff
2 + acddeeee           ffffffffffff
  | abc d   eeeeee                 fffffffffffffffff
  |  abb ddd      eeeeeeeeeee                       fff* f 1.66
  |   a b   dddddd           eeeeeeeeeeeeeeeee           e 1.16
  |   a cbb       ddddd                       eeeeeeccc* c 1.07
1 +    a ccbbb         cccccccccccccccccccccccccccccddd* d 0.845
  |     a   ccb*bbbbbbb
  |     a              bbbbbbbbbbbbaaaaaaaaaaaaaaaaaaaaa a 0.572
  |      aaaaaa*aaaaaaaaaaaaaaaaaaa      bbbbbbbbbbbbbb* b 0.345
  +------+----------+-----------+----------+-----------+
         2          4           6          8          10  epoch" \
	"$(stfm-plot -W 64 -H 15 --layout one net | sed '/TASK/,$d')"
is "and as a table" \
	"val_loss, 6 tasks of net  lower is better  sorted by best
TASK   STATE     EPOCH   lr  drop    BEST  AT   LAST  VAL_LOSS
net/4  FINISHED  10/10   10     0  0.2952   3  0.572  @@__________.......---
net/2  FINISHED  10/10    1     0  0.3450  10  0.345  @@++===-----....._____
net/5  FINISHED  10/10   10   0.5  0.7952   3  1.072  @@==========++++++++++
net/3  FINISHED  10/10    1   0.5  0.8450  10  0.845  @@##***++++++++++++===
net/0  ERROR     10/10  0.1     0  1.1571  10  1.157  @@##########**********
net/1  ERROR     10/10  0.1   0.5  1.6571  10  1.657  @@@@@@@@@@@@##########" \
	"$(stfm-plot -W 76 --layout spark net)"
is "a task, as it was looked at" \
	"net/0 ERROR  lr=0.1 drop=0
epoch 10/10  best val_loss 1.157 @ 10 (*)
    |vv
  2 +  vv
    |    vvvv
    |        vvvvv
    |             vvvvv
1.5 +                  vvvv
    |                      vvvvvvvvvv
    |                                vvvvvvvvvv    val_loss 1.16
    |                                     ooooovv* loss 1.15
    +--------------------+-----------------------+
                         5                      10  epoch" \
	"$(stfm-plot -W 64 -H 12 net/0)"

is "the best comes first" "net/4 net/2 net/5 net/3 net/0 net/1" \
	"$(series net)"
is "among some tasks too" "net/5 net/0 net/1" "$(series net/0-1,5)"
is "the newest job" "$(series net)" "$(series @1)"
is "by Slurm's id" "net/3" "$(series "${array}_3")"
is "those that failed" "net/0 net/1" "$(series -t ERROR net)"
is "those with a hyperparameter" "net/4 net/2 net/0" "$(series -w drop=0 net)"

## Jobs beside each other

submit -J long lr=1 drop=0 epochs=10 optimizer=adam -- ./train.sh
stfm-watch -i 1 -Q long
is "two jobs are drawn together, with what tells them apart" \
	"TASK    STATE     EPOCH  lr,drop,optimizer    BEST  AT   LAST  VAL_LOSS
net/2   FINISHED  10/10  1,0,-              0.3450  10  0.345  @*==-..._____
long/0  FINISHED  10/10  1,0,adam           0.3450  10  0.345  @*==-..._____" \
	"$(stfm-plot -W 76 --layout spark net/2 long | sed 1d)"
printf 'epoch,val_loss\n0,5\n1,0.01\n' >base.csv
is "a file beside them" "base.csv long/0" "$(series long base.csv)"

## Tasks that cannot be drawn

submit -J waits --begin=now+1hour lr=1 drop=0..3 -- ./train.sh
stfm-watch --once -Q waits
is "tasks that wait are named, in few words" \
	"stfm-plot: waits/0-3: no metrics yet (SUBMITTED)" "$(talk waits)"
status "that is no failure" 0 stfm-plot waits
stfm-stop -Q waits
stopped() {
	stfm-watch --once -Q waits
	[ "$(talk waits)" = "stfm-plot: waits/0-3: no metrics (STOPPED)
stfm-plot: nothing to draw" ]
}
ok "so are those that were stopped" poll 20 stopped

# The place of S-TFManager's scripts, and one that the user names.
cat >place.sh <<'END'
#!/bin/sh
mkdir -p "$(dirname "$1")"
printf 'epoch,val_loss\n0,2\n1,%s\n' "$2" >"$1"
END
chmod +x place.sh
submit -J old --args=none x=1,2 -- ./place.sh 'results/old/{task}/{task}.csv' \
	'{x}'
stfm-watch -i 1 -Q old
is "logs in results/JOB/TASK/ are found" "old/0 old/1" "$(series old)"
submit -J placed --args=none --metrics 'runs/{x}/log.csv' x=1,2 -- \
	./place.sh 'runs/{x}/log.csv' '{x}'
stfm-watch -i 1 -Q placed
is "so are those that --metrics names" "placed/0 placed/1" "$(series placed)"


# ---- an attempt that continues, and writes an epoch again ----

cat >again.sh <<'EOF'
#!/bin/sh
if [ -e "$STFM_CHECKPOINT_DIR/1" ]; then
	rows='2,0.9,4 3,0.8,5'
else
	rows='1,0.5,1 2,0.1,2'
fi
mkdir -p "$STFM_CHECKPOINT_DIR"
: >"$STFM_CHECKPOINT_DIR/1"
[ "$1" = json ] || echo epoch,loss,acc >"$STFM_METRICS"
for row in $rows; do
	case $1 in
	csv) echo "$row" ;;
	json) echo "{\"epoch\": $row}" | sed 's/,/, "loss": /
		s/,\([0-9]*\)}/, "acc": \1}/' ;;
	esac
done >>"$STFM_METRICS"
[ "$rows" = '2,0.9,4 3,0.8,5' ]
EOF
chmod +x again.sh
submit -J again --args=none kind=csv,json -- ./again.sh '{kind}'
stfm-watch -Q -i 1 again
stfm-restart -Q --resume again
stfm-watch -Q -i 1 again
is "the best value is that of the attempt before" "0.1 2 0.1 2" \
	"$(stfm-status -o jsonl again | jq -r '"\(.best) \(.best_epoch)"' |
		xargs)"
is "its other metrics are not those of the later one" "null null" \
	"$(stfm-status -o jsonl -m loss,acc again | jq -r .acc | xargs)"
for i in 0 1; do
	like "a chart has the same best value" 'best loss 0[.]1 @ 2' \
		"$(stfm-plot again/$i 2>/dev/null | head -n 2)"
	is "and all values" "1 0.5 2 0.1 2 0.9 3 0.8" "$(stfm-plot -o tsv \
		-m loss again/$i 2>/dev/null | sed 1d | cut -f 2,4 | xargs)"
done
like "a report does, too" 'best loss 0[.]1 @ 2' "$(stfm-report again/0)"
# Of 0.5, 0.1, 0.9 and 0.8, not of 0.9 and 0.8 alone.
is "a line of the table shows the curve of both attempts" "+_@@ +_@@" \
	"$(stfm-status --charset=ascii -c curve again | sed 1d | xargs)"

done_testing
