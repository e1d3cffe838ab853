#!/bin/sh
# stfm-stop where there is no Slurm: slurm-stop.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "no store here" stfm-stop try
refused "no operand" "usage: stfm-stop" stfm-stop
refused "a state that is none" "nonsense" stfm-stop -t nonsense try
refused "a condition that is none" "lr" stfm-stop -w lr try
refused "an option without its value" "--where: this option needs a value" \
	stfm-stop --where

done_testing
