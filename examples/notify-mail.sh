#!/bin/sh
# Mail for each event, with what stfm-status has to say about it:
#
#	stfm-watch --on finished,error 'examples/notify-mail.sh you@example.org'
#
# The words are for mail(1).  On a cluster it often works on login nodes only.
set -u

# cron's PATH may not have the command that called us.
status() {
	stfm-status --no-refresh "$@" 2>&1 || true
}

{
	printf '%s\n\n' "$STFM_TEXT"
	case $STFM_EVENT in
	error) status -e "${STFM_IDS:-$STFM_JOB}" ;;
	*) status --best 5 "$STFM_JOB" ;;
	esac
	printf '\nJob %s of the store %s on %s\n' "$STFM_JOB" "$STFM_DIR" \
		"$(uname -n)"
} | mail -s "stfm: $STFM_JOB: $STFM_EVENT" "$@"
