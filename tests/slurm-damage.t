#!/bin/sh
# Damage of any file in a store that real commands made is noticed.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}

# A copy of the code with a difference to its commit, a canary, a stop, a
# restart, points in a file, and points added later.
git init -q .
git config user.name N
git config user.email n@example.org
printf '#!/bin/sh\nexit "${STFM_PARAM_x:-0}"\n' >train.sh
chmod +x train.sh
git add -A
git commit -qm first
echo '# more' >>train.sh
printf 'x\n0\n1\n0\n' >points.csv
printf '#!/bin/sh\n#SBATCH -t 5\n./train.sh\n' >own.sbatch
submit -J own own.sbatch
stfm-watch -Q -i 1 own
submit -J all --canary --from points.csv -- ./train.sh
stfm-watch -Q -i 1 all 2>/dev/null
stfm-restart -Q all
stfm-watch -Q -i 1 all 2>/dev/null
submit -J ended --hold x=1,2 -- ./train.sh
stfm-stop -y -Q ended
submit -J beside --hold x=1 -- ./train.sh
stfm-throttle -Q beside 1
submit -J grown --hold x=1 -- ./train.sh
submit -J grown --hold --sync x=1,2 -- ./train.sh
stfm-watch -Q -1 --on error,best true

damage() {
	case $1 in
	cut) truncate -s -2 "$2" ;;
	emptied) : >"$2" ;;
	*)
		old=$(tail -c 3 "$2" | head -c 1)
		[ "$old" = X ] && new=Y || new=X
		printf %s "$new" | dd of="$2" bs=1 conv=notrunc status=none \
			seek=$(($(stat -c %s "$2") - 3))
		;;
	esac
}
is "the store is sound" "" "$(stfm-check -Q --store 2>&1)"
files=$(cd "$STFM_DIR" && find FORMAT hooks libexec jobs -type f \
	! -path '*/metrics/*' ! -path '*/log/*' ! -path '*/checkpoint/*' | sort)
silent=
for file in $files; do
	cp -p "$STFM_DIR/$file" kept
	chmod u+w "$STFM_DIR/$file"
	for how in turned cut emptied; do
		damage "$how" "$STFM_DIR/$file"
		stfm-check -Q --store >told 2>&1
		[ $? -eq 1 ] && grep -q . told || silent="$silent $file:$how"
		cat kept >"$STFM_DIR/$file"
	done
	chmod --reference=kept "$STFM_DIR/$file"
done
is "no damage to any file is silent" "" "$silent"
for kind in script job.json batch.sh code.tsv diff code/train.sh \
	points.tsv points.idx .intent .try.1 .claim mark.canary stop. run/ \
	fold/ libexec/ hooks/ ctl/told. order. ext/1/ext.json \
	ext/1/points.tsv; do
	like "there was such a file: $kind" "$kind" "$files"
done
is "and all is as before" "" "$(stfm-check -Q --store 2>&1)"

# A stop that cannot be read, with what it has stopped known from nowhere else.
submit -J heed --hold x=0,1,2 -- ./train.sh
stfm-stop -y -Q heed/1
heed=$STFM_DIR/jobs/heed
stop=$(ls "$heed"/ctl/stop.*)
damage turned "$stop"
array=$(jq -r .array "$heed/sub/c00000.0.claim")
scontrol release "$array"
ok "its tasks end at once" poll 60 sh -c '
	[ -z "$(squeue -h -j "$1" -t PD,R,CG 2>/dev/null)" ]' - "$array"
is "none of them trains" "" "$(find "$heed/run" -type f)"
like "each says why" "$stop: damaged .*: run stfm-check --store --repair" \
	"$(cat "$heed"/log/*_0.log)"
rm "$heed"/fold/*
stfm-watch -1 -Q heed 2>err
is "a pass fails" 2 $?
like "and names the record" "$stop: damaged" "$(cat err)"
is "what Slurm says of them is there" \
	"ERROR launch failure (exit 75),ERROR launch failure (exit 75)" "$(
		stfm-status --no-refresh -o tsv heed/0,2 | sed 1d |
			cut -f 4,5 | tr '\t' ' ' | paste -sd , -)"
stfm-restart -Q heed/0 2>err
is "nothing is queued again" 2 $?
like "for a reason" "$stop: damaged .*: run stfm-check --store --repair" \
	"$(cat err)"
stfm-submit -Q --queue-rest heed 2>err
is "nor is what is left" 2 $?
like "for the same" "$stop: damaged .*: run stfm-check --store --repair" \
	"$(cat err)"
stfm-check -Q --store --repair >told 2>&1
ok "until that is put aside" stfm-restart -Q heed/0
stfm-stop -y -Q heed

# Records in the place of others, of this job and of another one.
submit -J swapped --hold --args=none x=1..4 -- ./train.sh
stfm-stop -y -Q swapped/0-1
stfm-restart -Q --hold swapped/0-1
stfm-watch -1 -Q swapped
swapped=$STFM_DIR/jobs/swapped
states() {
	stfm-status --no-refresh -o tsv swapped 2>none | cut -f 3-4
}
before=$(states)
for number in 0 1; do
	cp "$swapped/sub/c0000$number.0.claim" "claim.$number"
	touch -d '-1 hour' "$swapped/sub/c0000$number.0.claim"
done
cat claim.1 >"$swapped/sub/c00000.0.claim"
cat claim.0 >"$swapped/sub/c00001.0.claim"
is "claims that were swapped are found" \
	"c00000.0.claim: damaged (it is the record c00001.0.claim)
c00001.0.claim: damaged (it is the record c00000.0.claim)" \
	"$(stfm-check -Q --store | sed 's|.*/||' | sort)"
for number in 1 2 3; do
	STFM_GRACE=1 stfm-watch -1 -Q swapped 2>err
	is "no pass takes one for the other: $number" 2 $?
	sleep 1
done
like "it is said" "claim: damaged .it is the record c0000" "$(cat err)"
is "nobody is LOST" "$before" "$(states)"
refused "nobody is said to be let go" "run stfm-check --store --repair" \
	stfm-release -Q swapped
for number in 0 1; do
	cat "claim.$number" >"$swapped/sub/c0000$number.0.claim"
done
stfm-hold -Q swapped
is "all is well when they are back" "" "$(stfm-check -Q --store)"
mv "$swapped/sub/c00000.0.intent" away
is "an intent that is gone is found" "c00000.0.intent: not there" \
	"$(stfm-check -Q --store | sed 's|.*/||' | sort)"
refused "and nobody is said to be let go" \
	"c00000.0.intent: not there, but its claim is: run stfm-check --store" \
	stfm-release -Q swapped/2-3
STFM_GRACE=1 stfm-watch -1 -Q swapped 2>err
is "nor does a pass judge its tasks" 2 $?
is "which are what they were" "$before" "$(states)"
mv away "$swapped/sub/c00000.0.intent"
stfm-hold -Q swapped
wish=$(find "$heed/ctl" -name 'stop.*' | head -1)
cp "$wish" "$swapped/ctl/"
like "a wish of another job is found" \
	"ctl/${wish##*/}: damaged .it is a record of another job" \
	"$(stfm-check -Q --store)"
refused "nothing is queued again beside it" \
	"damaged (it is a record of another job): run stfm-check" \
	stfm-submit -Q --queue-rest swapped
stfm-check -Q --store --repair >told 2>&1
is "it is put aside" "" "$(stfm-check -Q --store)"
stfm-watch -1 -Q swapped
is "and nobody was stopped by it" "$before" "$(states)"
stfm-stop -y -Q swapped

# What was queued again, while its intent cannot be read.  Both starts are
# there before that: else nothing tells that the tasks run again.
cat >again.sh <<'EOT'
#!/bin/sh
echo "$STFM_TASK $STFM_ATTEMPT" >>"$COUNT"
[ "$STFM_ATTEMPT" -gt 0 ] || exit 3
until [ -e "$GO" ]; do sleep 0.1; done
EOT
chmod +x again.sh
export COUNT="$PWD/count" GO="$PWD/go"
submit -J again --args=none x=1..3 -- ./again.sh
stfm-watch -Q -i 1 again 2>/dev/null
stfm-restart -Q again/0,2
ok "tasks train again" poll 30 sh -c '
	grep -q "0 1" "$COUNT" && grep -q "2 1" "$COUNT"'
stfm-watch -1 -Q again
intent=$STFM_DIR/jobs/again/sub/c00001.0.intent
sed -i 's/"tasks":"0/"tasks":"1/' "$intent"
stfm-watch -1 -Q again 2>/dev/null
is "they are not judged by how the attempt before went" "" \
	"$(find "$STFM_DIR/jobs/again/run" -name '*.X*')"
ok "what they are is found out" stfm-check -Q --store --repair
is "rightly" 0,2 "$(jq -r .tasks "$intent")"
: >go
stfm-watch -Q -i 1 again 2>/dev/null
is "they end well" "FINISHED ERROR FINISHED" "$(
	stfm-status --no-refresh -o tsv again | sed 1d | cut -f 4 |
		paste -sd ' ' -)"
is "each trained once in each attempt" "0 0,0 1,1 0,2 0,2 1" \
	"$(sort count | paste -sd , -)"

done_testing
