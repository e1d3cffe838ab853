#!/bin/sh
# A pass that packs the requests which stopped tasks of a search, each of its
# calls going wrong: no request is lost at any moment, and the packs alone tell
# why each task was stopped.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 1 -g 0 -c 32
export STFM_DIR="$disk/store"
job=$STFM_DIR/jobs/pruned

ended() {
	[ -z "$(squeue -h)" ]
}
fresh() { restore; }
again() { stfm-watch -1Q; }
cat >train.sh <<'END'
#!/bin/sh
printf 'epoch,acc\n1,0.%s\n2,0.9\n' "$1" >"$STFM_METRICS"
exec sleep 600
END
chmod +x train.sh
stfm-submit -Q --gres=none --args=none --metric acc --epochs 9 \
	--pruner asha,first=1 -J pruned x=4,1,3,2 -- "$PWD/train.sh" "{x}" ||
	exit 99
pruned() {
	stfm-watch -1Q
	stfm-status --no-refresh -o json pruned |
		jq -e 'map(select(.state == "STOPPED")) | length == 3' >"$tap_dir/none"
}
poll 60 pruned || exit 99
stfm-stop -Q pruned
poll 30 ended || exit 99
stfm-watch -1Q || exit 99

states() {
	stfm-status --no-refresh -o json pruned |
		jq -c '.[] | [.task, .state, .cause]'
}
# Each request of the search once, whether its file, a pack or both have it.
requests() {
	find "$job/ctl" -name 'stop.??????.*' 2>"$tap_dir/none" | sed 's|.*/||'
	find "$job/pack" -name 's.*' -exec cat {} + 2>"$tap_dir/none" |
		sed -n 's/^{"n":"\([^"]*\)".*/\1/p'
}
after() {
	requests | sort -u | cmp -s - stops ||
		echo "requests are lost: $(requests | xargs)"
	states | cmp -s - want || echo "other states"
}
holds() {
	# A single one is not worth a pack.
	[ "$(find "$job/ctl" -name 'stop.??????.*' | wc -l)" -le 1 ] ||
		echo "not all is packed"
	rm -r "$job/fold"
	mkdir -m 700 "$job/fold"
	stfm-watch -1Q || echo "from the packs alone: status $?"
	states | diff want - | sed 's/^/from the packs alone: /'
}
find "$job/run" "$job/ctl" -type f -exec touch -d '-10 minutes' {} +
template "$STFM_DIR"
requests | sort >stops
states >want
is "three requests of the search" 3 "$(wc -l <stops)"
is "which say why" 3 "$(grep -c pruned want)"
roots="-r $STFM_DIR" fault_cap=600
sweep "stfm-watch, stops" "$kinds" stfm-watch -1

# What is left of a damaged pack is in another one.
restore
stfm-watch -1Q
sed -i '3s/pruned/prunes/' "$job"/pack/s.*
like "a damaged request in a pack is found" \
	"pack/s[.].*:3: damaged .its checksum does not fit" \
	"$(stfm-check --store 2>&1)"
ok "a damaged pack is repaired" stfm-check --repair
is "nothing is left of that" "" "$(stfm-check --store)"
is "the other requests are there" 2 "$(requests | wc -l)"
stfm-watch -1Q
is "and so are all reasons, which the table has" "$(cat want)" "$(states)"

done_testing
