#!/bin/sh
# Whether a tarball is all that is needed: unpack, build, test, install, use
# and uninstall it.
#
#	distcheck.sh TARBALL DIRECTORY

fail() {
	printf 'distcheck: %s\n' "$@" >&2
	exit 1
}

unset MAKEFLAGS MAKELEVEL MFLAGS
tarball=$(readlink -f "$1")
place=$2
rm -rf "$place"
mkdir -p "$place" || exit 1
tar -xzf "$tarball" -C "$place" || exit 1
place=$(cd "$place" && pwd -P)
cd "$place"/stfm-* || exit 1
jobs=$(nproc)

make -j"$jobs" all unit >"$place/log" 2>&1 || {
	tail -n 20 "$place/log"
	fail "it does not build"
}
make quick || fail "its tests fail"

# As packages do it, and as people do.
make install DESTDIR="$place/root" prefix=/usr >>"$place/log" ||
	fail "it does not install"
make install prefix="$place/home" >>"$place/log" ||
	fail "it does not install into a home directory"
for command in "$place"/root/usr/bin/* "$place"/home/bin/*; do
	"$command" --version >/dev/null || fail "$command does not run"
done
[ "$("$place"/home/bin/stfm-expand --no-header lr=1,2)" = "1
2" ] || fail "stfm-expand does not expand"
make uninstall DESTDIR="$place/root" prefix=/usr >>"$place/log" 2>&1
make uninstall prefix="$place/home" >>"$place/log" 2>&1
left=$(find "$place/root" "$place/home" ! -type d)
[ -z "$left" ] || fail "uninstalling leaves behind:" "$left"
left=$(find "$place/root" "$place/home" -name '*stfm*')
[ -z "$left" ] || fail "uninstalling leaves behind:" "$left"

make dist >>"$place/log" || fail "make dist fails in it"
tar -tzf "$tarball" >"$place/files"
tar -tzf build/dist/*.tar.gz | cmp -s - "$place/files" ||
	fail "make dist has other files than its own tarball"
echo "distcheck: ${tarball##*/} is good"
