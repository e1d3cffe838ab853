#!/bin/sh
# Build stfm for other processors and another C library, and run the unit tests
# there.
#
#	elsewhere.sh [--write FILE] [TARGET...]	what "make compat-units" calls
#
# The targets:
#	aarch64	another processor, under qemu-user
#	s390x	one with the other byte order, under qemu-user
#	musl	musl in the place of glibc, on this processor
#	noavx	x86-64 without AVX, under qemu-user as a Nehalem
#
# It prints a table of the newest results, and writes it to FILE.  Systems and
# libraries come from Debian and stay below build/elsewhere or $ELSEWHERE.
# JOBS=2 runs so many tests at once.  It fails if a check is not right for which
# tests/elsewhere-reasons has no line.

top=$(cd "${0%/*}/.." && pwd -P) || exit 2
place=${ELSEWHERE:-$top/build/elsewhere}
mirror=${MIRROR:-http://deb.debian.org/debian}
suite=${SUITE:-bookworm}
jobs=${JOBS:-2}
table=/dev/null
# Those of the calling make are for this system.
unset MAKEFLAGS MAKELEVEL MFLAGS CC CFLAGS CPPFLAGS LDFLAGS

fail() {
	printf 'elsewhere: %s\n' "$@" >&2
	exit 2
}

# make_root TARGET ARCHITECTURE: the libraries of another architecture.  They
# are only unpacked, so nothing of that architecture has to run.
make_root() {
	root=$place/$1/root
	[ ! -e "$place/$1/made" ] || return 0
	rm -rf --one-file-system "$root" || return 1
	mmdebstrap --quiet --variant=extract --architectures="$2" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--include=libc6-dev,libc-bin,libjansson-dev \
		--include=libcsv-dev,libcmocka-dev \
		"$suite" "$root" "$mirror" >"$place/$1/root.log" 2>&1 || {
		tail -n 5 "$place/$1/root.log" >&2
		return 1
	}
	touch "$place/$1/made"
}

# get_sources DIRECTORY PACKAGE...: from Debian, with lists of its own
get_sources() {
	sources=$1
	shift
	mkdir -p "$sources/lists/partial" && cd "$sources" || return 1
	echo "deb-src $mirror $suite main" >list
	for verb in update "source $*"; do
		# shellcheck disable=SC2086 # a verb and packages
		apt-get -q -o Dir::Etc::SourceList="$sources/list" \
			-o Dir::Etc::SourceParts=/dev/null \
			-o Dir::State::Lists="$sources/lists" \
			-o Acquire::Check-Valid-Until=false \
			-o APT::Sandbox::User=root $verb || return 1
	done
}

# with_cmake SOURCE BUILD OPTION...: build and install a library for musl
with_cmake() {
	source=$1
	build=$2
	shift 2
	cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER=musl-gcc \
		-DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
		-DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
		-DCMAKE_INSTALL_PREFIX="$place/musl/root" "$@" &&
		make -C "$build" -s -j2 install
}

# musl_libraries: what stfm needs, from Debian's sources
musl_libraries() (
	root=$place/musl/root
	rm -rf --one-file-system "$root" "$place/musl/source" || return 1
	mkdir -p "$root/lib" "$root/include"
	get_sources "$place/musl/source" jansson libcsv cmocka || return 1
	with_cmake jansson-*/ jansson -DJANSSON_BUILD_DOCS=OFF \
		-DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON || return 1
	with_cmake cmocka-*/ cmocka -DWITH_EXAMPLES=OFF || return 1
	musl-gcc -O2 -fPIE -c -o csv.o libcsv-*/libcsv.c &&
		ar qcs "$root/lib/libcsv.a" csv.o &&
		cp libcsv-*/csv.h "$root/include" || return 1
	# The kernel's headers depend on no C library.
	for headers in /usr/include/linux /usr/include/asm-generic \
		/usr/include/x86_64-linux-gnu/asm; do
		ln -s "$headers" "$root/include"
	done
)

make_musl() {
	[ ! -e "$place/musl/made" ] || return 0
	musl_libraries >"$place/musl/root.log" 2>&1 || {
		tail -n 5 "$place/musl/root.log" >&2
		return 1
	}
	touch "$place/musl/made"
}

# build_in TREE WORD...: with Slurm's commands in the place of its library
build_in() {
	tree=$1
	shift
	nice -n 19 make -C "$tree" -s -j"$jobs" SLURM=text PKG_CONFIG=false \
		JANSSON_LIBS=-ljansson CMOCKA_LIBS=-lcmocka "$@" all unit
}

# build_cross TARGET LOADER: programs find their loader and their libraries in
# the other root.  With qemu's -L they would also find other files there.
build_cross() {
	root=$place/$1/root
	triple=$1-linux-gnu
	libs=$root/lib/$triple:$root/usr/lib/$triple
	build_in "$place/$1/tree" CC="$triple-gcc --sysroot=$root" \
		AR="$triple-ar" \
		LDFLAGS="-Wl,--dynamic-linker=$root/lib/$2,-rpath,$libs"
}

# build TARGET: in a copy of the tree
build() {
	case $1 in
	aarch64) build_cross "$1" ld-linux-aarch64.so.1 ;;
	s390x) build_cross "$1" ld64.so.1 ;;
	musl)
		root=$place/$1/root
		build_in "$place/$1/tree" CC=musl-gcc \
			CPPFLAGS="-isystem $root/include" \
			LDFLAGS="-L$root/lib -Wl,-rpath,$root/lib"
		;;
	noavx)
		build_in "$place/$1/tree" CC=gcc \
			CFLAGS='-O2 -g -march=x86-64 -mno-avx'
		;;
	esac
}

prepare() {
	case $1 in
	aarch64) make_root "$1" arm64 ;;
	s390x) make_root "$1" s390x ;;
	musl) make_musl ;;
	noavx) ;;
	*) fail "$1: no such target" ;;
	esac
}

# under TARGET: the words before a program to run it
under() {
	case $1 in
	aarch64 | s390x)
		echo "qemu-$1-static -E LOCPATH=$place/$1/root/usr/lib/locale"
		;;
	noavx) echo "qemu-x86_64-static -cpu Nehalem" ;;
	esac
}

# The commit of the tree, with a "+" if the tree has changes.
commit() {
	git -C "$top" log -1 --format=%h | tr -d '\n'
	git -C "$top" diff --quiet HEAD -- . ':!tests/COMPAT-UNITS' \
		':!tests/elsewhere-reasons' || echo +
}

# judge TEST: from what cmocka printed, and "status N" as the last line:
# "right TEST CHECK" and "wrong TEST CHECK", with tabs between.
judge() {
	awk -v OFS='\t' -v test="$1" '
	/^1[.][.][0-9]+$/ { planned = substr($0, 4) }
	/^(not )?ok [0-9]+ - / {
		seen++
		is = /^not/ ? "wrong" : "right"
		bad += is == "wrong"
		sub(/^(not )?ok [0-9]+ - /, "")
		print is, test, $0
	}
	/^status [0-9]+$/ { status = $2 }
	END {
		for (; seen < planned; seen++)
			print "wrong", test, "did not run (status " status ")"
		if (!planned || (status && !bad && seen == planned))
			print "wrong", test, "ends with status " status
	}'
}

# The name of a unit test: store/fs-test for tests/unit/store/fs-test.c.
named() {
	named=${1#tests/unit/}
	echo "${named%.c}"
}

# run_unit OUT SOURCE WORD...: one unit test
run_unit() {
	log=$1/$(named "$2" | tr / -)
	test=build/plain/${2%.c}
	shift 2
	{
		CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 900 "$@" "$test" 2>&1
		echo "status $?"
	} >"$log" </dev/null
}

# run_units TARGET: all unit tests, so many at once.  Where a check goes wrong,
# programs that the test has started may go on; they end with the outer shell,
# which also reaps them.
run_units() (
	cd "$place/$1/tree" || return 1
	out=$place/$1/out
	rm -rf "$out" && mkdir -p "$out" || return 1
	# shellcheck disable=SC2016,SC2046 # for the shell inside; words
	unshare --mount --pid --fork --kill-child --mount-proc sh -c '
		printf "%s\n" tests/unit/*/*-test.c |
			xargs -P "$1" -I TEST nice -n 19 "$2" --run "$3" TEST \
			$4 &
		wait $!' sh "$jobs" "$top/tests/elsewhere.sh" "$out" \
		"$(under "$1")"
	for test in tests/unit/*/*-test.c; do
		name=$(named "$test")
		judge "$name" <"$out/$(echo "$name" | tr / -)"
	done
)

# try TARGET
try() {
	mkdir -p "$place/results" "$place/$1"
	exec 9>"$place/$1/lock"
	flock -n 9 || fail "$1: another elsewhere.sh uses $place/$1"
	prepare "$1" || return 1
	# What was built stays, with the times of the files.
	mkdir -p "$place/$1/tree"
	find "$place/$1/tree" -mindepth 1 -maxdepth 1 ! -name build \
		-exec rm -rf {} +
	(cd "$top" && git ls-files -z --cached |
		xargs -0 cp -p --parents -t "$place/$1/tree") || return 1
	of=$(commit)
	build "$1" >"$place/$1/log" 2>&1 || {
		tail -n 5 "$place/$1/log" >&2
		echo "$1: does not build: $place/$1/log" >&2
		return 1
	}
	run_units "$1" >"$place/$1/checks"
	{
		printf 'target\t%s\t%s\t%s\n' "$1" "$(date +%F)" "$of"
		cat "$place/$1/checks"
	} >"$place/results/$1"
}

# The table of all results.  It ends with 1 if a check is not right for a reason
# that nobody has found.
show() {
	echo 'Unit tests for other systems; "make compat-units" writes this.'
	echo
	reasons=$top/tests/elsewhere-reasons
	(cd "$place/results" && cat /dev/null aarch64 s390x musl noavx) \
		2>/dev/null | awk -F '\t' -v reasons="$reasons" '
	function why(test, check,    i) {
		for (i = 0; i < known; i++)
			if ((of[i] == target || of[i] == "all" || \
			    (of[i] == "qemu" && target != "musl")) &&
			    (unit[i] "-test") == test && check ~ like[i])
				return reason[i]
		unknown = 1
		return "reason unknown"
	}
	BEGIN {
		known = 0
		while ((getline line <reasons) > 0) {
			if (line ~ /^(#|$)/)
				continue
			split(line, word, "\t")
			of[known] = word[1]
			unit[known] = word[2]
			like[known] = "^(" word[3] ")$"
			reason[known++] = word[4]
		}
	}
	$1 == "target" {
		target = $2
		name[n++] = target
		date[target] = $3
		commit[target] = $4
		next
	}
	!seen[target, $2]++ { files[target]++ }
	$1 == "right" { right[target]++ }
	$1 == "wrong" {
		wrong[target]++
		notes = notes sprintf("%-8s %s: %s: %s\n", target, $2, $3, \
			why($2, $3))
	}
	END {
		form = "%-8s %-10s %-9s %6s %6s %10s\n"
		printf form, "target", "date", "commit", "files", "right", \
			"not right"
		for (i = 0; i < n; i++)
			printf form, name[i], date[name[i]], commit[name[i]], \
				files[name[i]], right[name[i]] + 0, \
				wrong[name[i]] + 0
		if (notes != "")
			printf "\nNot right\n%s", notes
		exit unknown
	}'
}

if [ "${1:-}" = --run ]; then
	shift
	run_unit "$@"
	exit
fi
if [ "${1:-}" = --write ]; then
	table=$2
	shift 2
fi
[ "$(id -u)" -eq 0 ] || fail "needs root, to end what tests leave behind"
[ $# -gt 0 ] || set -- aarch64 s390x musl noavx
for target; do
	try "$target" || exit 1
	show >"$table"
done
show
