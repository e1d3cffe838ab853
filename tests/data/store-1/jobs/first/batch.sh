#!/bin/sh
# One task of first; written by stfm-submit.
exec /srv/stfm/store/libexec/stfm-run-f1916cd3-3153160 /srv/stfm/store/jobs/first 6h09bg6ppxysv "$1"
