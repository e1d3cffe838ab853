#!/bin/sh
# The power is cut after each call that changes the store, and after the
# program has ended: what was told to be done is there.
here=$(cd "$(dirname "$0")" && pwd -P)
STFM_BIN_DIR=${STFM_BIN_DIR:-$here/../../bin}
export STFM_BIN_DIR
. "$here/../tap.sh"

if [ "$(id -u)" -ne 0 ] || [ ! -e /dev/loop-control ]; then
	skip_all "a power cut needs root and loop devices"
fi
case " ${FAULT_KIND:-cut} " in *" cut "*) ;; *)
	skip_all "no power cut is among FAULT_KIND"
	;;
esac
PATH=$PATH:/usr/sbin:/sbin
export FAULT_FS
programs="run requeue watch policy pack stop remove submit restart sync check"
# What shares all that writes with those is not in a sample.
[ "${FAULTS:-}" = ci ] ||
	programs="$programs hold release throttle then usage beside import \
			checkpoints hook after"

# The sweeps of a program, each of which counts as a test of this one.
sweeps_of() {
	rc=0
	sh "$here/$1.t" >power || rc=$?
	grep -v '^1\.\.' power
	sed -n -E 's/^((not )?ok).*/\1/p' power >>"$tap_dir/results"
}
for FAULT_FS in ext4 xfs; do
	for program in $programs; do
		sweeps_of "$program"
		if grep -q '^1\.\.0 # SKIP' power; then
			skip "$program on $FAULT_FS" \
				"$(sed -n 's/^1\.\.0 # SKIP //p' power)"
			continue
		fi
		is "what $program said outlives a power cut" \
			"some cuts on $FAULT_FS, status 0" \
			"$(grep -q " cut $FAULT_FS at " power && echo some ||
				echo no) cuts on $FAULT_FS, status $rc"
	done
done
done_testing
