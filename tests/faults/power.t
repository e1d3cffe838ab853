#!/bin/sh
# The power is cut after each call that changes the store, and after the
# program has ended: what was told to be done is there.
here=$(cd "$(dirname "$0")" && pwd -P)
count=0 bad=0
if [ "$(id -u)" -ne 0 ] || [ ! -e /dev/loop-control ]; then
	echo "1..0 # SKIP a power cut needs root and loop devices"
	exit 0
fi
case " ${FAULT_KIND:-cut} " in *" cut "*) ;; *)
	echo "1..0 # SKIP no power cut is among FAULT_KIND"
	exit 0
	;;
esac
PATH=$PATH:/usr/sbin:/sbin
export FAULT_FS
programs="run requeue watch policy pack stop remove submit restart sync check"
# What shares all that writes with those is not in a sample.
[ "${FAULTS:-}" = ci ] ||
	programs="$programs hold release throttle then usage beside import \
			checkpoints hook after"
for FAULT_FS in ext4 xfs; do
	for program in $programs; do
		rc=0
		sh "$here/$program.t" >"$here/../../build/faults/power" || rc=$?
		[ $rc -eq 0 ] || bad=1
		grep -v '^1\.\.' "$here/../../build/faults/power"
		n=$(grep -c -E '^(not )?ok' "$here/../../build/faults/power")
		count=$((count + n))
		[ "$n" -gt 0 ] || {
			count=$((count + 1))
			skip=$(grep -o '# SKIP.*' "$here/../../build/faults/power") || {
				bad=1
				printf 'not '
			}
			echo "ok - $program on $FAULT_FS $skip"
		}
	done
done
echo "1..$count"
exit $bad
