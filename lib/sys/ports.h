/*
 * A reservation of consecutive TCP ports on which no process listens.  It keeps
 * other stfm processes from choosing the same ports at the same time.  The
 * ports are below the range that the kernel uses for outgoing connections.
 */
#ifndef STFM_SYS_PORTS_H
#define STFM_SYS_PORTS_H

#include <stddef.h>

#include "base/error.h"

enum { PORTS_MOST = 1024, PORTS_BLOCK = 16 };

struct ports {
	int first;
	size_t count;
	/* Descriptors that hold the claims. */
	int hold[PORTS_MOST / PORTS_BLOCK + 1];
	size_t holds;
};

/*
 * Find count (1 to PORTS_MOST) ports that can be bound, and claim them in this
 * network namespace until ports_release or the end of the process.  Returns 0
 * or -1.
 */
int ports_reserve(struct ports *, size_t count, struct error *e);

/* Release the claims, after the programs have bound the ports. */
void ports_release(struct ports *);

/* Return whether the port can be bound now. */
int ports_is_free(int port);

/* Return whether a process listens on the port, without connecting to it. */
int ports_is_open(int port);

#endif
