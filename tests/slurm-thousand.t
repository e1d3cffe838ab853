#!/bin/sh
# A job of 1,000 one-second tasks ends with 1,000 right states.
. "$(dirname "$0")/tap.sh"

# A sanitizer makes starting a program slow; the states are the same.
tasks=1000
[ -z "$SANITIZE" ] || tasks=100

begin_slurm -N 2 -g 0 -c 24
export STFM_DIR="$tap_dir/store"

# Every tenth fails with its own code; every hundredth is killed.
cat >second.sh <<'END'
#!/bin/sh
sleep 1
[ $(($1 % 100)) -ne 7 ] || kill -SEGV $$
[ $(($1 % 10)) -ne 3 ] || exit $(($1 % 97 + 1))
END
chmod +x second.sh
i=0
while [ $i -lt $tasks ]; do
	if [ $((i % 100)) -eq 7 ]; then
		printf '%s\tERROR\tSIGSEGV\n' $i
	elif [ $((i % 10)) -eq 3 ]; then
		printf '%s\tERROR\texit %s\n' $i $((i % 97 + 1))
	else
		printf '%s\tFINISHED\t\n' $i
	fi
	i=$((i + 1))
done >want

ok "$tasks tasks are queued" stfm-submit -Q -J thousand --gres=none \
	i=0..$((tasks - 1)) -- ./second.sh {i}
stfm-watch -Q -i 2 thousand
is "some failed: status 1" 1 $?
stfm-status -o json thousand |
	jq -r '.[] | "\(.task)\t\(.state)\t\(.cause // "")"' |
	sed 's,^thousand/,,' >got
ok "every one of them has its right state and cause" cmp want got
is "nothing is left in the queue" "" "$(squeue -h)"
is "each was started once" "$tasks" \
	"$(find "$STFM_DIR/jobs/thousand/run" -name '*.S' | wc -l)"

done_testing
