#!/bin/sh
# A message for each event in a room of Matrix.  The access token of the account
# that writes is a secret, so it is read from a file:
#
#	(umask 077; cat >~/.matrix-token)
#	stfm-watch --on finished,error 'examples/notify-matrix.sh \
#		https://matrix.example.org "!room:example.org" ~/.matrix-token'
#
# It needs jq(1).
set -eu

body=$(jq -c '{msgtype: "m.notice", body: .text}')
room=$(jq -rn --arg room "$2" '$room | @uri')
url=$1/_matrix/client/v3/rooms/$room/send/m.room.message
# Others see the words of a command: the token goes another way.
printf 'header = "Authorization: Bearer %s"\n' "$(cat "$3")" |
	curl --config - --fail --silent --show-error --max-time 30 \
		--output /dev/null --request PUT \
		--header 'Content-Type: application/json' --data-raw "$body" \
		"$url/$(date +%s).$$"
