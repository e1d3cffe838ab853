#!/bin/sh
# Measure stfm beside its neighbours, with those of them that can be had in a
# virtual environment below build/.
#
#	bench/run.sh bench.py|scale.py|search.py|search-real.py [options]
#
# NePS, which needs PyTorch, is installed only if NEPS=1 is set, and Oríon, which
# needs an environment of its own, only if ORION=1 is set.
set -u

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2
env=$top/build/bench-env

# need MODULE PACKAGE
need() {
	"$env/bin/python" -c "import $1" 2>/dev/null ||
		"$env/bin/pip" -q install --disable-pip-version-check "$2" ||
		echo "bench: no $2: it is left out" >&2
}

# Its package does not ask for typing_extensions, which it needs.
need_orion() {
	[ -x "$top/build/orion-env/bin/orion" ] || {
		python3 -m venv "$top/build/orion-env" &&
			"$top/build/orion-env/bin/pip" -q install \
				--disable-pip-version-check orion==0.2.7 \
				setuptools typing_extensions
	} || echo "bench: no Oríon: it is left out" >&2
}

if [ ! -x "$env/bin/python" ]; then
	python3 -m venv "$env" || exit 2
fi
if [ "$1" = search.py ]; then
	need optuna 'optuna>=5'
	need ray.tune 'ray[tune]'
	need syne_tune syne-tune
	[ -z "${NEPS:-}" ] || need neps neural-pipeline-search
elif [ "$1" = search-real.py ]; then
	need optuna 'optuna>=5'
	[ -z "${NEPS:-}" ] || need neps neural-pipeline-search
	[ -z "${ORION:-}" ] || need_orion
else
	need submitit submitit
	need google_crc32c google-crc32c
	if [ "$1" = bench.py ]; then
		need tensorboard tensorboard
		need pkg_resources 'setuptools<81'
	fi
fi
script=$1
shift
exec "$env/bin/python" "$top/bench/$script" "$@"
