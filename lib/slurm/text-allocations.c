/* Read the jobs of all users, and reservations, with squeue and scontrol. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/text.h"

static const char *const columns[] = {"JobArrayID", "JobID", "Name", "UserName",
    "UserID", "Partition", "State", "StartTime", "TimeLimit", "NodeList",
    "SchedNodes", "NumNodes", "NumCPUs", "NumTasks", "tres-alloc",
    "tres-per-job", "tres-per-node", "tres-per-task"};
enum {
	JOB,
	ID,
	NAME,
	USER,
	UID,
	PARTITION,
	STATE,
	START,
	LIMIT,
	NODES,
	PLANNED,
	NODE_COUNT,
	CPUS,
	TASKS,
	ALLOCATED,
	PER_JOB,
	PER_NODE,
	PER_TASK,
	COLUMNS
};

/* squeue lists completing jobs with these states, too; take_use drops them. */
#define STATES "--states=PENDING,RUNNING,SUSPENDED,CONFIGURING"
#define THERE STATES ",COMPLETING"

/* Return the first number of a range of node counts, "1-2": the minimum. */
static int64_t
first_number(char *text)
{
	text[strcspn(text, "-")] = '\0';
	return queue_text_number(text);
}

static void
take_use(char *field[], enum queue_whose whose, struct queue_allocations *out)
{
	int ends = strcmp(field[STATE], "COMPLETING") == 0;
	int waits = strcmp(field[STATE], "PENDING") == 0;
	int64_t start = queue_text_number(field[START]);
	int64_t minutes = queue_text_minutes(field[LIMIT]);
	char *list = strstr(field[JOB], "_[");
	struct queue_wanted wanted = {
	    .allocated = field[ALLOCATED],
	    .per_job = field[PER_JOB],
	    .per_node = field[PER_NODE],
	    .per_task = field[PER_TASK],
	    .nodes = first_number(field[NODE_COUNT]),
	    .tasks = queue_text_number(field[TASKS]),
	};

	if ((waits && start <= 0) || (ends && whose != QUEUE_THERE))
		return;
	/* Shorten "12_[3-9]", a pending array, to its id. */
	if (list != NULL)
		*list = '\0';
	*queue_allocations_add(out) = (struct queue_allocation){
	    .job = xstrdup(field[JOB]),
	    .id = queue_text_number(field[ID]),
	    .name = xstrdup(field[NAME]),
	    .user = xstrdup(field[USER]),
	    .partition = xstrdup(field[PARTITION]),
	    .mine = queue_text_number(field[UID]) == (int64_t)getuid(),
	    .running = !waits,
	    .ending = ends,
	    .start = start,
	    .end = queue_use_end(
		start, minutes < 0 ? UINT32_MAX : (uint32_t)minutes),
	    .nodes = xstrdup(waits ? field[PLANNED] : field[NODES]),
	    .node_count = wanted.nodes,
	    .cpus = first_number(field[CPUS]),
	    .gpus = queue_wanted_gpus(&wanted),
	};
}

static int
load_jobs(enum queue_whose whose, int64_t deadline,
    struct queue_allocations *out, struct error *e)
{
	struct proc_result result;
	struct queue_fields f;
	char *field[COLUMNS];
	int rc, got = 0;

	rc = queue_text_ask(
	    (const char *const[]){"squeue", "--local", "--all", "--noheader",
		whose == QUEUE_THERE ? THERE : STATES,
		whose == QUEUE_MINE ? "--me" : NULL, NULL},
	    columns, COLUMNS, deadline, &f, &result, e);
	while (rc == 0 && (got = queue_fields_next(&f, field, COLUMNS, e)) == 1)
		take_use(field, whose, out);
	proc_result_free(&result);
	return got == -1 ? -1 : rc;
}

static void
take_reservation(void *uses, const char *line)
{
	char *tres = queue_text_value(line, "TRES");
	int64_t nodes = queue_text_value_number(line, "NodeCnt");
	int64_t cpus = queue_text_value_number(line, "CoreCnt");
	struct queue_wanted wanted = {.allocated = tres};

	*queue_reservations_add(uses) = (struct queue_reservation){
	    .name = queue_text_value(line, "ReservationName"),
	    .users = queue_text_value(line, "Users"),
	    .accounts = queue_text_value(line, "Accounts"),
	    .flags = queue_text_value(line, "Flags"),
	    .nodes = queue_text_value(line, "Nodes"),
	    .start = queue_text_value_number(line, "StartTime"),
	    .end = queue_text_value_number(line, "EndTime"),
	    .node_count = nodes < 0 ? 0 : nodes,
	    .cpus = cpus < 0 ? 0 : cpus,
	    .gpus = queue_wanted_gpus(&wanted),
	};
	free(tres);
}

int
queue_text_uses(enum queue_whose whose, int64_t ms,
    struct queue_allocations *out, struct error *e)
{
	int64_t deadline = proc_clock() + ms;
	int rc = load_jobs(whose, deadline, out, e);

	if (rc == 0 && whose == QUEUE_ANYBODYS)
		rc = queue_text_lines(
		    (const char *const[]){
			"scontrol", "--oneliner", "show", "reservation", NULL},
		    deadline, "ReservationName=", take_reservation, out, e);
	return rc;
}
