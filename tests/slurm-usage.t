#!/bin/sh
# What trainings use of their machines, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store" HERE="$PWD"

# No GPU is at hand: these speak as the programs of their makers do.
mkdir smi
cat >smi/nvidia-smi <<'END'
#!/bin/sh
wanted="--query-gpu=index,uuid,utilization.gpu,memory.used,memory.total \
--format=csv,noheader,nounits"
[ "$*" = "$wanted" ] || exit 2
case $SMI in
two)
	echo "0, GPU-5a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e, 96, 11469, 16384"
	echo "1, GPU-6a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e, 0, 3, 16384"
	;;
mig)
	echo "0, GPU-5a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e, [N/A], \
[Insufficient Permissions], [Insufficient Permissions]"
	;;
hangs)
	echo $$ >"$HERE/hangs"
	exec sleep 1000
	;;
*)
	echo "NVIDIA-SMI has failed because it couldn't communicate with" \
		"the NVIDIA driver. Make sure that the latest NVIDIA driver" \
		"is installed and running."
	exit 9
	;;
esac
END
cat >smi/rocm-smi <<'END'
#!/bin/sh
[ "$*" = "--showuse --showmeminfo vram --csv" ] || exit 2
printf '%s\n' 'WARNING: AMD GPU device(s) is/are in a low-power state.' '' \
	'device,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B)' \
	card0,40,68702699520,10977280 card1,60,68702699520,10977280 ''
END
chmod +x smi/*
export PATH="$PWD/smi:$PATH"

cat >train.sh <<'END'
#!/bin/sh
echo $PPID >"$HERE/$STFM_JOB.pid"
until [ -e "$HERE/$1" ]; do sleep 0.1; done
END
chmod +x train.sh
submit() {
	stfm-submit -Q --args=none -n 1 i=1 "$@"
}
record() {
	cat "$STFM_DIR/jobs/$1/usage/000000.0.0.csv" 2>/dev/null
}
has_record() {
	record "$1" | grep -q "$2"
}
value() {
	stfm-status --no-refresh -o json "$1" | jq -c ".[0] | [$2]"
}
marked() {
	stfm-status --refresh -w mark=IDLE "$1" >out
}

SMI=two submit -J busy --usage 1 --gres=gpu:2 -- ./train.sh go
SMI=none submit -J amd --usage 1 --gres=gpu:1 -- ./train.sh go
SMI=mig submit -J slice --usage=1 --gres=gpu:1 -- ./train.sh go
submit -J off --usage=no --gres=none -- ./train.sh go
refused "looks have to be some time apart" "--usage: " \
	submit -J bad --usage 0 --gres=none -- ./train.sh go
refused "that is a number" "--usage: 'often'" \
	submit -J bad --usage often --gres=none -- ./train.sh go

## while it trains

ok "what nvidia-smi tells is recorded" poll 30 has_record busy '^[0-9]*,48,'
like "with what the task was given" \
	'^# stfm usage 1 .*cpus=.* tool=nvidia-smi gpus=2 gpu_total=32768' \
	"$(record busy)"
ok "what rocm-smi tells as well, where the other one does not work" \
	poll 30 has_record amd '^# .*tool=rocm-smi'
ok "a slice of a GPU is seen, but nothing of it known" \
	poll 30 has_record slice '^[0-9]*,,,,[0-9.]*,[0-9]*$'
export STFM_IDLE=2
ok "a GPU that does nothing is seen" poll 30 marked busy
unset STFM_IDLE
like "and named" 'IDLE: GPU 1 of 2 has done nothing for 0:' "$(cat out)"
like "it is drawn" 'best gpu 48 @' "$(stfm-plot --usage busy/0)"
like "GPU by GPU as well" '^busy/0	[0-9]+	gpu1	0$' \
	"$(stfm-plot --usage -m gpu0,gpu1 -o tsv busy/0)"
is "nobody looks where that is not wanted" "" \
	"$(pgrep -f "usage $STFM_DIR/jobs/off")"
poll 20 reaches off R
is "which leaves nothing to show" "[null,null]" \
	"$(value off .gpu_use,.memory_use)"
ok "and no record" test ! -e "$STFM_DIR/jobs/off/usage"

## when it is over

touch go
ok "they end" poll 30 reaches busy F
poll 30 reaches amd F
poll 30 reaches slice F
is "the record is in the fact of the end" "seconds,gpu,gpu_memory,gpu_idle" \
	"$(jq -r .usage "$STFM_DIR/jobs/busy/run/000/000000.0.0.E0" |
		sed -n 2p | cut -d, -f 1-4)"
is "and no file is left" "" "$(find "$STFM_DIR"/jobs/*/usage -name "*csv*")"
is "means and peaks are in the table" "[48,12029263872]" \
	"$(value busy .gpu_use,.gpu_memory)"
ok "so is the memory of its processes" \
	test "$(value busy '.memory_use > 1e6')" = "[true]"
like "a task has them in words" \
	'GPU use +48% on average of 2 GPUs; .* of GPU time idle; .* 11.2 GiB' \
	"$(stfm-status busy/0)"
like "and how busy its CPUs were" 'CPU use +[0-9]+% on average: .* of [1-9]' \
	"$(stfm-status busy/0)"
like "a job has columns for them" 'GPU% +GPUMEM +CPU% +MEM' \
	"$(stfm-status busy)"
ok "hours of idle GPUs are counted" \
	sh -c 'stfm-status --cost -o json busy | jq -e ".[0].idle_hours > 0"'
is "those of no other job" "0" \
	"$(stfm-status --cost -o json amd | jq '.[0].idle_hours')"
ok "its own GPU of AMD's is the one" \
	test "$(value amd '.gpu_use == 40 or .gpu_use == 60')" = "[true]"

is "what is over is drawn too" "cpu memory" \
	"$(stfm-plot --usage -o tsv slice/0 | sed 1d | cut -f 3 | sort -u |
		tr '\n' ' ' | sed 's/ $//')"
like "of several tasks one thing is compared" 'gpu, 2 tasks of 2 jobs|busy' \
	"$(stfm-plot --usage busy amd)"
poll 30 reaches off F
status "where nobody looked there is nothing" 1 stfm-plot --usage off
mkdir "$STFM_DIR/jobs/off/usage"
printf '%s\n' '# stfm usage 1' seconds,cpu '# crc32c 00000000' \
	>"$STFM_DIR/jobs/off/usage/000000.0.0.csv"
refused "what is damaged is named" "usage/000000.0.0.csv: damaged" \
	stfm-plot --usage off
rm -r "$STFM_DIR/jobs/off/usage"
refused "a file is no task" "--usage draws tasks" stfm-plot --usage ./go
refused "nor has it a best value" "--usage: " stfm-plot --usage --hist busy

is "the store is as it should be" "" "$(stfm-check --store 2>&1)"
echo x >"$STFM_DIR/jobs/busy/usage/000000.1.0.csv"
like "what is no record is found" 'usage/000000.1.0.csv: damaged' \
	"$(stfm-check --store 2>&1)"
rm "$STFM_DIR/jobs/busy/usage/000000.1.0.csv"

## when something goes wrong

SMI=hangs submit -J hung --usage 1 --gres=gpu:1 -- ./train.sh hangs
ok "a training ends though nvidia-smi hangs" poll 30 reaches hung F
not_there() {
	! kill -0 "$(cat "$1")" 2>/dev/null
}
ok "which does not stay behind" poll 20 not_there hangs

SMI=two submit -J killed --usage 1 --gres=gpu:2 -- ./train.sh never
poll 30 has_record killed '^[0-9]*,48,'
kill -9 "$(cat killed.pid)"
ok "after kill -9 its record can be read" poll 30 reaches killed E
is "and is in the fact of what Slurm says" "[48]" "$(value killed .gpu_use)"
like "as the others are" '^# stfm usage 1 ' \
	"$(jq -r .usage "$STFM_DIR"/jobs/killed/run/000/000000.0.0.X*)"
is "no file is left of it" "" "$(ls "$STFM_DIR/jobs/killed/usage")"

done_testing
