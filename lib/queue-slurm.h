/*
 * Slurm's own headers, and what differs between its releases from 20.11 to
 * 26.05.  Releases are told apart here and nowhere else.
 */
#ifndef STFM_QUEUE_SLURM_H
#define STFM_QUEUE_SLURM_H

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <stdint.h>

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(20, 11, 0)
#error "Slurm is too old: 20.11 or newer is needed"
#endif

/* 23.11: the type is the struct, no longer a pointer to it. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t *queue_hostlist;
#else
typedef hostlist_t queue_hostlist;
#endif

/* 21.08: a fourth argument, the sibling in a federation. */
static inline int
queue_kill(const char *id, uint16_t signal, uint16_t flags)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(21, 8, 0)
	return slurm_kill_job2(id, signal, flags, NULL);
#else
	return slurm_kill_job2(id, signal, flags);
#endif
}

#endif
