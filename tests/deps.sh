#!/bin/sh
# Install what is missing of the packages in tests/packages.
#
#	deps.sh GROUP...	the groups of tests/packages
#
# When nothing is missing it does nothing, on any system.  Otherwise the
# packages come from the distribution (Debian's apt-get; sudo when not root).

list=${0%/*}/packages

fail() {
	printf 'deps: %s\n' "$@" >&2
	exit 2
}

# Whether what the third column names is there.
found() {
	case $1 in
	/*)
		for found_path in $1; do
			[ -e "$found_path" ] && return 0
		done
		return 1
		;;
	*.h)
		printf '#include <%s>\n' "$1" |
			${CC:-cc} -E -o /dev/null - 2>/dev/null
		;;
	*)
		command -v "$1" >/dev/null
		;;
	esac
}

# The missing packages of the groups given, with what they are for.
missing() {
	while read -r group package probe reason; do
		case " $* " in
		*" $group "*)
			found "$probe" || printf '%s\t%s\n' "$package" "$reason"
			;;
		esac
	done <"$list"
}

names() {
	printf '%s\n' "$1" | cut -f 1 | tr '\n' ' ' | sed 's/ *$//'
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q \
		-o DPkg::Lock::Timeout=120 "$@"
}

# Whether apt-get knows a version of each package.
known() {
	for known_name; do
		apt-cache policy "$known_name" 2>/dev/null |
			grep -q '^ *Candidate: [^(]' || return 1
	done
}

install() {
	if known "$@"; then
		get install -y --no-install-recommends "$@" && return
	fi
	get update && get install -y --no-install-recommends "$@"
}

[ $# -gt 0 ] || fail "usage: deps.sh GROUP..."
[ -r "$list" ] || fail "$list: cannot read"
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
lacking=$(missing "$@")
[ -n "$lacking" ] || exit 0

echo "deps: missing, by the names Debian gives the packages:" >&2
printf '%s\n' "$lacking" | awk -F '\t' '{ printf "  %-18s %s\n", $1, $2 }' >&2
wanted=$(names "$lacking")
command -v apt-get >/dev/null ||
	fail "this system has no apt-get: install their like and try again"
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
	fail "there is no sudo; ask an administrator to run:" \
		"  apt-get install --no-install-recommends $wanted"
fi
# shellcheck disable=SC2086 # one word a package
install $wanted ||
	fail "apt-get could not install them (no network? no permission?):" \
		"  $wanted"
lacking=$(missing "$@")
[ -z "$lacking" ] ||
	fail "installed, but still not found: $(names "$lacking")"
