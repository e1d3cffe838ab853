#!/bin/sh
# The tarball and the recipes of packages, as far as it takes seconds;
# "make distcheck" and "make deb" do the rest.
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 99
recipes=.packaging
version=$(sed -n 's/^#define STFM_VERSION "\(.*\)"/\1/p' lib/version.h)

is "the Debian package has the version" "$version" \
	"$(sed -n '1s/.*(\(.*\)-.*/\1/p' $recipes/debian/changelog)"
is "the RPM has the version" "$version" \
	"$(sed -n 's/^Version: *//p' $recipes/stfm.spec)"
is "the recipe of EasyBuild has the version" "$version" \
	"$(sed -n "s/^version = '\(.*\)'/\1/p" $recipes/easybuild/*.eb)"

ok "the modulefile is written" make install-module prefix=/opt/stfm \
	DESTDIR="$tap_dir/root" moduledir=/etc/modulefiles
module=$tap_dir/root/etc/modulefiles/stfm/$version
like "with the place" "^set prefix {/opt/stfm}$" "$(cat "$module")"
like "and the version" "stfm $version:" "$(cat "$module")"
is "and no word is left" "" "$(grep @ "$module")"

mkdir "$tap_dir/tree"
cp -R Makefile lib .packaging "$tap_dir/tree"
cd "$tap_dir/tree" || exit 99
mkdir bin libexec build
touch bin/stfm-x.c bin/stfm-x build/x libexec/stfm-run README
tarball=build/dist/stfm-$version.tar.gz
is "make dist says where the tarball is" "$tarball" "$(make dist)"
first=$(cksum <"$tarball")
files=$(tar -tzf "$tarball")
like "it has the sources" "^stfm-$version/bin/stfm-x.c$" "$files"
like "and the recipes" "^stfm-$version/.packaging/debian/rules$" "$files"
is "but not what was built" "" "$(printf '%s\n' "$files" |
	grep -E '/build/|stfm-x$|stfm-run$')"
touch README
make dist >/dev/null
is "it is the same when only a time is another" "$first" "$(cksum <"$tarball")"
status "no tarball is made of files that are not all there" 2 \
	make -s dist tree=nosuch

# What is installed is not built for it: what others have built is there.
mkdir man completions
touch man/stfm-x.1 man/stfm.7 completions/stfm-x.bash completions/_stfm-x \
	completions/stfm-x.fish completions/__stfm.fish
root="$tap_dir/a root"
install() {
	make -s -o all DESTDIR="$root" prefix="/opt/it's mine" "$@"
}
ok "it is installed where names have blanks" install install
is "all of it, in its places" "bin/stfm-x
share/bash-completion/completions/stfm-x
share/fish/vendor_completions.d/stfm-x.fish
share/fish/vendor_functions.d/__stfm.fish
share/man/man1/stfm-x.1
share/man/man7/stfm.7
share/zsh/site-functions/_stfm-x" \
	"$(cd "$root/opt/it's mine" && find . -type f | cut -c 3- |
		LC_ALL=C sort)"
ok "with its modulefile" install install-module
like "which names the place" "^set prefix {/opt/it's mine}$" \
	"$(cat "$root/opt/it's mine/share/modulefiles/stfm/$version")"
rm -r "$root/opt/it's mine/share/modulefiles"
install uninstall 2>/dev/null
is "and removed again" "" "$(find "$root" -type f)"

done_testing
