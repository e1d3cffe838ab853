#!/bin/sh
# The Makefile, on a small tree: what is built when, and installed where.
. "$(dirname "$0")/tap.sh"

unset SANITIZE
cp "$top/Makefile" . || exit 99
mkdir -p bin lib/base libexec man completions tests
cp "$top"/lib/base/error.[ch] "$top"/lib/base/xalloc.[ch] lib/base
echo '#define GREETING "hello"' >lib/base/greeting.h
cat >bin/stfm-hello.c <<'END'
#include <stdio.h>
#include "base/greeting.h"

int
main(void)
{
	return puts(GREETING) == EOF;
}
END
sed 's/GREETING/"run"/' bin/stfm-hello.c >libexec/stfm-run.c
touch man/stfm-hello.1 man/stfm-space.5 completions/stfm-hello.bash \
	completions/_stfm-hello completions/stfm-hello.fish

# make with nothing linked that is not needed here
build() {
	make CSV_LIBS= JANSSON_LIBS= SLURM_LIBS= CMOCKA_LIBS= "$@"
}

# What a build did: the files it compiled or linked.
did() {
	build "$@" | sed -nE 's/.* -o ([^ ]*).*/\1/p' | sort | tr '\n' ' '
}

like "the targets are listed" "^make check	run all tests" "$(build help)"
is "and nothing else is" "" "$(build help | grep -vE '^(make|		)')"
status "a folder without unit tests is refused" 2 build check-nothing
ok "it builds in parallel" build -j4
is "a command runs" hello "$(bin/stfm-hello)"
is "what runs on the nodes needs nothing there" "" \
	"$(readelf -d libexec/stfm-run | grep NEEDED)"
is "building again does nothing" "" "$(build)"

touch lib/base/greeting.h
is "a header rebuilds what includes it, and no more" \
	"bin/stfm-hello build/plain/bin/stfm-hello.o \
build/plain/libexec/stfm-run.o libexec/stfm-run " "$(did)"
touch lib/base/error.h
like "a header of the library too" "build/plain/lib/base/error.o" "$(did)"
is "and then nothing more" "" "$(did)"
sed -i '/greeting.h/d; s/GREETING/"bye"/' bin/stfm-hello.c libexec/stfm-run.c
rm lib/base/greeting.h
ok "a header may go" build
is "the command is new" bye "$(bin/stfm-hello)"

like "CFLAGS from the environment are honoured" " -O0 -DENV" \
	"$(CFLAGS='-O0 -DENV' build bin/stfm-hello)"
like "CFLAGS from the command line are honoured" " -O1 -DLINE" \
	"$(build CFLAGS='-O1 -DLINE' bin/stfm-hello)"
is "the same flags once more do nothing" "" \
	"$(did CFLAGS='-O1 -DLINE' bin/stfm-hello)"
if command -v clang >/dev/null; then
	ok "clang builds it" build CC=clang
fi
ok "the sanitizers build it" build SANITIZE=1
is "the sanitizers' build lies apart" bye "$(build/sanitize/bin/stfm-hello)"
ok "it is the sanitizers' build" \
	grep -q __asan_init build/sanitize/bin/stfm-hello

installed='./usr/bin/stfm-hello
./usr/libexec/stfm/stfm-run
./usr/share/bash-completion/completions/stfm-hello
./usr/share/fish/vendor_completions.d/stfm-hello.fish
./usr/share/man/man1/stfm-hello.1
./usr/share/man/man5/stfm-space.5
./usr/share/zsh/site-functions/_stfm-hello'
flags='CFLAGS=-O1 -g'
ok "it installs" build install "$flags" DESTDIR="$PWD/root" prefix=/usr
is "everything is in its place" "$installed" \
	"$(cd root && find . -type f | sort)"
is "programs can be executed, pages cannot" \
	"755 bin/stfm-hello 644 share/man/man1/stfm-hello.1 " \
	"$(cd root/usr && stat -c '%a %n' bin/* share/man/man1/* | tr '\n' ' ')"
is "an installed command runs" bye "$(root/usr/bin/stfm-hello)"
ok "what debuggers read can be left out" \
	build install-strip "$flags" DESTDIR="$PWD/bare" prefix=/usr
is "of programs, and of nothing else" "$installed" \
	"$(cd bare && find . -type f | sort)"
has_debug() {
	readelf -S "$1/usr/bin/stfm-hello" "$1/usr/libexec/stfm/stfm-run" |
		grep -c 'debug_info'
}
is "it was there, and is not" "2 0" "$(has_debug root) $(has_debug bare)"
is "what is left runs" bye "$(bare/usr/bin/stfm-hello)"
ok "by the strip that is named" build install-strip "$flags" \
	STRIP=/bin/true DESTDIR="$PWD/bare" prefix=/usr
is "which was that one" 2 "$(has_debug bare)"
ok "it uninstalls" build uninstall DESTDIR="$PWD/root" prefix=/usr
is "nothing stays" "" "$(find root -type f)"

ok "it cleans up" build clean
is "what was built is gone" "bin/stfm-hello.c libexec/stfm-run.c " \
	"$(find build bin libexec -type f 2>/dev/null | sort | tr '\n' ' ')"

done_testing
