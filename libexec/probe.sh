#!/bin/sh
# What stfm-check runs on a compute node, and here where there is no Slurm:
#
#	probe.sh DIRECTORY TOKEN cpu|gpu [COMMAND ...]
#
# COMMAND runs Python.  What is found goes to DIRECTORY/seen.TOKEN and
# DIRECTORY/report.TOKEN, as lines of NAME=VALUE; job-setup-own.h says what
# the exit status means, for when nothing can be written there.

directory=$1 token=$2 kind=$3
shift 3

say() {
	printf '%s=%s\n' "$1" "$2" | tr -d '\r'
}

# Standard input as a whole file.
publish() {
	cat >"$directory/.$1" && mv "$directory/.$1" "$directory/$1.$token"
}

first_line() {
	sed -n '/[^[:space:]]/{p;q;}' "$1" | cut -c 1-300
}

# A driver in trouble can hang.
bounded() {
	if command -v timeout >/dev/null; then
		timeout -k 5 30 "$@"
	else
		"$@"
	fi
}

place() {
	say node "${SLURMD_NODENAME:-$(uname -n)}"
	say time "$(date +%s)"
	say directory "$(pwd -P)"
	say user "$(id -u)"
	case $(ls "$directory") in
	*"here.$token"*) ;;
	*) say unlisted 1 ;;
	esac
}

# What runs containers.
containers() {
	for name in apptainer singularity; do
		if command -v $name >/dev/null; then
			bounded $name --version >"$directory/version" 2>&1 ||
				echo "$name fails" >"$directory/version"
			say container.$name "$(first_line "$directory/version")"
		fi
	done
	srun --help >"$directory/version" 2>/dev/null || return 0
	if grep -q -e --container-image "$directory/version"; then
		say container.pyxis "pyxis (srun --container-image)"
	fi
	if grep -q -e '--container[= ]' "$directory/version"; then
		say container.slurm "slurm (srun --container)"
	fi
}

gpus() {
	say visible "${CUDA_VISIBLE_DEVICES-unset}"
	say granted "${SLURM_JOB_GPUS-${SLURM_STEP_GPUS-}}"
	if ! command -v nvidia-smi >/dev/null; then
		say smi.missing 1
		return
	fi
	if bounded nvidia-smi >"$directory/smi" 2>&1; then
		sed -n 's/.*CUDA[ A-Z]* Version: *\([0-9][0-9.]*\).*/smi.cuda=\1/p' \
			"$directory/smi"
		bounded nvidia-smi --query-gpu=name,driver_version \
			--format=csv,noheader | sed 's/^/smi.gpu=/'
	else
		say smi.error "$(first_line "$directory/smi")"
	fi
}

python() {
	if [ $# -eq 0 ]; then
		for name in python3 python; do
			if command -v $name >/dev/null; then
				set -- $name
				break
			fi
		done
	fi
	if [ $# -eq 0 ]; then
		say python.missing 1
		return
	fi
	say python.command "$1"
	"$@" "$directory/probe.py" "$kind" "$directory/facts" \
		>"$directory/out" 2>"$directory/err" </dev/null
	status=$?
	cat "$directory/facts" 2>/dev/null
	if [ $status -ne 0 ]; then
		say python.status $status
		say python.error "$(grep '[^[:space:]]' "$directory/err" |
			tail -n 1 | cut -c 1-300)"
	fi
}

if ! [ -d "$directory" ]; then
	[ -d "${directory%/*}" ] && exit 12
	exit 11
fi
read -r here <"$directory/here.$token" || exit 12
[ "$here" = "$token" ] || exit 12
place | publish seen || exit 13
{
	containers
	[ "$kind" != gpu ] || gpus
	python "$@"
} | publish report || exit 13
