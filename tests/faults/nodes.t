#!/bin/sh
# stfm-nodes that reserves, each of its calls going wrong: what it said to have
# reserved is so, what it did not say is there once at most and told, and what
# others have reserved is not touched.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 2 -g 0
scontrol create reservation reservationname=theirs nodes=n2 \
	starttime=now+1hour duration=60 users=daemon >theirs || exit 99
place=$tap_dir/none # there is no store

mine() {
	scontrol -o show reservation | sed 's/^ReservationName=//; s/ .*//' |
		grep -vx theirs
}
count() {
	mine | wc -l
}
reserve() {
	stfm-nodes --reserve n1 --from now+2hours --for 1:00:00
}
fresh() {
	for one in $(mine); do
		scontrol delete reservation="$one"
	done
	[ -z "$before" ] || reserve >made
}
# Who reads that it failed reads that it may have been done; one that has no
# memory left has none for that.
is_told() {
	case $kind in memory*) return ;; esac
	[ ! -s "$tap_dir/said" ] ||
		grep -q 'may have been done all the same' "$tap_dir/said" ||
		echo "it is done, and not told"
}
settle() {
	scontrol -o show reservation theirs | grep -q ' Nodes=n2 ' ||
		echo "what others have reserved is gone"
}

# Nothing is written; but for sockets it reads the files of Slurm alone.
kinds="kill alone short EIO ESTALE EINTR EMFILE EIO+ ESTALE+ memory memory+"
roots="-r $tap_dir/slurm" fault_cap=300
sample "kill alone"

before=
after() {
	case $(count) in
	0) [ "$rc" -ne 0 ] || echo "status 0, not reserved" ;;
	1) [ "$rc" -eq 0 ] || is_told ;;
	*) echo "reserved $(count) times" ;;
	esac
}
# As it says where it does not know: look first.
again() {
	stfm-nodes --calendar -o tsv | grep -q '^n1.reserved' || reserve
}
holds() {
	[ "$(count)" -eq 1 ] || echo "in the end $(count) reservations"
}
sweep "stfm-nodes --reserve" "$kinds" \
	stfm-nodes --reserve n1 --from now+2hours --for 1:00:00

before=1
after() {
	case $(count) in
	0) [ "$rc" -eq 0 ] || is_told ;;
	*) [ "$rc" -ne 0 ] || echo "status 0, still there" ;;
	esac
}
again() {
	[ "$(count)" -eq 0 ] || stfm-nodes --release "$(mine)"
}
holds() {
	[ "$(count)" -eq 0 ] || echo "it is there in the end"
}
cat >release <<'EOF'
#!/bin/sh
exec stfm-nodes --release "$(sed -n 's/: reserved;.*//p' made)"
EOF
chmod +x release
sweep "stfm-nodes --release" "$kinds" ./release

done_testing
