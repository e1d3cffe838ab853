#!/bin/sh
# How prove runs each test: as it is, but what cmocka says about a failure,
# in comments that prove does not show, goes to standard error.  Where nobody
# can interrupt one that hangs, it is ended after half an hour.
limit=
[ -t 2 ] || limit="timeout -k 60 ${TEST_SECONDS:-1800}"

# shellcheck disable=SC2086 # words of a command
case $1 in
*.t)
	[ -x "$1" ] && exec $limit "$@"
	exec $limit sh "$@"
	;;
*)
	{
		CMOCKA_MESSAGE_OUTPUT=TAP $limit "$@"
		echo "status $?"
	} | awk -v test="$1" '
	/^status [0-9]+$/ { status = $2; next }
	/^#/ && !/^# (not )?ok - / { print test ": " $0 >"/dev/stderr" }
	{ print }
	END { exit status }'
	;;
esac
