#!/bin/sh
# stfm-nodes without a Slurm: what it refuses.  tests/slurm-nodes.t has one.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent/slurm.conf
refused "there must be a Slurm" "stfm-nodes: no Slurm here: SLURM_CONF=" \
	stfm-nodes
refused "there must be one for partitions too" "no Slurm here" stfm-nodes -p
refused "a form it knows" "xml" stfm-nodes -o xml
refused "this is no table for papers" "-o: latex is not for this" \
	stfm-nodes -o latex
refused "a charset it knows" "emoji" stfm-nodes --charset=emoji

refused "one thing at a time" \
	"--accounts: not together with --partitions" stfm-nodes -p --accounts
refused "accounts are mine" "gpu: --accounts takes no names" \
	stfm-nodes --accounts gpu
refused "a time is for a reservation" "--from: is for --reserve alone" \
	stfm-nodes --from 16:00
refused "looking changes nothing" "--dry-run: nothing would be changed" \
	stfm-nodes -p --dry-run

refused "a command is for violations" "--hook: is for --processes alone" \
	stfm-nodes --hook true
refused "and has to be one" "--hook: nosuch: no such program" \
	stfm-nodes --processes --hook nosuch
refused "processes are asked of Slurm" "no Slurm here" stfm-nodes --processes

done_testing
