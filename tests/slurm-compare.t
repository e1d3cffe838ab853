#!/bin/sh
# stfm-status --compare: jobs side by side.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0 -c 4
export STFM_DIR="$tap_dir/store"

cols() {
	COLUMNS=400 stfm-status --no-refresh "$@" 2>&1
}

cat >train.sh <<'END'
#!/bin/sh
exec >>"$STFM_METRICS"
echo epoch,val_loss
echo "0,0.$STFM_TASK"
END
chmod +x train.sh
stfm-submit -Q --gres=none -J job lr=1..3 -- ./train.sh
stfm-submit -Q --gres=none -t 5 -J other --max-fail 2 lr=3,4 opt=adam -- \
	./train.sh
echo '# later' >>train.sh
stfm-submit -Q --gres=none -J newer lr=3,4 opt=adam -- ./train.sh
stfm-watch -Q -i 1 job other newer
is "what differs between jobs" "job other newer
--max-fail - 2 -
--time - 5 -
lr 1,2,3 3,4 3,4
opt - adam adam
tasks 3 2 2
FINISHED 3 2 2
metric val_loss val_loss val_loss
best 0.0000 0.0000 0.0000
best task job/0 other/0 newer/0" "$(cols --compare job other newer |
	grep -vE '^(submitted|code fingerprint|its point|hours|the )' |
	sed 's/^ *//; s/  */ /g')"
like "and what does not" '^the same: .*--gres=none' \
	"$(cols --compare job other)"
is "the files of the code" "the code differs in train.sh
diff -r jobs/other/code jobs/newer/code" "$(COLUMNS=400 stfm-status \
	--no-refresh --compare other newer | tail -n 2 |
	sed "s|$STFM_DIR/||g")"
stfm-submit -Q --gres=none -J newest lr=3,4 opt=adam -- ./train.sh
stfm-restart -Q --finished --new-code other/1
stfm-watch -Q -i 1 other newest
fingerprint() {
	stfm-status --no-refresh --compare -o jsonl "$@" newest |
		jq -r 'select(.name == "code fingerprint").value'
}
newest=$(fingerprint newer | tail -n 1)
is "tasks that ran two copies have two" \
	"copy 0: $(fingerprint job | head -n 1), copy 1: $newest" \
	"$(fingerprint other | head -n 1)"
is "of one task it is that of its copy" "$newest" \
	"$(fingerprint other/1 | head -n 1)"
is "which is not the same as that of a job with one" "" "$(
	cols --compare other newest | grep "^the same:.*fingerprint")"

is "programs get a row for each value" "slurm --time other 5
slurm --time newer null
hyperparameter lr other 3,4
hyperparameter lr newer 3,4
result best other 0
result best newer 0" "$(stfm-status --no-refresh --compare -o jsonl other \
	newer | jq -r '"\(.kind) \(.name) \(.job) \(.value)"' |
	grep -E ' (--time|lr|best) (other|newer) ')"
is "selected tasks are compared" "other 0.1 newer 0.1" \
	"$(stfm-status --no-refresh --compare -o jsonl -w lr=4 other newer |
		jq -r 'select(.name == "best") | "\(.job) \(.value)"' | xargs)"
is "-c chooses the rows" "other newer
best 0.0000 0.0000
opt adam adam" "$(cols --compare -c best,opt other newer |
	sed 's/^ *//; s/  */ /g')"
is "for programs, too" "best opt" "$(stfm-status --no-refresh --compare \
	-c best,opt -o jsonl other newer | jq -r .name | uniq | xargs)"
refused "a row that is not there" "--columns: bset: no such row in" \
	stfm-status --compare -c bset other newer
refused "one job has nothing beside it" "--compare: name two jobs or more" \
	stfm-status --compare job

seq 1 20 >one.txt
cp one.txt same.txt
seq 2 21 >two.txt
for name in one same two; do
	cp $name.txt values.txt
	stfm-submit -Q --gres=none --begin=now+1hour -J $name lr=@values.txt \
		-- ./train.sh
done
like "many values of a file are the same if the points are" \
	'^the same: .* lr=@values\.txt$' "$(cols --compare one same)"
is "else they are others" "lr @values.txt @values.txt (other points)" \
	"$(cols --compare one two | grep '^ *lr' | sed "s,  *, ,g")"

stfm-submit -Q --gres=none --begin=now+1hour -J careful --canary --usage=no \
	--then true lr=@values.txt -- ./train.sh
is "each option of stfm-submit has its row" "--canary yes
--then true
--usage no" "$(stfm-status --compare -o jsonl careful two | jq -r \
	'select(.job == "careful" and .kind == "job") | "\(.name) \(.value)"' |
	grep -E '^--(canary|usage|then) ' | sort)"

done_testing
