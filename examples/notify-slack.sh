#!/bin/sh
# A message for each event through a webhook of Slack (Mattermost takes the
# same).  Its address is a secret, so it is read from a file:
#
#	(umask 077; cat >~/.slack-webhook)	# https://hooks.slack.com/...
#	stfm-watch --on finished,error \
#		'examples/notify-slack.sh ~/.slack-webhook'
#
# It needs jq(1).
set -eu

body=$(jq -c '{text: (.text | gsub("&"; "&amp;") | gsub("<"; "&lt;"))}')
# Others see the words of a command: the address goes another way.
printf 'url = "%s"\n' "$(cat "$1")" |
	curl --config - --fail --silent --show-error --max-time 30 \
		--output /dev/null --header 'Content-Type: application/json' \
		--data-raw "$body"
