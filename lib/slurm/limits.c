#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/limits.h"
#include "slurm/private.h"
#include "slurm/text.h"

/* ---- reading sacctmgr's output ---- */

static const char user_format[] =
    "format=DefaultAccount,Account,Partition,QOS,DefaultQOS,MaxJobs,"
    "MaxSubmitJobs,MaxWall,MaxTRES,GrpTRES,GrpJobs,Fairshare";
enum {
	DEFAULT_ACCOUNT,
	ACCOUNT,
	PARTITION,
	QOS,
	DEFAULT_QOS,
	MAX_JOBS,
	MAX_SUBMIT,
	MAX_WALL,
	MAX_TRES,
	GROUP_TRES,
	GROUP_JOBS,
	FAIRSHARE,
	USER_FIELDS
};

static const char qos_format[] =
    "format=Name,Priority,MaxWall,MaxJobsPU,MaxSubmitPU,MaxTRESPU,MaxTRES,"
    "GrpTRES,GrpJobs,Flags";
enum {
	NAME,
	PRIORITY,
	WALL,
	JOBS,
	SUBMIT,
	USER_TRES,
	TRES,
	ALL_TRES,
	ALL_JOBS,
	FLAGS,
	QOS_FIELDS
};

/* Split a line at its "|"; missing fields are "". */
static void
cut(char *line, char *field[], size_t count)
{
	static char empty[] = "";
	size_t i;

	for (i = 0; i < count; i++)
		field[i] = line != NULL ? strsep(&line, "|") : empty;
}

static struct queue_limit *
add(struct queue_limits *out)
{
	out->limit = xgrow(out->limit, out->count, sizeof *out->limit);
	return &out->limit[out->count++];
}

static void
take_account(char *line, struct queue_limits *out)
{
	char *field[USER_FIELDS];

	cut(line, field, USER_FIELDS);
	if (*field[ACCOUNT] == '\0')
		return;
	*add(out) = (struct queue_limit){
	    .is_default = strcmp(field[ACCOUNT], field[DEFAULT_ACCOUNT]) == 0,
	    .name = xstrdup(field[ACCOUNT]),
	    .partition = xstrdup(field[PARTITION]),
	    .qos = xstrdup(field[QOS]),
	    .default_qos = xstrdup(field[DEFAULT_QOS]),
	    .max_wall = xstrdup(field[MAX_WALL]),
	    .max_jobs = xstrdup(field[MAX_JOBS]),
	    .max_submit = xstrdup(field[MAX_SUBMIT]),
	    .max_tres = xstrdup(field[MAX_TRES]),
	    .user_tres = xstrdup(field[GROUP_TRES]),
	    .group_tres = xstrdup(""),
	    .group_jobs = xstrdup(field[GROUP_JOBS]),
	    .priority = xstrdup(""),
	    .fairshare = xstrdup(field[FAIRSHARE]),
	    .flags = xstrdup(""),
	};
}

/*
 * Return whether one of the accounts, which come first in the list, may use a
 * QOS.  Sets *is_default to whether an account has it as its default.
 */
static int
is_for_user(const struct queue_limits *all, const char *qos, int *is_default)
{
	const struct queue_limit *l;
	int may = 0;
	size_t i;

	*is_default = 0;
	for (i = 0; i < all->count && !all->limit[i].is_qos; i++) {
		l = &all->limit[i];
		may |= text_lists(l->qos, qos);
		*is_default |= strcmp(l->default_qos, qos) == 0;
	}
	return may || *is_default;
}

static void
take_qos(char *line, struct queue_limits *out)
{
	char *field[QOS_FIELDS];
	int is_default;

	cut(line, field, QOS_FIELDS);
	if (!is_for_user(out, field[NAME], &is_default))
		return;
	*add(out) = (struct queue_limit){
	    .is_qos = 1,
	    .is_default = is_default,
	    .name = xstrdup(field[NAME]),
	    .partition = xstrdup(""),
	    .qos = xstrdup(""),
	    .default_qos = xstrdup(""),
	    .max_wall = xstrdup(field[WALL]),
	    .max_jobs = xstrdup(field[JOBS]),
	    .max_submit = xstrdup(field[SUBMIT]),
	    .max_tres = xstrdup(field[TRES]),
	    .user_tres = xstrdup(field[USER_TRES]),
	    .group_tres = xstrdup(field[ALL_TRES]),
	    .group_jobs = xstrdup(field[ALL_JOBS]),
	    .priority = xstrdup(field[PRIORITY]),
	    .fairshare = xstrdup(""),
	    .flags = xstrdup(field[FLAGS]),
	};
}

void
queue_limits_read(char *user, char *qos, struct queue_limits *out)
{
	char *line;

	*out = (struct queue_limits){NULL, 0};
	while ((line = strsep(&user, "\n")) != NULL)
		take_account(line, out);
	while ((line = strsep(&qos, "\n")) != NULL)
		if (*line != '\0')
			take_qos(line, out);
}

/* ---- running sacctmgr ---- */

static int
ask(const char *name, const char *cluster, int64_t deadline,
    struct proc_result *user, struct proc_result *qos, struct error *e)
{
	char *who = xasprintf("name=%s", name);
	char *where = xasprintf("cluster=%s", cluster);
	int rc;

	rc = queue_text_run((const char *const[]){"sacctmgr", "--noheader",
				"--parsable2", "show", "user", "where", who,
				where, "withassoc", user_format, NULL},
	    deadline, user, e);
	if (rc == 0)
		rc = queue_text_run(
		    (const char *const[]){"sacctmgr", "--noheader",
			"--parsable2", "show", "qos", qos_format, NULL},
		    deadline, qos, e);
	free(who);
	free(where);
	return rc;
}

int
queue_limits(const char *cluster, struct queue_limits *out, struct error *e)
{
	struct proc_result user = {0}, qos = {0};
	const struct passwd *me = getpwuid(getuid());
	int64_t ms;
	int rc;

	*out = (struct queue_limits){NULL, 0};
	if (me == NULL)
		return error_code(e, ERROR_REFUSED, "this user has no name");
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	rc = ask(me->pw_name, cluster, proc_clock() + ms, &user, &qos, e);
	if (rc == 0)
		queue_limits_read(user.out, qos.out, out);
	proc_result_free(&user);
	proc_result_free(&qos);
	return rc;
}

void
queue_limits_free(struct queue_limits *l)
{
	struct queue_limit *q;
	size_t i;

	for (i = 0; i < l->count; i++) {
		q = &l->limit[i];
		free(q->name);
		free(q->partition);
		free(q->qos);
		free(q->default_qos);
		free(q->max_wall);
		free(q->max_jobs);
		free(q->max_submit);
		free(q->max_tres);
		free(q->user_tres);
		free(q->group_tres);
		free(q->group_jobs);
		free(q->priority);
		free(q->fairshare);
		free(q->flags);
	}
	free(l->limit);
	*l = (struct queue_limits){NULL, 0};
}
