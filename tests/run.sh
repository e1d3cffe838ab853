#!/bin/sh
# How prove runs each test: as it is, but what cmocka says about a failure,
# in comments that prove does not show, goes to standard error.
case $1 in
*.t)
	[ -x "$1" ] && exec "$@"
	exec sh "$@"
	;;
esac

{
	CMOCKA_MESSAGE_OUTPUT=TAP "$@"
	echo "status $?"
} | awk -v test="$1" '
/^status [0-9]+$/ { status = $2; next }
/^#/ && !/^# (not )?ok - / { print test ": " $0 >"/dev/stderr" }
{ print }
END { exit status }'
