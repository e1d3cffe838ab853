#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "check/private.h"
#include "slurm/queue.h"

/* The line about a thing, which is there exactly once. */
static const struct check_line *
line_of(const struct check_lines *lines, const char *thing)
{
	const struct check_line *found = NULL;
	size_t i;

	for (i = 0; i < lines->count; i++)
		if (strcmp(lines->line[i].thing, thing) == 0) {
			if (found != NULL)
				fail_msg("%s twice: %s", thing, found->found);
			found = &lines->line[i];
		}
	return found;
}

/* remedy NULL: there is none.  word "-": there is no such line. */
static void
expect(struct check_lines *lines, const char *thing, const char *word,
    const char *found, const char *remedy)
{
	const struct check_line *line = line_of(lines, thing);

	if (strcmp(word, "-") == 0) {
		if (line != NULL)
			fail_msg("%s: %s", thing, line->found);
		check_lines_free(lines);
		return;
	}
	if (line == NULL)
		fail_msg("%s: not looked at (%s)", thing, found);
	if (strcmp(check_result_word(line->word), word) != 0 ||
	    strstr(line->found, found) == NULL)
		fail_msg("%s %s: %s, not %s: %s", check_result_word(line->word),
		    thing, line->found, word, found);
	if ((line->remedy == NULL) != (remedy == NULL) ||
	    (remedy != NULL && strstr(line->remedy, remedy) == NULL))
		fail_msg("%s: %s -> %s", thing, line->found,
		    line->remedy ? line->remedy : "nothing");
	check_lines_free(lines);
}

/* ---- Slurm ---- */

static struct queue_partition partitions[] = {
    {(char[]){"main"}, 1, 1, -1, -1, 9, 4, 4000, 0, (char[]){""}},
    {(char[]){"gpu"}, 0, 1, 1440, 60, 2, 64, 4000, 4, (char[]){"a100:4"}},
    {(char[]){"old"}, 0, 0, 60, 60, 2, 64, 4000, 8, (char[]){""}},
};

static const struct queue_cluster sound = {
    .name = (char[]){"big"},
    .version = (char[]){"22.05.8"},
    .gres_types = (char[]){"mps,gpu"},
    .max_array = 1001,
    .max_jobs = 10000,
    .min_age = 300,
    .message_timeout = 10,
    .accounting = 1,
    .partition = partitions,
    .partitions = 3,
};

static const struct {
	const char *client;  /* NULL: as slurmctld */
	const char *silence; /* of the accounting, or NULL */
	const char *version; /* and so on: NULL or 0 is that of the sound one */
	const char *gres;
	int arrays, forgets, no_gpus, no_default, all_down;
	int hides_partitions, hides_nodes;
	const char *partition;
	int gpu;
	const char *thing, *word, *found, *remedy;
} clusters[] = {
    {.thing = "slurm", .word = "ok", .found = "cluster big answers"},
    {.thing = "versions", .word = "ok", .found = "22.05.8"},
    {.client = "20.11.4", .thing = "versions", .word = "ok", .found = "20.11"},
    {.client = "", .thing = "versions", .word = "ok", .found = "unknown"},
    {.client = "23.02.1",
	.thing = "versions",
	.word = "warn",
	.found = "the commands are 23.02.1, slurmctld is 22.05.8",
	.remedy = "module"},
    {.version = "19.05.1",
	.client = "19.05.1",
	.thing = "versions",
	.word = "warn",
	.found = "tried with 20.11 to 26.05",
	.remedy = "STFM_SLURM=text"},
    {.thing = "partitions", .word = "ok", .found = "2: main (default), gpu"},
    {.all_down = 1,
	.thing = "partitions",
	.word = "fail",
	.found = "none of 3 is up",
	.remedy = "administrators"},
    {.thing = "partition", .word = "ok", .found = "main: 9 nodes"},
    {.partition = "gpu",
	.gpu = 1,
	.thing = "partition",
	.word = "ok",
	.found = "gpu: 2 nodes, at most 1-00:00:00"},
    {.partition = "gpu,main",
	.gpu = 1,
	.thing = "partition",
	.word = "ok",
	.found = "gpu"},
    {.partition = "nope",
	.thing = "partition",
	.word = "fail",
	.found = "there is no nope",
	.remedy = "sinfo"},
    {.partition = "old",
	.thing = "partition",
	.word = "fail",
	.found = "old is down",
	.remedy = "-p"},
    {.gpu = 1,
	.thing = "partition",
	.word = "fail",
	.found = "main has no GPUs",
	.remedy = "-p"},
    {.no_default = 1,
	.thing = "partition",
	.word = "warn",
	.found = "no default",
	.remedy = "-p"},
    {.thing = "gres", .word = "ok", .found = "gpu (a100:4)"},
    {.gres = "",
	.thing = "gres",
	.word = "warn",
	.found = "GresTypes is empty",
	.remedy = "--gres=none"},
    {.gres = "gpumem",
	.gpu = 1,
	.thing = "gres",
	.word = "fail",
	.found = "GresTypes is gpumem",
	.remedy = "GresTypes=gpu"},
    {.no_gpus = 1,
	.thing = "gres",
	.word = "warn",
	.found = "no partition that is up has GPUs",
	.remedy = "--gres=none"},
    {.hides_nodes = 1,
	.no_gpus = 1,
	.gpu = 1,
	.thing = "gres",
	.word = "warn",
	.found = "hides from you which nodes",
	.remedy = "which partition has GPUs"},
    {.hides_nodes = 1,
	.gres = "",
	.gpu = 1,
	.thing = "gres",
	.word = "fail",
	.found = "GresTypes is empty",
	.remedy = "GresTypes=gpu"},
    {.hides_nodes = 1,
	.no_gpus = 1,
	.gpu = 1,
	.thing = "partition",
	.word = "ok",
	.found = "main: 9 nodes"},
    {.hides_partitions = 1,
	.thing = "partitions",
	.word = "warn",
	.found = "this site hides them",
	.remedy = "-p"},
    {.hides_partitions = 1, .thing = "partition", .word = "-"},
    {.thing = "arrays", .word = "ok", .found = "at most 1001 tasks each"},
    {.arrays = 1,
	.thing = "arrays",
	.word = "ok",
	.found = "at most 1 tasks each"},
    {.arrays = -1,
	.thing = "arrays",
	.word = "fail",
	.found = "MaxArraySize is 0)",
	.remedy = "MaxArraySize"},
    {.thing = "accounting", .word = "ok", .found = "database"},
    {.silence = "Connection refused",
	.thing = "accounting",
	.word = "warn",
	.found = "does not answer: Connection refused",
	.remedy = "sacct"},
    {.forgets = 300,
	.thing = "accounting",
	.word = "warn",
	.found = "5 minutes after",
	.remedy = "stfm-watch"},
    {.forgets = 45,
	.thing = "accounting",
	.word = "warn",
	.found = "45 seconds after",
	.remedy = "LOST"},
};

static void
what_slurm_offers_is_judged(void **state)
{
	struct check_lines lines = {0};
	struct queue_partition list[3];
	struct queue_cluster c;
	struct check_wanted wanted;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof clusters / sizeof *clusters; i++) {
		memcpy(list, partitions, sizeof list);
		c = sound;
		c.partition = list;
		if (clusters[i].version != NULL)
			c.version = (char *)(uintptr_t)clusters[i].version;
		if (clusters[i].gres != NULL)
			c.gres_types = (char *)(uintptr_t)clusters[i].gres;
		if (clusters[i].arrays > 0)
			c.max_array = (uint32_t)clusters[i].arrays;
		else if (clusters[i].arrays < 0)
			c.max_array = 0;
		if (clusters[i].forgets > 0) {
			c.accounting = 0;
			c.min_age = (uint32_t)clusters[i].forgets;
		}
		c.hides_partitions = clusters[i].hides_partitions;
		c.hides_nodes = clusters[i].hides_nodes;
		if (c.hides_partitions)
			c.partitions = 0;
		for (k = 0; k < 3; k++) {
			list[k].gpus *= !clusters[i].no_gpus;
			list[k].is_default &= !clusters[i].no_default;
			list[k].up &= !clusters[i].all_down;
		}
		wanted = (struct check_wanted){
		    clusters[i].partition, clusters[i].gpu};
		check_judge_cluster(&lines, &c,
		    clusters[i].client ? clusters[i].client : c.version,
		    clusters[i].silence, &wanted);
		expect(&lines, clusters[i].thing, clusters[i].word,
		    clusters[i].found, clusters[i].remedy);
	}
}

static void
without_slurm_there_is_a_way_on(void **state)
{
	struct check_lines lines = {0};

	(void)state;
	check_judge_silence(
	    &lines, &(struct error){"no Slurm here", ERROR_NO_SLURM});
	expect(&lines, "slurm", "fail", "no Slurm here", "stfm-sandbox");
	check_judge_silence(
	    &lines, &(struct error){"slurmctld did not answer", ERROR_SILENT});
	expect(&lines, "slurm", "fail", "did not answer", "Try again");
	check_judge_silence(&lines, &(struct error){"broken", ERROR_REFUSED});
	expect(&lines, "slurm", "fail", "broken", "sinfo");
}

/* ---- the store ---- */

static const struct {
	struct check_store store;
	const char *thing, *word, *found, *remedy;
} stores[] = {
    {{"/s", "STFM_DIR", 1, NULL, "nfs", REACH_SHARED, 1L << 40, 1 << 30, 0, 0},
	"store", "ok", "/s (STFM_DIR), nfs", NULL},
    {{"/s", "the default", 0, NULL, "nfs", REACH_SHARED, 1L << 40, 1 << 30, 0,
	 0},
	"store", "ok", "will be made", NULL},
    {{"/s", "", 1, NULL, "ext4", REACH_LOCAL, 1L << 40, 1 << 30, 0, 0}, "store",
	"warn", "ext4: a disk of this machine", "STFM_DIR"},
    {{"/s", "", 1, NULL, "ext4", REACH_LOCAL, 1L << 40, 1 << 30, 0, 1}, "store",
	"ok", "ext4", NULL},
    {{"/s", "", 1, NULL, "tmpfs", REACH_MEMORY, 1L << 40, 1 << 30, 0, 0},
	"store", "warn", "in the memory of this machine", "STFM_DIR"},
    {{"/s", "", 1, "/s: not yours", NULL, REACH_SHARED, 0, 0, 0, 0}, "store",
	"fail", "/s: not yours", "STFM_DIR"},
    {{"/s", "", 1, "/s: not yours", NULL, REACH_SHARED, 0, 0, 0, 0}, "room",
	"-", NULL, NULL},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, 1L << 40, 1 << 30, 0, 0}, "room",
	"ok", "1024 GiB", NULL},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, 1L << 29, 1 << 30, 0, 0}, "room",
	"warn", "0.5 GiB", "stfm-stop --remove"},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, 1L << 40, 99, 0, 0}, "room",
	"warn", "99 more files", "files"},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, UINT64_MAX, UINT64_MAX, 0, 0},
	"room", "-", NULL, NULL},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, 1L << 40, 1 << 30, 5, 0}, "clock",
	"ok", "as that of", NULL},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, 1L << 40, 1 << 30, 60, 0},
	"clock", "warn", "60 seconds ahead of ours", "clocks"},
    {{"/s", "", 1, NULL, "nfs", REACH_SHARED, 1L << 40, 1 << 30, -7, 0},
	"clock", "warn", "7 seconds behind ours", "clocks"},
};

static void
the_store_is_judged(void **state)
{
	struct check_lines lines = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof stores / sizeof *stores; i++) {
		check_judge_store(&lines, &stores[i].store);
		expect(&lines, stores[i].thing, stores[i].word, stores[i].found,
		    stores[i].remedy);
	}
}

/* Replace the facts of a report. */
static void
set_report(struct check_report *r, const char *text)
{
	strlist_free(&r->facts);
	check_facts_take(&r->facts, text);
}

/* ---- the place, as a node sees it ---- */

#define PLACE "node=n7\ntime=1000\ndirectory=/home/me/x\n"

static const struct {
	const char *text, *directory;
	int64_t read, ahead;
	const char *thing, *word, *found, *remedy;
} places[] = {
    {PLACE, "/home/me/x", 1000, 0, "node-store", "ok", "n7 and", NULL},
    {PLACE "unlisted=1\n", "/home/me/x", 1000, 0, "node-store", "warn",
	"does not list it", "acdirmax"},
    {PLACE, "/home/me/x", 1000, 0, "node-directory", "ok", "n7 starts", NULL},
    {PLACE, "/tmp/here", 1000, 0, "node-directory", "warn",
	"starts in /home/me/x, it has no /tmp/here", "share"},
    {PLACE, NULL, 1000, 0, "node-directory", "-", NULL, NULL},
    {PLACE, NULL, 1003, 0, "node-clock", "ok", "as ours", NULL},
    {PLACE, NULL, 1060, 0, "node-clock", "warn", "60 seconds behind", "clocks"},
    {PLACE, NULL, 1000, 60, "node-clock", "warn", "60 seconds ahead", "clocks"},
    {PLACE, NULL, 1060, 60, "node-clock", "ok", "as ours", NULL},
    {"time=x\n", NULL, 1060, 60, "node-clock", "-", NULL, NULL},
};

static void
what_a_node_sees_is_judged(void **state)
{
	struct check_lines lines = {0};
	struct check_report r = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof places / sizeof *places; i++) {
		set_report(&r, places[i].text);
		r.directory = places[i].directory;
		r.read = places[i].read;
		r.ahead = places[i].ahead;
		check_judge_place(&lines, &r);
		expect(&lines, places[i].thing, places[i].word, places[i].found,
		    places[i].remedy);
	}
	strlist_free(&r.facts);
}

static const struct {
	int status;
	const char *thing, *word, *found, *remedy;
} ends[] = {
    {PROBE_NO_DIRECTORY << 8, "node-store", "fail", "n7 has no /s", "share"},
    {PROBE_OTHER_DIRECTORY << 8, "node-store", "fail", "another directory",
	"share"},
    {PROBE_NO_WRITING << 8, "node-store", "fail", "cannot write", "quota"},
    {0, "node-store", "fail", "is not seen here", "share"},
    {1 << 8, "task", "fail", "ended as FAILED on n7", "slurmd"},
    {9, "task", "fail", "ended as FAILED on n7", "slurmd"},
};

static void
a_task_without_a_report_is_judged(void **state)
{
	struct check_task t = {7, (char[]){"n7"}, NULL, 0, 0, 0};
	struct check_lines lines = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		t.exit_status = ends[i].status;
		check_judge_end(&lines, &t, "/s", "FAILED");
		expect(&lines, ends[i].thing, ends[i].word, ends[i].found,
		    ends[i].remedy);
	}
}

static void
a_task_that_waits_says_why(void **state)
{
	struct check_task t = {7, NULL, (char[]){"Priority"}, 0, 30, 0};
	struct check_lines lines = {0};

	(void)state;
	check_judge_waiting(&lines, &t);
	expect(&lines, "task", "warn",
	    "within 30 seconds, because jobs of a higher priority",
	    "--wait SECONDS");
	t.expected = 3600;
	check_judge_waiting(&lines, &t);
	expect(&lines, "task", "warn", "expects to start it in 1:00:00",
	    "see what is free");
	t.cause = NULL;
	check_judge_waiting(&lines, &t);
	expect(&lines, "task", "warn", "because", "Wait");
}

/* ---- Python and frameworks ---- */

#define PYTHON "python=3.11.7\npython.path=/v/bin/python\n"

static const struct {
	const char *text;
	const char *thing, *word, *found, *remedy;
} pythons[] = {
    {PYTHON, "python", "ok", "3.11.7, /v/bin/python", NULL},
    {PYTHON, "framework", "warn", "none of tensorflow", "stfm-check --"},
    {PYTHON "torch=2.1.0\n", "framework", "-", NULL, NULL},
    {PYTHON "torch=2.1.0\n", "torch", "ok", "2.1.0", NULL},
    {PYTHON "torch=2.1.0\n", "jax", "-", NULL, NULL},
    {PYTHON "keras=3.0\nkeras.backend=jax\n", "keras", "ok", "3.0 on jax",
	NULL},
    {PYTHON "keras=2.1\n", "keras", "ok", "2.1", NULL},
    {PYTHON "python.other=/home/me/venv\n", "python", "warn",
	"the active environment is /home/me/venv", "/home/me/venv/bin/python"},
    {"python.missing=1\n", "python", "warn", "neither", "stfm-check --"},
    {"python.command=apptainer\npython.status=2\npython.error=python: can't "
     "open file '/s/.new.check.1/probe.py'\n",
	"python", "fail", "apptainer ended with 2: python: can't", "-B"},
    {"python.command=v/python\npython.status=127\npython.error=probe.sh: 1: "
     "v/python: not found\n",
	"python", "fail", "not found", "stfm-check --"},
    {"python.command=v/python\npython.status=1\npython.error=\n", "python",
	"fail", "v/python ended with 1", "stfm-check --"},
    {"", "python", "fail", "it ended with an error", "stfm-check --"},
    {PYTHON "torch.error=ImportError: libcudnn.so.8: cannot open shared object "
	    "file: No such file or directory\n",
	"torch", "fail", "libcudnn.so.8", "cuDNN"},
    {PYTHON "torch.error=ImportError: numpy.core.multiarray failed to import\n",
	"torch", "fail", "numpy", "Reinstall"},
};

static void
python_and_frameworks_are_judged(void **state)
{
	struct check_lines lines = {0};
	struct check_report r = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pythons / sizeof *pythons; i++) {
		set_report(&r, pythons[i].text);
		check_judge_python(&lines, &r);
		expect(&lines, pythons[i].thing, pythons[i].word,
		    pythons[i].found, pythons[i].remedy);
	}
	strlist_free(&r.facts);
}

static void
what_runs_containers_is_judged(void **state)
{
	static const struct {
		const char *text, *runtime, *word, *found, *remedy;
	} table[] = {
	    {"container.apptainer=apptainer version 1.1.5\n", NULL, "ok",
		"apptainer version 1.1.5", NULL},
	    {"container.singularity=singularity-ce version 3.11.4\n",
		"singularity", "ok", "3.11.4", NULL},
	    {"container.apptainer=apptainer version 1.1.5\n", "pyxis", "fail",
		"no pyxis on that node", "--container-runtime"},
	    {"", "apptainer", "fail", "no apptainer on", "module"},
	};
	struct check_lines lines = {0};
	struct check_report r = {0};
	size_t i;

	(void)state;
	set_report(&r, "container.slurm=slurm\n");
	check_judge_container(&lines, &r);
	assert_int_equal(lines.count, 0);
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		set_report(&r, table[i].text);
		r.runtime = table[i].runtime;
		check_judge_container(&lines, &r);
		expect(&lines, "container", table[i].word, table[i].found,
		    table[i].remedy);
	}
	strlist_free(&r.facts);
}

/* ---- GPUs ---- */

#define GRANTED "visible=0\ngranted=3\n"
#define CARDS \
	"smi.cuda=12.2\n" \
	"smi.gpu=NVIDIA A100-SXM4-40GB, 535.104.05\n" \
	"smi.gpu=NVIDIA A100-SXM4-40GB, 535.104.05\n"
#define TF "tensorflow=2.15.0\ntensorflow.built=12.2\ntensorflow.cudnn=8\n"
#define TORCH "torch=2.1.0\ntorch.built=12.1\ntorch.cudnn=8902\n"
#define JAX "jax=0.4.20\njax.built=12\n"

static const struct {
	const char *text;
	int here;
	const char *thing, *word, *found, *remedy;
} gpus[] = {
    /* granted */
    {GRANTED CARDS, 0, "gpu-granted", "ok",
	"Slurm granted 3, CUDA_VISIBLE_DEVICES is 0", NULL},
    {"visible=unset\ngranted=\n", 0, "gpu-granted", "fail",
	"Slurm granted none", "--gres=gpu:1"},
    {"visible=unset\ngranted=\n", 1, "gpu-granted", "-", NULL, NULL},
    {"visible=unset\ngranted=2\n", 0, "gpu-granted", "ok", "Slurm granted 2",
	NULL},
    {"visible=\ngranted=\n", 0, "gpu-granted", "fail",
	"CUDA_VISIBLE_DEVICES is ''", "--gres=gpu:1"},
    {"visible=\ngranted=1\n", 0, "gpu-granted", "fail",
	"CUDA_VISIBLE_DEVICES is ''", "startup files"},
    {"visible=-1\ngranted=1\n", 1, "gpu-granted", "fail", "is '-1'",
	"startup files"},
    {"visible=NoDevFiles\ngranted=\n", 0, "gpu-granted", "fail", "NoDevFiles",
	"--gres=gpu:1"},
    /* the driver */
    {GRANTED CARDS, 0, "gpu-driver", "ok",
	"2 x NVIDIA A100-SXM4-40GB, driver 535.104.05, for CUDA up to 12.2",
	NULL},
    {GRANTED "smi.missing=1\n", 0, "gpu-driver", "warn", "no nvidia-smi",
	"--nv"},
    {GRANTED "smi.cuda=12.2\n", 0, "gpu-driver", "fail", "lists no GPU",
	"--gres=gpu:1"},
    {GRANTED "smi.error=Failed to initialize NVML: Driver/library version "
	     "mismatch\n",
	0, "gpu-driver", "fail", "was renewed while it was in use", "-x"},
    {GRANTED "smi.error=NVIDIA-SMI has failed because it couldn't communicate "
	     "with the NVIDIA driver. Make sure that\n",
	0, "gpu-driver", "fail", "is not loaded", "-x"},
    {GRANTED "smi.error=No devices were found\n", 0, "gpu-driver", "fail",
	"the driver shows no GPU", "--gres=gpu:1"},
    {GRANTED "smi.error=Something else\n", 0, "gpu-driver", "fail",
	"nvidia-smi fails: Something else", "administrators"},
    /* seen */
    {GRANTED CARDS TF "tensorflow.gpus=1\n", 0, "tensorflow-gpu", "ok",
	"sees 1, and computes; built for CUDA 12.2, cuDNN 8", NULL},
    {GRANTED CARDS TORCH "torch.gpus=2\n", 0, "torch-gpu", "ok",
	"sees 2, and computes", NULL},
    {GRANTED CARDS JAX "jax.gpus=1\n", 0, "jax-gpu", "ok", "built for CUDA 12",
	NULL},
    {GRANTED CARDS, 0, "torch-gpu", "-", NULL, NULL},
    {GRANTED CARDS "torch.error=ImportError: no\n", 0, "torch-gpu", "-", NULL,
	NULL},
    /* built without */
    {GRANTED CARDS
	"tensorflow=2.15.0\ntensorflow.built=none\ntensorflow.gpus=0\n",
	0, "tensorflow-gpu", "fail", "2.15.0 was built without GPUs",
	"tensorflow[and-cuda]"},
    {GRANTED CARDS "torch=2.1+cpu\ntorch.built=none\ntorch.gpus=0\n", 0,
	"torch-gpu", "fail", "built without GPUs", "pytorch.org"},
    {GRANTED CARDS "jax=0.4\njax.built=none\njax.gpus=0\n", 0, "jax-gpu",
	"fail", "built without GPUs", "jax[cuda12]"},
    /* the driver is older */
    {GRANTED "smi.cuda=11.4\nsmi.gpu=A, 470.57\n" TORCH "torch.gpus=0\n", 0,
	"torch-gpu", "fail", "built for CUDA 12.1, and the driver", "older"},
    {GRANTED CARDS "torch=2\ntorch.built=12.8\ntorch.gpus=0\ntorch.log=The "
		   "NVIDIA driver on your system is too old (found 12020)\n",
	0, "torch-gpu", "fail", "the driver of the node is too old", "older"},
    /* a library is missing, or another one */
    {GRANTED CARDS TF
	"tensorflow.gpus=0\ntensorflow.log=W dso_loader.cc:64] Could not load "
	"dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
	"shared object file\n",
	0, "tensorflow-gpu", "fail", "a library of cuDNN is missing",
	"Install the cuDNN"},
    {GRANTED CARDS TF "tensorflow.gpus=0\ntensorflow.log=W gpu_device.cc:2256] "
		      "Cannot dlopen some GPU libraries. Please make sure\n",
	0, "tensorflow-gpu", "fail", "libraries of CUDA are missing", "module"},
    {GRANTED CARDS TF
	"tensorflow.gpus=1\ntensorflow.log=E cuda_dnn.cc:417] Loaded runtime "
	"CuDNN library: 8.0.5 but source was compiled with: 8.6.0.\n"
	"tensorflow.error=UnimplementedError: DNN library is not found.\n",
	0, "tensorflow-gpu", "fail", "it was built with another cuDNN",
	"cuDNN"},
    {GRANTED CARDS TORCH
	"torch.gpus=1\ntorch.error=RuntimeError: CUDA error: no kernel image "
	"is available for execution on the device\n",
	0, "torch-gpu", "fail", "not built for GPUs of this generation",
	"newer"},
    {GRANTED CARDS TORCH "torch.gpus=1\ntorch.error=something new\n", 0,
	"torch-gpu", "fail", "sees 1, and cannot compute: something new",
	"module"},
    /* none to see */
    {"visible=unset\ngranted=\n" CARDS TORCH "torch.gpus=0\n", 0, "torch-gpu",
	"fail", "as none was granted", NULL},
    {GRANTED CARDS TF
	"tensorflow.gpus=0\ntensorflow.log=E cuda_driver.cc:266] failed call "
	"to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n",
	0, "tensorflow-gpu", "fail", "the driver shows no GPU", "--gres=gpu:1"},
    {GRANTED CARDS TORCH "torch.gpus=0\n", 0, "torch-gpu", "fail",
	"does not say why", "srun"},
    {GRANTED CARDS JAX "jax.error=took more than 240 seconds\n", 0, "jax-gpu",
	"fail", "took more than 240 seconds", "srun"},
    /* another's trouble is not its own */
    {GRANTED CARDS TORCH
	"torch.gpus=0\ntensorflow.log=Cannot dlopen some GPU libraries\n",
	0, "torch-gpu", "fail", "does not say why", "srun"},
};

static void
gpus_are_judged(void **state)
{
	struct check_lines lines = {0};
	struct check_report r = {.gpu = 1};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof gpus / sizeof *gpus; i++) {
		set_report(&r, gpus[i].text);
		r.here = gpus[i].here;
		check_judge_gpu(&lines, &r);
		expect(&lines, gpus[i].thing, gpus[i].word, gpus[i].found,
		    gpus[i].remedy);
	}
	strlist_free(&r.facts);
}

static void
gpus_that_nobody_saw_fail(void **state)
{
	struct check_lines lines = {0};
	struct check_report r = {.gpu = 1};

	(void)state;
	set_report(&r, GRANTED "smi.missing=1\n");
	check_judge_gpu(&lines, &r);
	check_judge_unverified(&lines);
	expect(&lines, "gpu", "fail", "no framework was seen", "-- venv/bin");
	set_report(&r, GRANTED CARDS);
	check_judge_gpu(&lines, &r);
	check_judge_unverified(&lines);
	expect(&lines, "gpu", "fail", "no framework was seen", "venv");
	set_report(&r, GRANTED "smi.missing=1\n" TORCH "torch.gpus=2\n");
	check_judge_gpu(&lines, &r);
	check_judge_unverified(&lines);
	expect(&lines, "gpu", "-", NULL, NULL);
	strlist_free(&r.facts);
}

static void
a_fact_is_found_by_its_whole_name(void **state)
{
	struct check_report r = {0};

	(void)state;
	set_report(&r, "a.b=1\na=2\nb=\nc=x=y");
	assert_string_equal(check_fact(&r, "a", NULL), "2");
	assert_string_equal(check_fact(&r, "a", "b"), "1");
	assert_string_equal(check_fact(&r, "b", NULL), "");
	assert_string_equal(check_fact(&r, "c", NULL), "x=y");
	assert_null(check_fact(&r, "d", NULL));
	set_report(&r, "");
	assert_null(check_fact(&r, "a", NULL));
	strlist_free(&r.facts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_slurm_offers_is_judged),
	    cmocka_unit_test(without_slurm_there_is_a_way_on),
	    cmocka_unit_test(the_store_is_judged),
	    cmocka_unit_test(what_a_node_sees_is_judged),
	    cmocka_unit_test(a_task_without_a_report_is_judged),
	    cmocka_unit_test(a_task_that_waits_says_why),
	    cmocka_unit_test(python_and_frameworks_are_judged),
	    cmocka_unit_test(what_runs_containers_is_judged),
	    cmocka_unit_test(gpus_are_judged),
	    cmocka_unit_test(gpus_that_nobody_saw_fail),
	    cmocka_unit_test(a_fact_is_found_by_its_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
