#include <sys/socket.h>
#include <sys/un.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/fs.h"
#include "sys/ports.h"

/* Linux uses 32768 to 60999 for outgoing connections. */
enum { LOWEST = 20000, BEYOND = 32768, BLOCK = PORTS_BLOCK, TRIES = 1000 };

/*
 * Claim a block of ports by a name in the abstract namespace of Unix sockets.
 * Like ports, such a name belongs to the network namespace, all users see it,
 * and it is free when its process ends.  Returns a descriptor, or -1.
 */
static int
claim(int block)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd, n;

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return -1;
	n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1,
	    "stfm-sandbox-ports-%d", block);
	if (bind(fd, (struct sockaddr *)&name,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		    (size_t)n)) == -1) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Return whether the port can be bound on all addresses: that fails if a
 * process listens on any address.  Lingering closed connections do not matter
 * (SO_REUSEADDR).
 */
int
ports_is_free(int port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_ANY),
	    .sin_port = htons((uint16_t)port),
	};
	int fd, rc, yes = 1;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return 0;
	rc = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (rc == 0)
		rc = bind(fd, (struct sockaddr *)&address, sizeof address);
	close(fd);
	return rc == 0;
}

int
ports_is_open(int port)
{
	FILE *f = fopen("/proc/net/tcp", "re");
	unsigned int local, state;
	char line[512];
	int found = 0;

	if (f == NULL)
		return 0;
	while (!found && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, " %*d: %*8x:%4x %*8x:%*4x %2x", &local,
			&state) == 2)
			found = (int)local == port && state == TCP_LISTEN;
	fclose(f);
	return found;
}

static int
try_from(struct ports *p, int first)
{
	size_t i;

	p->first = first;
	for (i = 0; i < (p->count + BLOCK - 1) / BLOCK; i++) {
		p->hold[i] = claim(first / BLOCK + (int)i);
		if (p->hold[i] == -1)
			return -1;
		p->holds++;
	}
	for (i = 0; i < p->count; i++)
		if (!ports_is_free(first + (int)i))
			return -1;
	return 0;
}

int
ports_reserve(struct ports *p, size_t count, struct error *e)
{
	uint32_t choices;
	int tries;

	memset(p, 0, sizeof *p);
	p->count = count;
	choices = (uint32_t)(BEYOND - LOWEST - (int)count) / BLOCK;
	for (tries = 0; tries < TRIES; tries++) {
		if (try_from(p, LOWEST + (int)(fs_noise() % choices) * BLOCK) ==
		    0)
			return 0;
		ports_release(p);
	}
	return error_set(e, "no %zu free ports in a row between %d and %d",
	    count, LOWEST, BEYOND - 1);
}

void
ports_release(struct ports *p)
{
	while (p->holds > 0)
		close(p->hold[--p->holds]);
}
