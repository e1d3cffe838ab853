/*
 * A reservation of consecutive TCP ports that nobody listens on.  It keeps them
 * from other callers at the same moment.  The ports are below those that the
 * kernel uses for outgoing connections.
 */
#ifndef STFM_SYS_PORTS_H
#define STFM_SYS_PORTS_H

#include <stddef.h>

#include "base/error.h"

enum { PORTS_MOST = 1024, PORTS_BLOCK = 16 };

struct ports {
	int first;
	size_t count;
	int hold[PORTS_MOST / PORTS_BLOCK + 1]; /* they keep others away */
	size_t holds;
};

/*
 * Find count (1 to PORTS_MOST) ports that can be bound, and keep them from
 * others in this network until ports_release or the end of the process: 0 or
 * -1.
 */
int ports_reserve(struct ports *, size_t count, struct error *e);

/* Release the ports: by now the programs that use them have bound them. */
void ports_release(struct ports *);

/* Return whether the port can be bound now. */
int ports_is_free(int port);

/* Return whether something listens on the port, without connecting to it. */
int ports_is_open(int port);

#endif
