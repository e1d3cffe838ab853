/*
 * Slurm's own headers, and the differences between its releases from 20.11 to
 * 26.05.  No other file distinguishes releases at compile time.
 */
#ifndef STFM_SLURM_RELEASE_H
#define STFM_SLURM_RELEASE_H

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <stdint.h>

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(20, 11, 0)
#error "Slurm is too old: 20.11 or newer is needed"
#endif

/* 23.11: hostlist_t is a struct instead of a pointer to it. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t *queue_hostlist;
#else
typedef hostlist_t queue_hostlist;
#endif

/* Signal a job.  21.08 added a fourth argument, the sibling in a federation. */
static inline int
queue_kill(const char *id, uint16_t signal, uint16_t flags)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(21, 8, 0)
	return slurm_kill_job2(id, signal, flags, NULL);
#else
	return slurm_kill_job2(id, signal, flags);
#endif
}

/* 21.08 added states for power saving and planned nodes. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(21, 8, 0)
enum {
	QUEUE_NODE_INVALID = NODE_STATE_INVALID_REG,
	QUEUE_NODE_PLANNED = NODE_STATE_PLANNED,
	QUEUE_NODE_REBOOT = NODE_STATE_REBOOT_REQUESTED,
	QUEUE_NODE_POWER_UP = NODE_STATE_POWERING_UP,
	QUEUE_NODE_POWER_DOWN = NODE_STATE_POWER_DOWN,
	QUEUE_NODE_POWERED_DOWN = NODE_STATE_POWERED_DOWN
};
#else
enum {
	QUEUE_NODE_INVALID = 0,
	QUEUE_NODE_PLANNED = 0,
	QUEUE_NODE_REBOOT = NODE_STATE_REBOOT,
	QUEUE_NODE_POWER_UP = NODE_STATE_POWER_UP,
	QUEUE_NODE_POWER_DOWN = 0,
	QUEUE_NODE_POWERED_DOWN = NODE_STATE_POWER_SAVE
};
#endif

/* Get a node's CPUs and memory in use.  25.05 moved them into its record. */
static inline void
queue_node_used(const node_info_t *node, uint32_t *cpus, uint64_t *memory)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
	*cpus = node->alloc_cpus;
	*memory = node->alloc_memory;
#else
	uint16_t count = 0;

	*memory = 0;
	if (node->select_nodeinfo != NULL) {
		slurm_get_select_nodeinfo(node->select_nodeinfo,
		    SELECT_NODEDATA_SUBCNT, NODE_STATE_ALLOCATED, &count);
		slurm_get_select_nodeinfo(node->select_nodeinfo,
		    SELECT_NODEDATA_MEM_ALLOC, NODE_STATE_ALLOCATED, memory);
	}
	*cpus = count;
#endif
}

/* 22.05 added hourly reservations. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 5, 0)
#define QUEUE_RESERVE_HOURLY RESERVE_FLAG_HOURLY
#else
#define QUEUE_RESERVE_HOURLY 0
#endif

#endif
