#include <sys/socket.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
#include <unistd.h>

#include "sys/ports.h"

/* Listen on a port of 127.0.0.1; a descriptor to close. */
static int
listen_on(int port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	    .sin_port = htons((uint16_t)port),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0), again = 1;

	/* As daemons do: a port that was in use a minute ago is free. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
	assert_int_equal(
	    bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static int
overlap(const struct ports *a, const struct ports *b)
{
	return a->first < b->first + (int)b->count &&
	    b->first < a->first + (int)a->count;
}

static void
ports_are_free_and_below_those_of_the_kernel(void **state)
{
	struct ports p;
	int i;

	(void)state;
	assert_int_equal(ports_reserve(&p, 5, NULL), 0);
	assert_in_range(p.first, 20000, 32767 - 4);
	for (i = 0; i < 5; i++)
		close(listen_on(p.first + i));
	ports_release(&p);
}

static void
nobody_gets_the_ports_of_another(void **state)
{
	enum { MANY = 60 };
	struct ports p[MANY];
	int i, k;

	(void)state;
	for (i = 0; i < MANY; i++) {
		assert_int_equal(
		    ports_reserve(&p[i], i % 10 == 0 ? 100 : 3, NULL), 0);
		for (k = 0; k < i; k++)
			assert_false(overlap(&p[i], &p[k]));
	}
	for (i = 0; i < MANY; i++)
		ports_release(&p[i]);
}

static void
an_open_port_is_seen(void **state)
{
	struct ports p;
	int fd;

	(void)state;
	assert_int_equal(ports_reserve(&p, 1, NULL), 0);
	assert_false(ports_is_open(p.first));
	fd = listen_on(p.first);
	assert_true(ports_is_open(p.first));
	close(fd);
	assert_false(ports_is_open(p.first));
	ports_release(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ports_are_free_and_below_those_of_the_kernel),
	    cmocka_unit_test(nobody_gets_the_ports_of_another),
	    cmocka_unit_test(an_open_port_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
