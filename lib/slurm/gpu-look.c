#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/idset.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/gpu-look.h"
#include "slurm/private.h"
#include "slurm/step.h"
#include "slurm/text.h"

/*
 * Limits for the start of the step, for the whole look, and for Slurm to end a
 * step that hangs.
 */
enum { BEGIN_SECONDS = 20, ALL_MS = 60000, STEP_MINUTES = 1 };

/* The lines of a complete list of processes; a step may have just ended. */
#define LISTED "^(PID .*|-?[0-9]+ .*|.* does not exist on this node\\.)$"

/*
 * The script that the step runs with a shell; its argument is the node.  A
 * process can have any name, so the script never uses names to tell lines
 * apart.  It looks at the GPUs again at the end: a process id may have passed
 * to another process in the meantime.
 */
static const char script[] =
    "exec 2>/dev/null\n"
    "export LC_ALL=C\n"
    "smi() { timeout 10 nvidia-smi \"$1\" --format=csv,noheader,nounits; }\n"
    "apps() { smi --query-compute-apps=gpu_uuid,pid,used_memory; }\n"
    "put() { sed \"s/^/$1 /\"; }\n"
    "see() {\n"
    "	p=$1 n=0\n"
    "	while [ \"${p:-0}\" -gt 0 ] && [ $n -lt 50 ]; do\n"
    "		s=$(grep -E '^(Name|PPid|Uid):' /proc/$p/status) || return\n"
    "		printf 'process %s\\n%s\\n' $p \"$s\"\n"
    "		put group </proc/$p/cgroup\n"
    "		tr '\\0\\n\\t\\r' '    ' </proc/$p/cmdline |\n"
    "			cut -c 1-300 | put command\n"
    "		echo\n"
    "		tr '\\0\\n' '\\n ' </proc/$p/environ | awk -F= '\n"
    "			/^SLURM_JOB_ID=[0-9]+$/ { job = $2 }\n"
    "			/^PATH=/ { path = 1 }\n"
    "			!/^[^= ]+=/ { bad = 1 }\n"
    "			END {\n"
    "				if (job) print \"environ\", job\n"
    "				else if (path && !bad) print \"environ none\"\n"
    "			}'\n"
    "		p=$(printf '%s\\n' \"$s\" | awk '/^PPid:/ { print $2 }')\n"
    "		n=$((n + 1))\n"
    "	done\n"
    "}\n"
    "if ! command -v nvidia-smi >/dev/null; then\n"
    "	echo none; exit 0\n"
    "fi\n"
    "gpus=$(smi --query-gpu=index,uuid,utilization.gpu,memory.used,"
    "memory.total) &&\n"
    "	first=$(apps) || { echo broken; exit 0; }\n"
    "printf '%s\\n' \"$gpus\" | put gpu\n"
    "printf '%s\\n' \"$first\" | put use\n"
    "timeout 10 nvidia-smi -q | awk '\n"
    "	/GPU UUID/ { uuid = $NF }\n"
    "	/Minor Number/ { print \"minor\", uuid, $NF }'\n"
    "gres() { timeout 10 slurmd \"$@\" -G 2>&1; }\n"
    "PATH=$PATH:/usr/local/sbin:/usr/sbin\n"
    "PATH=$PATH:$(dirname \"$(command -v scontrol)\")/../sbin\n"
    "{ gres -N \"$1\" || gres; } | sed -n 's/^.*Gres Name=gpu /gres /p'\n"
    "echo self $$ $SLURM_JOB_ID\n"
    "see $$\n"
    "for pid in $(printf '%s\\n' \"$first\" |\n"
    "	awk -F, '$2 + 0 > 0 { print $2 + 0 }' | sort -un); do\n"
    "	see $pid\n"
    "done\n"
    "listed() {\n"
    "	pids=$(timeout 5 scontrol listpids '*' \"$1\" 2>&1)\n"
    "	[ $? -le 1 ] || return\n"
    "	printf '%s\\n' \"$pids\" | grep -qvE '" LISTED "' && return 1\n"
    "	printf '%s\\n' \"$pids\" | put listed\n"
    "}\n"
    "listed \"$1\" || { sleep 1; listed \"$1\"; }\n"
    "again=$(apps) || exit 0\n"
    "printf '%s\\n' \"$again\" | put again\n"
    "echo end\n";

char *
queue_look(int64_t job, const char *node, struct error *e)
{
	struct queue_step step = {.job = (uint32_t)job,
	    .nodes = node,
	    .count = 1,
	    .name = "stfm-nodes",
	    .minutes = STEP_MINUTES,
	    .seconds = BEGIN_SECONDS};
	struct strlist words = {0};
	char *out;

	strlist_push(&words, "/bin/sh");
	strlist_push(&words, "-c");
	strlist_push(&words, script);
	strlist_push(&words, "sh");
	strlist_push(&words, node);
	queue_step_words(&step, &words);
	out = queue_step_output(&words, ALL_MS, e);
	strlist_free(&words);
	return out;
}

/* ---- the GPUs of a job ---- */

/* Add the GPUs of "gpu:a100:2(IDX:0-1)".  Returns 0, or -1 for other text. */
static int
add_gpus(const char *text, size_t length, struct queue_held *out)
{
	const char *at = memmem(text, length, "(IDX:", 5);
	struct idset some = {0};
	struct idset_walk walk = {0};
	uint64_t index;
	char *list;
	int rc;

	if (strncmp(text, "gpu:", 4) != 0 || at == NULL)
		return -1;
	list = xstrndup(at + 5, strcspn(at + 5, ")"));
	rc = idset_parse(&some, list, NULL);
	while (rc == 0 && idset_next(&some, &walk, &index)) {
		if (index >= QUEUE_HELD) {
			rc = -1;
			break;
		}
		out->has[index] = 1;
		out->count++;
	}
	idset_free(&some);
	free(list);
	return rc;
}

/*
 * Return the length of the first item of a list; commas in parentheses belong
 * to the item.
 */
static size_t
length_of(const char *gres)
{
	size_t n;
	int inside = 0;

	for (n = 0; gres[n] != '\0' && gres[n] != ' '; n++) {
		inside += (gres[n] == '(') - (gres[n] == ')');
		if (gres[n] == ',' && inside == 0)
			break;
	}
	return n;
}

/*
 * Read a line such as " Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:0)".
 * Returns 1, 0 if it is not about node, or -1 on failure.
 */
static int
read_nodes(const char *line, const char *node, struct queue_held *out)
{
	const char *gres = strstr(line, " GRES=");
	char *list = queue_text_value(line, "Nodes");
	struct strlist names = {0};
	size_t length;
	int there;

	there = hostlist_expand(list, &names, NULL) == 0 &&
	    strlist_have(&names, node);
	strlist_free(&names);
	free(list);
	if (!there)
		return 0;
	if (gres == NULL)
		return -1;
	for (gres += 6; *gres != '\0' && *gres != ' ';
	     gres += length + (gres[length] == ',')) {
		length = length_of(gres);
		if (add_gpus(gres, length, out) == -1)
			return -1;
	}
	return 1;
}

/* Return the seconds of "1-02:03:04" or "02:03:04"; -1 for any other text. */
static int64_t
read_span(const char *text)
{
	int days = 0, hours, minutes, seconds;

	if (sscanf(text, "%d-%d:%d:%d", &days, &hours, &minutes, &seconds) !=
	    4) {
		days = 0;
		if (sscanf(text, "%d:%d:%d", &hours, &minutes, &seconds) != 3)
			return -1;
	}
	return (((int64_t)days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/*
 * Return whether a line of a job's record says that it shares its nodes with
 * other jobs, but not their CPUs.  Slurm 26.05 has the second form.
 */
static int
shares_nodes(const char *line)
{
	return text_begins(line, "   OverSubscribe=OK ") ||
	    text_begins(line, "   OverSubscribe=NO Exclusive=NO ");
}

/* Read the record of one job.  Returns 0, or -1 if the GPUs are not certain. */
static int
read_job(char *text, const char *node, struct queue_held *out)
{
	char *line, *rest = text;
	int runs = 0, shares = 0, told = 0, got;

	while (told != -1 && (line = strsep(&rest, "\n")) != NULL &&
	    *line != '\0') {
		runs |= strncmp(line, "   JobState=RUNNING ", 20) == 0;
		shares |= shares_nodes(line);
		if (strncmp(line, "   RunTime=", 11) == 0) {
			out->seconds = read_span(line + 11);
		} else if (strncmp(line, "     Nodes=", 11) == 0) {
			got = read_nodes(line, node, out);
			told = got == -1 ? -1 : told + got;
		}
	}
	return runs && shares && told == 1 ? 0 : -1;
}

int
queue_held(int64_t job, const char *node, struct queue_held *out)
{
	char *id = xasprintf("%" PRId64, job);
	char *head = xasprintf("JobId=%" PRId64 " ", job), *at = NULL;
	struct proc_result r = {0};
	int64_t ms;
	int rc = -1;

	*out = (struct queue_held){.seconds = -1};
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, NULL) ==
		0 &&
	    queue_text_run((const char *const[]){"scontrol", "--details",
			       "show", "job", id, NULL},
		proc_clock() + ms, &r, NULL) == 0)
		at = strstr(r.out, head);
	if (at != NULL && (at == r.out || at[-1] == '\n'))
		rc = read_job(at, node, out);
	proc_result_free(&r);
	free(head);
	free(id);
	return rc;
}

int
queue_shows_jobs(void)
{
	static const char sign[] = "\nPrivateData ";
	struct proc_result r = {0};
	const char *at = NULL;
	int shows = -1;
	int64_t ms;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, NULL) ==
		0 &&
	    queue_text_run(
		(const char *const[]){"scontrol", "show", "config", NULL},
		proc_clock() + ms, &r, NULL) == 0)
		at = strstr(r.out, sign);
	if (at != NULL) {
		at += strlen(sign);
		at += strspn(at, " =");
		shows = strncmp(at, "none\n", 5) == 0 ||
		    memmem(at, strcspn(at, "\n"), "jobs", 4) == NULL;
	}
	proc_result_free(&r);
	return shows;
}
