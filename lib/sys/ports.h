/*
 * A run of consecutive TCP ports that nobody listens on, kept from others who
 * look for one at the same moment.  They lie below the ports that the kernel
 * gives to outgoing connections.
 */
#ifndef STFM_SYS_PORTS_H
#define STFM_SYS_PORTS_H

#include <stddef.h>

#include "base/error.h"

enum { PORTS_MOST = 1024, PORTS_BLOCK = 16 };

struct ports {
	int first;
	size_t count;
	int hold[PORTS_MOST / PORTS_BLOCK + 1]; /* what keeps others away */
	size_t holds;
};

/*
 * Find count (1 to PORTS_MOST) ports that can be bound and keep
 * other callers in the same network away from them until ports_release or the
 * end of the process.  Returns 0, or -1.
 */
int ports_reserve(struct ports *, size_t count, struct error *e);

/* Let go: by now the programs that use the ports have bound them. */
void ports_release(struct ports *);

/* Whether the port can be bound now. */
int ports_is_free(int port);

/* Whether something listens on the port, seen without touching it. */
int ports_is_open(int port);

#endif
