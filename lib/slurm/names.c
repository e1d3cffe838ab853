#include <stddef.h>
#include <string.h>

#include "slurm/names.h"
#include "slurm/private.h"

/* The base states of Slurm, and LOST, which stfm adds: its rank is lowest. */
enum { LOST = QUEUE_OTHER + 1 };
static const struct queue_end_state states[] = {
    [QUEUE_PENDING] = {"PENDING", 0},
    [QUEUE_RUNNING] = {"RUNNING", 0},
    [QUEUE_SUSPENDED] = {"SUSPENDED", 0},
    [QUEUE_COMPLETED] = {"COMPLETED", 1, .by_itself = 1},
    [QUEUE_FAILED] = {"FAILED", 2, .by_itself = 1},
    [QUEUE_CANCELLED] = {"CANCELLED", 3},
    [QUEUE_PREEMPTED] = {"PREEMPTED", 4, .taken_away = 1, .not_node = 1},
    [QUEUE_BOOT_FAIL] = {"BOOT_FAIL", 5, .node_lost = 1, .taken_away = 1},
    [QUEUE_NODE_FAIL] = {"NODE_FAIL", 6, .node_lost = 1, .taken_away = 1},
    [QUEUE_DEADLINE] = {"DEADLINE", 7},
    [QUEUE_TIMEOUT] = {"TIMEOUT", 8, .taken_away = 1, .not_node = 1},
    [QUEUE_OUT_OF_MEMORY] = {"OUT_OF_MEMORY", 9, .not_node = 1},
    [QUEUE_OTHER] = {"UNKNOWN", 0},
    [LOST] = {"LOST", -1, .not_node = 1},
};

/* The pending reasons by Slurm's numbers, the same in all releases. */
static const char *const reasons[] = {
    [0] = "None",
    "Priority",
    "Dependency",
    "Resources",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "PartitionDown",
    "PartitionInactive",
    "JobHeldAdmin",
    "BeginTime",
    [10] = "Licenses",
    "AssociationJobLimit",
    "AssociationResourceLimit",
    "AssociationTimeLimit",
    "Reservation",
    "ReqNodeNotAvail",
    "JobHeldUser",
    "NvidiaImexChannels",
    "SchedDefer",
    "PartitionDown",
    [20] = "NodeDown",
    "BadConstraints",
    "SystemFailure",
    "JobLaunchFailure",
    "NonZeroExitCode",
    "TimeLimit",
    "InactiveLimit",
    "InvalidAccount",
    "InvalidQOS",
    "QOSUsageThreshold",
    [30] = "QOSJobLimit",
    "QOSResourceLimit",
    "QOSTimeLimit",
    "RaisedSignal",
    "",
    "Cleaning",
    "Prolog",
    "QOSNotAllowed",
    "AccountNotAllowed",
    "DependencyNeverSatisfied",
    [40] = "QOSGrpCpuLimit",
    "QOSGrpCPUMinutesLimit",
    "QOSGrpCPURunMinutesLimit",
    "QOSGrpJobsLimit",
    "QOSGrpMemLimit",
    "QOSGrpNodeLimit",
    "QOSGrpSubmitJobsLimit",
    "QOSGrpWallLimit",
    "QOSMaxCpuPerJobLimit",
    "QOSMaxCpuMinutesPerJobLimit",
    [50] = "QOSMaxNodePerJobLimit",
    "QOSMaxWallDurationPerJobLimit",
    "QOSMaxCpuPerUserLimit",
    "QOSMaxJobsPerUserLimit",
    "QOSMaxNodePerUserLimit",
    "QOSMaxSubmitJobPerUserLimit",
    "QOSMinCpuNotSatisfied",
    "AssocGrpCpuLimit",
    "AssocGrpCPUMinutesLimit",
    "AssocGrpCPURunMinutesLimit",
    [60] = "AssocGrpJobsLimit",
    "AssocGrpMemLimit",
    "AssocGrpNodeLimit",
    "AssocGrpSubmitJobsLimit",
    "AssocGrpWallLimit",
    "AssocMaxJobsLimit",
    "AssocMaxCpuPerJobLimit",
    "AssocMaxCpuMinutesPerJobLimit",
    "AssocMaxNodePerJobLimit",
    "AssocMaxWallDurationPerJobLimit",
    [70] = "AssocMaxSubmitJobLimit",
    "JobHoldMaxRequeue",
    "JobArrayTaskLimit",
    "BurstBufferResources",
    "BurstBufferStageIn",
    "BurstBufferOperation",
    "PowerNotAvail",
    "PowerReserved",
    "AssocGrpUnknown",
    "AssocGrpUnknownMinutes",
    [80] = "AssocGrpUnknownRunMinutes",
    "AssocMaxUnknownPerJob",
    "AssocMaxUnknownPerNode",
    "AssocMaxUnknownMinutesPerJob",
    "AssocMaxCpuPerNode",
    "AssocGrpMemMinutes",
    "AssocGrpMemRunMinutes",
    "AssocMaxMemPerJob",
    "AssocMaxMemPerNode",
    "AssocMaxMemMinutesPerJob",
    [90] = "AssocGrpNodeMinutes",
    "AssocGrpNodeRunMinutes",
    "AssocMaxNodeMinutesPerJob",
    "AssocGrpEnergy",
    "AssocGrpEnergyMinutes",
    "AssocGrpEnergyRunMinutes",
    "AssocMaxEnergyPerJob",
    "AssocMaxEnergyPerNode",
    "AssocMaxEnergyMinutesPerJob",
    "AssocGrpGRES",
    [100] = "AssocGrpGRESMinutes",
    "AssocGrpGRESRunMinutes",
    "AssocMaxGRESPerJob",
    "AssocMaxGRESPerNode",
    "AssocMaxGRESMinutesPerJob",
    "AssocGrpLicense",
    "AssocGrpLicenseMinutes",
    "AssocGrpLicenseRunMinutes",
    "AssocMaxLicensePerJob",
    "AssocMaxLicenseMinutesPerJob",
    [110] = "AssocGrpBB",
    "AssocGrpBBMinutes",
    "AssocGrpBBRunMinutes",
    "AssocMaxBBPerJob",
    "AssocMaxBBPerNode",
    "AssocMaxBBMinutesPerJob",
    "QOSGrpUnknown",
    "QOSGrpUnknownMinutes",
    "QOSGrpUnknownRunMinutes",
    "QOSMaxUnknownPerJob",
    [120] = "QOSMaxUnknownPerNode",
    "QOSMaxUnknownPerUser",
    "QOSMaxUnknownMinutesPerJob",
    "QOSMinUnknown",
    "QOSMaxCpuPerNode",
    "QOSGrpMemoryMinutes",
    "QOSGrpMemoryRunMinutes",
    "QOSMaxMemoryMinutesPerJob",
    "QOSMaxMemoryPerJob",
    "QOSMaxMemoryPerNode",
    [130] = "QOSMaxMemoryPerUser",
    "QOSMinMemory",
    "QOSGrpEnergy",
    "QOSGrpEnergyMinutes",
    "QOSGrpEnergyRunMinutes",
    "QOSMaxEnergyPerJob",
    "QOSMaxEnergyPerNode",
    "QOSMaxEnergyPerUser",
    "QOSMaxEnergyMinutesPerJob",
    "QOSMinEnergy",
    [140] = "QOSGrpNodeMinutes",
    "QOSGrpNodeRunMinutes",
    "QOSMaxNodeMinutesPerJob",
    "QOSMinNode",
    "QOSGrpGRES",
    "QOSGrpGRESMinutes",
    "QOSGrpGRESRunMinutes",
    "QOSMaxGRESPerJob",
    "QOSMaxGRESPerNode",
    "QOSMaxGRESPerUser",
    [150] = "QOSMaxGRESMinutesPerJob",
    "QOSMinGRES",
    "QOSGrpLicense",
    "QOSGrpLicenseMinutes",
    "QOSGrpLicenseRunMinutes",
    "QOSMaxLicensePerJob",
    "QOSMaxLicensePerUser",
    "QOSMaxLicenseMinutesPerJob",
    "QOSMinLicense",
    "QOSGrpBB",
    [160] = "QOSGrpBBMinutes",
    "QOSGrpBBRunMinutes",
    "QOSMaxBBPerJob",
    "QOSMaxBBPerNode",
    "QOSMaxBBPerUser",
    "AssocMaxBBMinutesPerJob",
    "QOSMinBB",
    "DeadLine",
    "MaxBBPerAccount",
    "MaxCpuPerAccount",
    [170] = "MaxEnergyPerAccount",
    "MaxGRESPerAccount",
    "MaxNodePerAccount",
    "MaxLicensePerAccount",
    "MaxMemoryPerAccount",
    "MaxUnknownPerAccount",
    "MaxJobsPerAccount",
    "MaxSubmitJobsPerAccount",
    "PartitionConfig",
    "AccountingPolicy",
    [180] = "FedJobLock",
    "OutOfMemory",
    "MaxMemPerLimit",
    "AssocGrpBilling",
    "AssocGrpBillingMinutes",
    "AssocGrpBillingRunMinutes",
    "AssocMaxBillingPerJob",
    "AssocMaxBillingPerNode",
    "AssocMaxBillingMinutesPerJob",
    "QOSGrpBilling",
    [190] = "QOSGrpBillingMinutes",
    "QOSGrpBillingRunMinutes",
    "QOSMaxBillingPerJob",
    "QOSMaxBillingPerNode",
    "QOSMaxBillingPerUser",
    "QOSMaxBillingMinutesPerJob",
    "MaxBillingPerAccount",
    "QOSMinBilling",
    "ReservationDeleted",
    "ReservationInvalid",
    [200] = "Constraints",
    "MaxBBRunMinsPerAccount",
    "MaxBillingRunMinsPerAccount",
    "MaxCpuRunMinsPerAccount",
    "MaxEnergyRunMinsPerAccount",
    "MaxGRESRunMinsPerAccount",
    "MaxNodeRunMinsPerAccount",
    "MaxLicenseRunMinsPerAccount",
    "MaxMemoryRunMinsPerAccount",
    "MaxUnknownRunMinsPerAccount",
    [210] = "MaxBBRunMinsPerUser",
    "MaxBillingRunMinsPerUser",
    "MaxCpuRunMinsPerUser",
    "MaxEnergyRunMinsPerUser",
    "MaxGRESRunMinsPerUser",
    "MaxNodeRunMinsPerUser",
    "MaxLicenseRunMinsPerUser",
    "MaxMemoryRunMinsPerUser",
    "MaxUnknownRunMinsPerUser",
    "MaxPoweredUpNodes",
    [220] = "MpiPortsBusy",
};

const char *
queue_state_name(uint32_t base)
{
	return states[base < QUEUE_OTHER ? base : QUEUE_OTHER].name;
}

enum queue_state
queue_state_find(const char *name)
{
	uint32_t base = 0;

	while (base < QUEUE_OTHER && strcmp(name, states[base].name) != 0)
		base++;
	return (enum queue_state)base;
}

const struct queue_end_state *
queue_end_state(const char *name)
{
	if (name == NULL)
		return &states[QUEUE_OTHER];
	return &states[strcmp(name, states[LOST].name) == 0
		? LOST
		: (int)queue_state_find(name)];
}

const char *
queue_reason_name(uint32_t number)
{
	if (number >= sizeof reasons / sizeof *reasons)
		return "Unknown";
	return reasons[number];
}

/* Flags of a job that is not over, whatever its base state. */
enum {
	UNDONE = QUEUE_IS_COMPLETING | QUEUE_IS_REQUEUED | QUEUE_IS_REVOKED |
	    QUEUE_IS_STAGING
};

static const char *
state_name(uint32_t state)
{
	uint32_t base = state & QUEUE_BASE;

	if (state & QUEUE_IS_COMPLETING)
		return "COMPLETING";
	if (state & QUEUE_IS_STAGING)
		return "STAGE_OUT";
	if (state & QUEUE_IS_REVOKED)
		return "REVOKED";
	if (base == QUEUE_RUNNING && (state & QUEUE_IS_CONFIGURING))
		return "CONFIGURING";
	if (base == QUEUE_RUNNING && (state & QUEUE_IS_STOPPED))
		return "STOPPED";
	return queue_state_name(base);
}

void
queue_set_state(struct queue_record *r, uint32_t state)
{
	uint32_t base = state & QUEUE_BASE;

	r->state = base < QUEUE_OTHER ? (enum queue_state)base : QUEUE_OTHER;
	r->alive = base < QUEUE_COMPLETED || base >= QUEUE_OTHER ||
	    (state & UNDONE) != 0;
	r->completing = (state & QUEUE_IS_COMPLETING) != 0;
	r->returning = r->completing &&
	    (base == QUEUE_PENDING || (state & QUEUE_IS_REQUEUED) != 0);
	r->state_name = state_name(state);
	r->refused = r->refused && !r->alive && r->state == QUEUE_FAILED;
	/* In other states Slurm may leave an outdated reason in the record. */
	if (base != QUEUE_PENDING &&
	    (r->alive || base == QUEUE_COMPLETED || base == QUEUE_CANCELLED))
		r->reason = "";
}

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
