/*
 * What the files of requests share: requests in ctl/, and those of a search
 * about tasks that are over, which are packed.
 *
 * pack/s.LINES.NOISE.jsonl begins with a line that says which tasks it stops.
 * So many lines follow as its name says.  Each is the record of a request of a
 * search as it was in ctl/, with the name of its file in front.  So a program
 * that does not need what they say reads the first line alone.
 *
 * A pack is published once and never changed.  The files of its requests are
 * removed after it was read back.  So a program that reads ctl/ first and then
 * the packs, and begins again if a file is gone meanwhile, sees every request,
 * and may see some twice.
 */
#ifndef STFM_STORE_REQUEST_PRIVATE_H
#define STFM_STORE_REQUEST_PRIVATE_H

#include "store/record.h"
#include "store/request.h"

/* What the names of records in ctl/ begin with: to stop, and the others. */
#define STORE_STOP "stop."
#define STORE_ORDER "order."

/*
 * Add the requests in a record to out, each a copy of like for the tasks of its
 * attempt.  Returns 0, or -1 with ERROR_DAMAGED and out as it was.
 */
int store_request_take(const json_t *record, struct store_request like,
    struct store_requests *out, struct error *e);

/*
 * Read the task and the attempt in the name of a stop request of a search.
 * Returns 0 if it is another name.
 */
int store_request_name(const char *name, uint64_t *task, uint32_t *attempt);

/* Put a request at the end of a list, which then owns its tasks and why. */
void store_requests_push(struct store_requests *, struct store_request);

/* Free the last requests, to leave count. */
void store_requests_shorten(struct store_requests *, size_t count);

/*
 * Add the requests of a file in the open directory ctl.  Returns 0, or -1 with
 * the codes of store_directory_load and out as it was.
 */
int store_request_read(const struct store_job *, int ctl, const char *name,
    struct store_requests *out, struct error *e);

/* Put requests in order, of which so many are to stop; they come first. */
void store_requests_sort(struct store_requests *, size_t stops);

#endif
