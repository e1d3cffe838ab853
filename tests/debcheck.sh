#!/bin/sh
# Whether the Debian package comes onto a fresh system and leaves it as it was:
# install it in a chroot, use it, purge it and compare the files.
#
#	debcheck.sh PACKAGE DIRECTORY
#
# Needs root, mmdebstrap and a mirror of Debian.  The directory stays, for the
# next time.  SUITE is bookworm unless it is set.

fail() {
	printf 'debcheck: %s\n' "$@" >&2
	exit 1
}

# All files but what apt and dpkg keep for themselves.
list() {
	find "$root" -xdev \( -path "$root/var/cache" -o -path "$root/var/log" \
		-o -path "$root/var/lib/apt" -o -path "$root/var/lib/dpkg" \
		-o -path "$root/tmp" -o -path "$root/root" \
		-o -path "$root/run" \
		\) -prune -o -print | sort
}

inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

get() {
	inside apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends "$@" \
		>/dev/null
}

package=$1
root=$2
[ -r "$package" ] || fail "$package: no such package; make deb"
if [ ! -d "$root" ]; then
	mmdebstrap --quiet --variant=apt --include=man-db,bash-completion,zsh \
		"${SUITE:-bookworm}" "$root" || fail "mmdebstrap failed"
fi
cp "$package" "$root/root/stfm.deb" || exit 1

# What it needs comes first and stays, so that the rest is its own.
needs=$(dpkg-deb -f "$package" Depends | tr ',' '\n' |
	sed 's/(.*//; s/|.*//; s/ //g')
# shellcheck disable=SC2086 # one word a package
get install $needs ||
	fail "what it depends on cannot be installed"
list >"$root.before"

get install /root/stfm.deb || fail "it cannot be installed"
[ "$(inside stfm-expand --no-header lr=1,2)" = "1
2" ] || fail "stfm-expand does not expand"
inside man stfm-submit | grep -q 'stfm-submit' || fail "man finds no page"
# shellcheck disable=SC2016 # for the shell inside
inside bash -c '. /usr/share/bash-completion/bash_completion
	_completion_loader stfm-expand
	complete -p stfm-expand' | grep -q _stfm_expand ||
	fail "bash does not find the completion"
inside zsh -fc 'autoload -Uz compinit; compinit -D
	autoload +X _stfm-expand' || fail "zsh does not find the completion"

get purge stfm || fail "it cannot be purged"
list >"$root.after"
diff "$root.before" "$root.after" || fail "it does not leave as it came"
inside dpkg -l stfm >/dev/null 2>&1 && fail "dpkg still knows it"
echo "debcheck: ${package##*/} comes and goes"
