#!/bin/sh
# A push message for each event through ntfy (https://ntfy.sh, or your own):
#
#	stfm-watch --on finished,error 'examples/notify-ntfy.sh TOPIC'
#
# Who knows the topic can read along: take one that nobody guesses.  NTFY_URL
# is another server.
set -u

priority=default
[ "$STFM_EVENT" != error ] || priority=high
exec curl --fail --silent --show-error --max-time 30 --output /dev/null \
	--header "Title: $STFM_JOB: $STFM_EVENT" \
	--header "Priority: $priority" \
	--data-raw "$STFM_TEXT" \
	"${NTFY_URL:-https://ntfy.sh}/$1"
