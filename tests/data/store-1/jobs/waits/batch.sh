#!/bin/sh
# One task of waits; written by stfm-submit.
exec /srv/stfm/store/libexec/stfm-run-f1916cd3-3153160 /srv/stfm/store/jobs/waits 6h09bg6sgxp3k "$1"
