#include <string.h>

#include "base/resource.h"
#include "base/text.h"

static const struct {
	const char *name, *option;
} known[] = {
    {"@mem", "mem"},
    {"@time", "time"},
    {"@gpus", "gpus"},
    {"@cpus", "cpus-per-task"},
    {"@partition", "partition"},
    {"@constraint", "constraint"},
    {"@qos", "qos"},
    {"@account", "account"},
};
enum { KNOWN = sizeof known / sizeof *known };

const char *
resource_option(const char *name, struct error *e)
{
	const char *names[KNOWN];
	char hint[TEXT_HINT];
	size_t i;

	for (i = 0; i < KNOWN; i++) {
		if (strcmp(name, known[i].name) == 0)
			return known[i].option;
		names[i] = known[i].name;
	}
	error_set(e, "%.60s: nothing that a point can ask of Slurm (%s)", name,
	    text_hint(name, names, KNOWN,
		"@mem, @time, @gpus, @cpus, @partition, @constraint, @qos, "
		"@account",
		hint));
	return NULL;
}
