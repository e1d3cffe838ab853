#!/bin/sh
# Write a plausible learning curve within a second, training nothing: to try
# stfm without TensorFlow or PyTorch.
#
# stfm-submit -J curve lr=log:1e-4:1:9 -- examples/plain_curve.sh --epochs=20
#
# A learning rate near 0.02 does best, above 0.3 the loss diverges to nan.
# --fail_at=N ends with status 1 in epoch N.
lr=0.01 batch_size=32 dropout=0 epochs=20 seed=0 pause=0.03 fail_at=-1

for arg; do
	case $arg in
	--lr=*) lr=${arg#*=} ;;
	--batch_size=*) batch_size=${arg#*=} ;;
	--dropout=*) dropout=${arg#*=} ;;
	--epochs=*) epochs=${arg#*=} ;;
	--seed=*) seed=${arg#*=} ;;
	--pause=*) pause=${arg#*=} ;;
	--fail_at=*) fail_at=${arg#*=} ;;
	*)
		echo "plain_curve.sh: $arg: no such option" >&2
		exit 2
		;;
	esac
done

export LC_ALL=C
exec awk -v lr="$lr" -v batch_size="$batch_size" -v dropout="$dropout" \
	-v epochs="$epochs" -v seed="$seed" -v pause="$pause" \
	-v fail_at="$fail_at" \
	-v log_file="${STFM_METRICS:-train.csv}" '
function noise(size) { return size * (rand() - 0.5) }
function text(loss) { return loss > 100 ? "nan" : sprintf("%.5f", loss) }
BEGIN {
	srand(seed)
	speed = 0.4 * exp(-log(lr / 0.02) ^ 2 / 6) * sqrt(32 / batch_size)
	printf "epoch,loss,val_loss\n" > log_file
	for (epoch = 0; epoch < epochs; epoch++) {
		if (epoch == fail_at) {
			print "plain_curve.sh: told to fail" > "/dev/stderr"
			exit 1
		}
		left = 2.3 * exp(-speed * epoch)
		loss = left * (1 + noise(0.1)) + 0.02
		val_loss = left * (1 + noise(0.2)) + 0.1
		val_loss += 0.004 * (1 - dropout) * epoch
		if (lr > 0.3)
			loss = val_loss = 2.3 * exp(lr * epoch)
		print epoch "," text(loss) "," text(val_loss) > log_file
		fflush(log_file)
		print "epoch " epoch " of " epochs ": loss " text(loss)
		fflush()
		system("sleep " pause)
	}
}'
