#!/bin/sh
# Whether the Debian package comes onto a fresh system and leaves it as it was:
# install it in a chroot, use it, purge it and compare the files.
#
#	debcheck.sh PACKAGE DIRECTORY
#
# Needs root, mmdebstrap and a mirror of Debian.  The directory stays, for the
# next time.  SUITE is bookworm unless it is set; MIRROR may be a URL or a file
# such as /etc/apt/sources.list, and is Debian's own unless it is set.

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

# /dev/fd leads to /proc.
inside() {
	unshare --mount sh -c 'mount -t proc proc "$0/proc" &&
		exec chroot "$0" env -i HOME=/root \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}

get() {
	inside apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends "$@" \
		>/dev/null
}

# How this machine comes to its mirrors: proxies, and what its clock allows.
way() {
	apt-config dump Acquire | grep -E '^Acquire::([a-z]+::Proxy|Check-)'
}

make_system() {
	way >"$root.way"
	rm -rf "$root.new"
	mmdebstrap --quiet --variant=apt --aptopt="$root.way" \
		--include=apt-utils,man-db,bash-completion,zsh \
		"${SUITE:-bookworm}" "$root.new" \
		${MIRROR:+"$MIRROR"} && mv "$root.new" "$root"
}

package=$1
root=$2
[ -r "$package" ] || fail "$package: no such package; make deb"
[ -d "$root" ] || make_system || fail "mmdebstrap failed"
cp "$package" "$root/root/stfm.deb" || exit 1

# mmdebstrap leaves no lists of packages, and those of the last time are old.
cp /etc/resolv.conf "$root/etc/resolv.conf" || exit 1
get update || fail "the lists of packages cannot be fetched"

# What it needs comes first and stays, so that the rest is its own.
needs=$(dpkg-deb -f "$package" Depends | tr ',' '\n' |
	sed 's/(.*//; s/|.*//; s/ //g')
# shellcheck disable=SC2086 # one word a package
get install $needs ||
	fail "what it depends on cannot be installed"
inside dpkg --purge stfm >/dev/null 2>&1 # of a check that failed
list >"$root.before"

get install /root/stfm.deb || fail "it cannot be installed"
[ "$(inside stfm-expand --no-header lr=1,2)" = "1
2" ] || fail "stfm-expand does not expand"
for command in "$root"/usr/bin/stfm-*; do
	inside "${command##*/}" --version >/dev/null ||
		fail "${command##*/} does not run"
done
inside man stfm-submit | grep -q 'stfm-submit' || fail "man finds no page"
# shellcheck disable=SC2016 # for the shell inside
inside bash -c '. /usr/share/bash-completion/bash_completion
	_completion_loader stfm-expand
	COMP_WORDS=(stfm-expand --no-h) COMP_CWORD=1
	COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE}
	words=$(complete -p stfm-expand) words=${words#*-F }
	${words%% *} stfm-expand --no-h stfm-expand
	echo "${COMPREPLY[*]}"' | grep -q '^--no-header' ||
	fail "bash does not find the completion"
inside zsh -fc 'autoload -Uz compinit; compinit -D
	autoload +X _stfm-expand' || fail "zsh does not find the completion"

get purge stfm || fail "it cannot be purged"
list >"$root.after"
diff "$root.before" "$root.after" || fail "it does not leave as it came"
inside dpkg -l stfm >/dev/null 2>&1 && fail "dpkg still knows it"
echo "debcheck: ${package##*/} comes and goes"
