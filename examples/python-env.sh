#!/bin/sh
# Make the virtual environment that the Keras examples run in: .venv at the
# top of the tree, or the directory given.  Where it is complete nothing is
# done; one that was interrupted is made again.
#
#	examples/python-env.sh [DIR]
#
# About 400 MB are downloaded and 2 GB of disk are used; nothing outside DIR
# is touched.  PYTHON names the Python to use instead of the first that can.
# Exit status: 0 TensorFlow works in it, 2 it could not be made.
set -u

examples=$(cd "$(dirname "$0")" && pwd -P) || exit 2
top=$(dirname "$examples")
dir=${1:-$top/.venv}
requirements=$examples/requirements.txt
needed_mb=3000

say() {
	printf 'python-env: %s\n' "$*"
}

give_up() {
	printf 'python-env: %s\n' "$@" >&2
	exit 2
}

# What is imported must come from the environment and from nowhere else.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV
# Only what is imported is compiled: compiling all takes twice as long.
unset PYTHONDONTWRITEBYTECODE
export TF_CPP_MIN_LOG_LEVEL=3 TF_ENABLE_ONEDNN_OPTS=0
export PIP_USER=0 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_NO_INPUT=1

# Print the version of TensorFlow when everything the examples import works.
tensorflow_version() {
	"$dir/bin/python" - <<-END
		import sklearn
		import tensorflow
		tensorflow.keras.Model
		print(tensorflow.__version__)
	END
}

is_complete() {
	cmp -s "$requirements" "$dir/requirements.txt" &&
		[ -x "$dir/bin/python" ]
}

# Pythons that can make a virtual environment with pip in it, one a line.
# The newest Python often waits months for TensorFlow: the others follow.
pythons() {
	for python in ${PYTHON:-python3 /usr/bin/python3 python3.13 python3.12 \
		python3.11 python3.10 python3.9}; do
		"$python" - 2>/dev/null <<-'END'
			import ensurepip, sys, venv
			if (3, 9) <= sys.version_info and sys.maxsize > 2**32:
			    print(sys.executable)
		END
	done | awk '!seen[$0]++'
}

# One Python: make the environment and fill it.
install_with() {
	say "making $dir with $("$1" --version) ($1)"
	"$1" -m venv --clear "$dir" || return 1
	mkdir "$dir/tmp" || return 1
	say "installing TensorFlow: about 400 MB to download"
	if ! TMPDIR=$dir/tmp "$dir/bin/python" -m pip install --quiet \
		--no-compile --requirement "$requirements" \
		>"$dir/pip.log" 2>&1; then
		return 1
	fi
	rm -rf "$dir/tmp"
}

# Nobody else makes the same environment meanwhile.
exec 9<"$requirements" || give_up "$requirements: cannot be read"
if ! flock -n 9 2>/dev/null && command -v flock >/dev/null; then
	say "waiting for another python-env.sh"
	flock 9
fi

if is_complete && version=$(tensorflow_version 2>/dev/null); then
	say "$dir is there, with TensorFlow $version"
	exit 0
fi

# What is made anew is emptied first, also where a link leads to it.
if [ -L "$dir" ]; then
	give_up "$dir: is a link, and what it leads to is not complete:" \
		"make that where it is"
fi
if [ -e "$dir" ] && ! [ -f "$dir/pyvenv.cfg" ] &&
	! rmdir "$dir" 2>/dev/null; then
	give_up "$dir: is in the way: it is no virtual environment"
fi
mkdir -p "$dir" || give_up "$dir: cannot be made"

free_mb=$(df -Pm "$dir" | awk 'NR == 2 { print $4 }')
used_mb=$(du -sm "$dir" | awk '{ print $1 }')
if [ "$((free_mb + used_mb))" -lt "$needed_mb" ]; then
	give_up "$dir: $free_mb MB are free there, $needed_mb MB are needed"
fi

found=$(pythons)
if [ -z "$found" ]; then
	rmdir "$dir" 2>/dev/null
	give_up "${PYTHON:-python3}: no Python 3.9 or newer that can make" \
		"virtual environments; on Debian: apt install python3-venv"
fi

for python in $found; do
	if install_with "$python"; then
		break
	fi
	if grep -Eq 'NewConnectionError|ConnectTimeout|ProxyError|SSLError' \
		"$dir/pip.log" 2>/dev/null; then
		give_up "no connection to the Python package index:" \
			"$(grep -v '^$' "$dir/pip.log" | tail -n 1)" \
			"behind a proxy or with a mirror: set HTTPS_PROXY or" \
			"PIP_INDEX_URL; everything else works without it"
	fi
	say "$python: no TensorFlow for it:"
	tail -n 2 "$dir/pip.log" 2>/dev/null | sed 's/^/    /'
done
# pip's last word is in the log; an import says whether it works here.
if ! version=$(tensorflow_version 2>"$dir/import.log"); then
	give_up "TensorFlow does not run here; see $dir/pip.log and" \
		"$dir/import.log: $(tail -n 1 "$dir/import.log")"
fi
cp "$requirements" "$dir/requirements.txt" || give_up "$dir: cannot be written"
say "$dir is ready, with TensorFlow $version"
