#include <string.h>

#include "queue-look.h"
#include "queue-own.h"
#include "queue-step.h"
#include "queue-text.h"

/* For the step to begin, for all of it, and until Slurm ends what hangs. */
enum { BEGIN_SECONDS = 20, ALL_MS = 60000, STEP_MINUTES = 1 };

/* What a whole list of processes is made of; a step may just have ended. */
#define LISTED "^(PID .*|-?[0-9]+ .*|.* does not exist on this node\\.)$"

/*
 * What a shell on the node runs; its argument is the node.  A process may call
 * itself anything, so that no name is asked for where lines are told apart.
 * GPUs are looked at again in the end: a number may have become another
 * process in the meantime.
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
	struct words words = {0};
	char *out;

	words_push(&words, "/bin/sh");
	words_push(&words, "-c");
	words_push(&words, script);
	words_push(&words, "sh");
	words_push(&words, node);
	queue_step_words(&step, &words);
	out = queue_step_output(&words, ALL_MS, e);
	words_free(&words);
	return out;
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
