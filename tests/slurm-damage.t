#!/bin/sh
# Damage of any file in a store that real commands made is noticed.
. "$(dirname "$0")/tap.sh"

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}

# A copy of the code with a difference to its commit, a canary, a stop, a
# restart, packs and points in a file.
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
stfm-stop -f -Q ended
stfm-watch -Q -1

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
files=$(cd "$STFM_DIR" && find FORMAT libexec jobs -type f \
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
	fold/ libexec/; do
	like "there was such a file: $kind" "$kind" "$files"
done
is "and all is as before" "" "$(stfm-check -Q --store 2>&1)"

done_testing
