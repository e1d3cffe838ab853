#!/bin/sh
# Trainings in containers on a real Slurm: tests/container/apptainer makes them.
# shellcheck disable=SC2016 # what the shells of trainings run

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

unshare -m true 2>/dev/null ||
	unshare -Um --map-current-user --keep-caps true 2>/dev/null ||
	skip_all "no mounts of one's own here"

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
stfm-sandbox start -Q -N 2 -g 1 -c 4 -d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"
export STFM_DIR="$PWD/store"
mkdir -p images/net/etc code data
echo "of the image" >images/net/etc/marker
echo "of the data" >data/here
cat >code/train.sh <<'END'
cat /etc/marker
cat /data/here
touch /data/new 2>/dev/null || echo "not to be written"
pwd
ls "$HOME" 2>/dev/null || echo "nothing else"
echo "GPU: $STANDIN_GPU"
printf 'epoch,val_loss\n0,1\n1,%s\n' "$STFM_PARAM_lr" >"$STFM_METRICS"
touch "$STFM_CHECKPOINT_DIR/weights"
exit "${1#--lr=}"
END
cd code || exit 99
ln -s ../images/net image

# ---- what cannot work ----

if ! command -v apptainer >/dev/null &&
	! command -v singularity >/dev/null; then
	refused "no runtime here: it is to be named" "--container-runtime" \
		stfm-submit -J no --container ../images/net -- sh train.sh
fi
export PATH="$top/tests/container:$PATH"
refused "no such image" "gone.sif: no such image" \
	stfm-submit -J no --container gone.sif -- sh train.sh
refused "a runtime that is none" "did you mean apptainer" \
	stfm-submit -J no --container x --container-runtime aptainer -- true
refused "what is not there cannot be bound" "--container-bind=$PWD/gone:" \
	stfm-submit -J no --container ../images/net --container-bind gone \
	-- true
refused "ranks cannot be in Slurm's own" "--dist: Slurm's own containers" \
	stfm-submit -J no --container ../images/net --dist torch \
	--container-runtime slurm -- true
if mkdir /dev/shm/stfm-image.$$ 2>/dev/null; then
	at_exit 'rmdir /dev/shm/stfm-image.$$'
	refused "an image that nodes do not see" "/dev/shm is of this machine" \
		stfm-submit -J no --container /dev/shm/stfm-image.$$ -- true
fi
ok "nothing is stored" test ! -e "$STFM_DIR/jobs/no"

like "it can be seen how it will be started" \
	"^# container: apptainer exec --bind .* --pwd $PWD .*/images/net$" \
	"$(stfm-submit --dry-run -J no --container image -- sh train.sh)"
ok "nothing is stored then either" test ! -e "$STFM_DIR/jobs/no"

# ---- a training ----

stfm-submit -Q -J net --container ../images/net --gres=gpu:1 \
	--container-bind ../data:/data:ro lr=0,3 -- sh train.sh
stfm-submit -Q -J cpu --container ../images/net --gres=none \
	--container-bind ../data:/data lr=0 -- sh train.sh
ok "they train" poll 60 reaches net FE
is "in the image, with what is bound and nothing else" \
	"of the image
of the data
not to be written
$STFM_DIR/jobs/net/code
nothing else
GPU: --nv" "$(stfm-log net/0)"
is "the metrics come out" "0 1" \
	"$(stfm-status -o jsonl net | jq -r .best | tr '\n' ' ' | sed 's/ $//')"
is "and the checkpoints" weights "$(ls "$STFM_DIR/jobs/net/checkpoint/000000")"
is "how it ended counts" "exit 3" "$(row net 1 .cause)"
ok "without a GPU, too" poll 60 reaches cpu F
like "which the container is not told of then" '^GPU: $' "$(stfm-log cpu/0)"
like "the job says where it runs" "^in $tap_dir/here/images/net by apptainer" \
	"$(stfm-status net)"
like "so does a task" "^Container  *$tap_dir/here/images/net" \
	"$(stfm-status net/0)"
is "and the record" '["../images/net","apptainer",["../data:/data:ro"]]' \
	"$(jq -c '[.container, .container_runtime, .container_bind]' \
		"$STFM_DIR/jobs/net/job.json" | sed "s,$tap_dir/here,..,g")"
refused "another image is another job" "--container" \
	stfm-submit -Q -J net --container ../images --gres=gpu:1 \
	--container-bind ../data:/data:ro lr=0,3 -- sh train.sh

mv ../images/net ../images/away
stfm-restart -Q net/1
failed() {
	stfm-watch --once -Q net
	row net 1 .reason | grep -q "the image of the container: No such file"
}
ok "an image that is gone is said" poll 60 failed
is "its cause names it" "no image $(cd ../images && pwd -P)/net" \
	"$(row net 1 .cause)"
mv ../images/away ../images/net

# ---- ranks, and looking inside ----

cat >rank.sh <<'END'
cat /etc/marker >"$STFM_CHECKPOINT_DIR/$RANK"
sleep 600
END
stfm-submit -Q -J ranks --container ../images/net --gres=none -N 2 \
	--dist=torch -- sh rank.sh
both_up() {
	[ "$(cat "$STFM_DIR"/jobs/ranks/checkpoint/000000/[01])" = \
		"of the image
of the image" ]
}
ok "each rank has a container of its own" poll 60 both_up
is "stfm-attach goes into it" "of the image, rank 1 of 2" \
	"$(stfm-attach --rank 1 ranks -- \
		sh -c 'echo "$(cat /etc/marker), rank $RANK of $WORLD_SIZE"')"
is "... where the training is" "$STFM_DIR/jobs/ranks/code" \
	"$(echo pwd | stfm-attach ranks)"
stfm-stop -Q -y ranks

# ---- is it there? ----

container() {
	stfm-check -o tsv -- true 2>&1 | grep container
}
like "stfm-check finds it on a node" \
	"^ok	container	apptainer version" "$(container)"
mkdir -p "$HOME/.config/stfm"
echo '{"submit": {"container-runtime": "pyxis"}}' \
	>"$HOME/.config/stfm/config.json"
like "or not what the files ask for" \
	"^fail	container	no pyxis on that" "$(container)"
like "which holds for jobs" 'pyxis$' "$(stfm-submit --dry-run -J py \
	--container a/b lr=1 -- sh train.sh >/dev/null && stfm-check \
	--config | grep -o 'container-runtime *pyxis')"

done_testing
