#include <stddef.h>

#include "slurm/hold.h"

/*
 * Return whether reason begins with text, such as "launch failed requeued
 * held"; scontrol(1) writes reasons with underscores.
 */
static int
begins(const char *reason, const char *text)
{
	size_t i = 0;

	while (text[i] != '\0' &&
	    (reason[i] == text[i] || (reason[i] == '_' && text[i] == ' ')))
		i++;
	return text[i] == '\0';
}

enum queue_hold
queue_hold_of(const char *reason)
{
	static const struct {
		const char *reason;
		enum queue_hold hold;
	} holds[] = {
	    {"JobHeldUser", QUEUE_HELD_BY_USER},
	    {"JobHeldAdmin", QUEUE_HELD_BY_ADMIN},
	    {"JobHoldMaxRequeue", QUEUE_HELD_BY_SLURM},
	    {"launch failed requeued held", QUEUE_HELD_BY_SLURM},
	    {"launch failure limit exceeded requeued held",
		QUEUE_HELD_BY_SLURM},
	    {"job requeued in held state", QUEUE_HELD_BY_SLURM},
	    {"job requeued in special exit state", QUEUE_HELD_BY_SLURM},
	};
	size_t i;

	for (i = 0; i < sizeof holds / sizeof *holds; i++)
		if (begins(reason, holds[i].reason))
			return holds[i].hold;
	return QUEUE_FREE;
}
