#!/bin/sh
# Measure stfm beside its neighbours: bench/bench.py, with submitit in a
# virtual environment below build/ where it can be had.
#
#	bench/run.sh [options of bench.py]
set -u

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2
env=$top/build/bench-env

if [ ! -x "$env/bin/python" ]; then
	python3 -m venv "$env" || exit 2
fi
if ! "$env/bin/python" -c 'import submitit' 2>/dev/null; then
	"$env/bin/pip" -q install --disable-pip-version-check submitit ||
		echo 'bench: no submitit: it is left out' >&2
fi
exec "$env/bin/python" "$top/bench/bench.py" "$@"
