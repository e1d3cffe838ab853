#!/bin/sh
# Trainings that go wrong as real ones do, to see what stfm makes of them.
# It depends on the hyperparameters; where all is well, plain_curve.sh beside
# this script draws the learning curve.  man/stfm-tour.7 walks through it.
#
# stfm-submit -J curve lr=1e-4,0.01,0.1,1 batch_size=32,256,512 seed=1,2 -- \
#	examples/unlucky.sh
here=$(dirname "$0")
batch_size=${STFM_PARAM_batch_size:-32}
case ${STFM_PARAM_lr:-0.01}/$batch_size/${STFM_PARAM_seed:-1} in
*/512/*) trouble=memory ;;  # the batch is too large for the GPU
1/*/2) trouble=nan ;;       # diverges and notices it; others do not
1e-3/64/*) trouble=crash ;; # in some library
0.1/256/2) trouble=hang ;;  # at the first attempt
*) exec "$here/plain_curve.sh" "$@" ;;
esac

python_says() {
	{
		echo "Traceback (most recent call last):"
		echo "  File \"train.py\", line $1, in <module>"
		echo "    main()"
		echo "$2"
	} >&2
	exit 1
}

epochs() {
	"$here/plain_curve.sh" "$@"
}

case $trouble in
memory)
	epochs "$@" --epochs=2
	python_says 41 "torch.OutOfMemoryError: CUDA out of memory"
	;;
nan)
	epochs "$@"
	python_says 57 "ValueError: loss is nan"
	;;
crash)
	epochs "$@" --epochs=4
	kill -s SEGV $$
	;;
hang)
	[ "${STFM_ATTEMPT:-0}" -gt 0 ] && exec "$here/plain_curve.sh" "$@"
	epochs "$@" --epochs=8
	exec sleep 3600
	;;
esac
