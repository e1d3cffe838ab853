#!/bin/sh
# stfm-check --repair, each of its calls going wrong: nothing is deleted, no
# sound fact is lost, and repairing again mends the rest.
. "$(dirname "$0")/sweep.sh"

fixture=$top/build/plain/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$disk/store"
packed=$STFM_DIR/jobs/packed single=$STFM_DIR/jobs/single
for job in packed single; do
	more=
	[ $job = packed ] || more=,3
	printf '%s\n' "job|$job|x=1,2$more" 'chunk|0-1|4102' \
		'fact|0|S|node=n1|time=-900|slurm=4102_0' \
		'fact|0|E0|exit=0|time=-800|node=n1' \
		'fact|1|S|node=n2|time=-900|slurm=4102_1' \
		'fact|1|E3|exit=3|time=-800|node=n2' end |
		"$fixture" "$STFM_DIR" || exit 99
done
find "$packed/run" -type f -exec touch -d '3 minutes ago' {} +
stfm-watch -1 -Q
mkdir -p "$packed/run/000" # where nothing is left it goes

# A line of a pack, which its table can tell; a fact, and the table of that job.
damage() {
	sed -i "${2:-1}s/\(.\{20\}\)./\1~/" "$1"
}
damage "$(find "$packed/pack" -name 'p.*')" 2
damaged_line="packed $(sed -n '2s/^{"n":"\([^"]*\)".*/\1/p' "$packed"/pack/p.*)"
damage "$single/run/000/000001.0.0.E3"
damage "$(find "$single/fold" -name 'state.*' | sort -V | tail -1)"
status "there is damage" 1 stfm-check --store -Q
grep -rl '~' "$STFM_DIR/jobs" | xargs cksum | awk '{ print $1 }' | sort -u >broken
is "in a pack, a fact and a table" 3 "$(wc -l <broken)"

fresh() { restore; }

# Verifying never calls this store sound, and damage that is told is all of it.
after() {
	[ "$rc" -ne 0 ] || echo "calls a damaged store sound"
	[ "$rc" -ne 1 ] || for what in packed/pack single/run single/fold; do
		grep -q "jobs/$what/.*damaged" "$tap_dir/out" ||
			echo "passes over the damage in $what"
	done
}
again() { stfm-check -Q --repair; }
own_status=1 damaged=yes roots="-r $STFM_DIR"
template "$STFM_DIR"
without="EACCES EROFS EROFS+ late fsync+ fsyncdir+ write+ link+"
sweep "stfm-check" "$kinds" stfm-check --store -Q
without=
own_status=0

facts() {
	{
		facts_of "$packed" | sed 's/^/packed /'
		facts_of "$single" | sed 's/^/single /'
	} | sort
}
after() {
	find "$STFM_DIR" -type f -exec cksum {} + | awk '{ print $1 }' |
		sort -u | comm -23 broken - | sed 's/^/deleted: /'
	# What stood in the damaged line may have to be repaired again.
	facts | comm -23 sound - | sed 's/^/lost: /'
	if [ "$rc" -eq 0 ]; then
		stfm-check --store -Q || echo "status 0, but it is not repaired"
	fi
}
holds() {
	rc=0 after
	facts | cmp -s facts - || echo "facts are lost"
	stfm-watch -1Q
	stfm-status --no-refresh -o tsv packed single 2>"$tap_dir/none" | cut -f 1-3 >now
	[ -s states ] || cp now states
	cmp -s states now || diff states now
}

facts >"$PWD/facts"
grep -v "$damaged_line" "$PWD/facts" >sound
fault_cap=1500
sweep "stfm-check --repair" "$kinds rename+" stfm-check --repair

done_testing
