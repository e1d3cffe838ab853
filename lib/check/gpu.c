/*
 * Lines about GPUs: granted by Slurm, usable by the driver, seen by the
 * frameworks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "check/private.h"

/* The frameworks, and how to install a build with GPU support. */
static const struct framework {
	const char *name, *line, *install;
} frameworks[] = {
    {"tensorflow", "tensorflow-gpu",
	"Install one for GPUs: pip install 'tensorflow[and-cuda]', not "
	"tensorflow-cpu"},
    {"torch", "torch-gpu",
	"Install one for GPUs, as pytorch.org says for your CUDA"},
    {"jax", "jax-gpu", "Install one for GPUs: pip install 'jax[cuda12]'"},
};

enum { FRAMEWORKS = sizeof frameworks / sizeof *frameworks };

static const char match_driver[] =
    "Install a build of it for an older CUDA (what nvidia-smi names, or "
    "less), or go to nodes with a newer driver";
static const char match_cudnn[] =
    "Install the cuDNN that this release of it was built with, in the same "
    "environment, and keep others out of LD_LIBRARY_PATH";
static const char match_cuda[] =
    "Load the site's module for the CUDA that it was built for, or install "
    "its libraries with it (tensorflow[and-cuda], jax[cuda12])";

static const char by_hand[] =
    "Import it in a task by hand, and read what it says: srun --pty";

/* Messages of drivers and frameworks, the most informative first. */
static const struct check_sign signs[] = {
    {"Driver/library version mismatch",
	"the driver of the node was renewed while it was in use",
	"The node has to be rebooted: ask your administrators, and avoid it "
	"with -x"},
    {"does not match DSO version",
	"the driver in the kernel and its library are of two releases",
	"The node has to be rebooted: ask your administrators, and avoid it "
	"with -x"},
    {"driver on your system is too old", "the driver of the node is too old",
	match_driver},
    {"driver version is insufficient", "the driver of the node is too old",
	match_driver},
    {"forward compatibility was attempted",
	"libraries of a newer driver are in the way",
	"Take the compat directory of CUDA out of LD_LIBRARY_PATH"},
    {"libcudnn", "a library of cuDNN is missing", match_cudnn},
    {"but source was compiled with", "it was built with another cuDNN",
	match_cudnn},
    {"Unable to load cuDNN", "a library of cuDNN is missing", match_cudnn},
    {"CUDNN_STATUS", "cuDNN does not work", match_cudnn},
    {"Could not load dynamic library", "a library of CUDA is missing",
	match_cuda},
    {"Cannot dlopen some GPU libraries", "libraries of CUDA are missing",
	match_cuda},
    {"cannot open shared object file", "a library is missing", match_cuda},
    {"no kernel image is available",
	"it was not built for GPUs of this generation",
	"Install a newer release of it, or ask for another type of GPU"},
    {"is not compatible with the current PyTorch",
	"it was not built for GPUs of this generation",
	"Install a newer release of it, or ask for another type of GPU"},
    {"libdevice not found", "it does not find CUDA's libdevice",
	"Say where CUDA is: XLA_FLAGS=--xla_gpu_cuda_data_dir=$CUDA_HOME"},
    {"CUDA-enabled jaxlib is not installed", "it was built without GPUs",
	"Install one for GPUs: pip install 'jax[cuda12]'"},
    {"not compiled with CUDA enabled", "it was built without GPUs",
	"Install one for GPUs, as pytorch.org says for your CUDA"},
    {"out of memory", "another process uses the memory of this GPU",
	"Ask for a whole GPU, or avoid the node with -x"},
    {"couldn't communicate with the NVIDIA driver",
	"the driver of the node is not loaded",
	"Ask your administrators, and avoid the node with -x"},
    {"Unable to determine the device handle", "a GPU of the node has failed",
	"Ask your administrators, and avoid the node with -x"},
    {"no NVIDIA driver on your system", "there is no driver on the node",
	"Ask for a node with GPUs (-p); in a container: apptainer --nv"},
    {"Could not find cuda drivers", "there is no driver on the node",
	"Ask for a node with GPUs (-p); in a container: apptainer --nv"},
    {"UNKNOWN ERROR (303)", "there is no driver on the node",
	"Ask for a node with GPUs (-p); in a container: apptainer --nv"},
    {"No devices were found", "the driver shows no GPU",
	"Ask for one: --gres=gpu:1"},
    {"CUDA_ERROR_NO_DEVICE", "the driver shows no GPU",
	"Ask for one: --gres=gpu:1"},
    {"no CUDA-capable device", "the driver shows no GPU",
	"Ask for one: --gres=gpu:1"},
};

const struct check_sign *
check_sign(const char *text)
{
	size_t i;

	for (i = 0; text != NULL && i < sizeof signs / sizeof *signs; i++)
		if (strstr(text, signs[i].sign) != NULL)
			return &signs[i];
	return NULL;
}

/* ---- GPUs granted by Slurm ---- */

/* Add a line on the granted GPUs.  Returns whether the task may see a GPU. */
static int
judge_granted(struct check_lines *lines, const struct check_report *r)
{
	static const char *const none[] = {"", "-1", "NoDevFiles"};
	const char *visible = check_fact(r, "visible", NULL);
	const char *granted = check_fact(r, "granted", NULL);
	int is_set = visible != NULL && strcmp(visible, "unset") != 0;
	int has = granted != NULL && *granted != '\0';

	if (is_set && text_among(visible, none, 3) != -1) {
		check_add(lines, CHECK_FAIL, "gpu-granted",
		    has ? "Something in the environment of the job empties it: "
			  "look for it in your startup files"
			: "Ask for one: --gres=gpu:1",
		    "CUDA_VISIBLE_DEVICES is '%s': GPUs are hidden", visible);
		return 0;
	}
	if (!r->here && !is_set && !has) {
		check_add(lines, CHECK_FAIL, "gpu-granted",
		    "Ask for one: --gres=gpu:1, here and to stfm-submit",
		    "Slurm granted none");
		return 0;
	}
	if (!r->here)
		check_add(lines, CHECK_OK, "gpu-granted", NULL,
		    "Slurm granted %s%s%s", has ? granted : "some",
		    is_set ? ", CUDA_VISIBLE_DEVICES is " : "",
		    is_set ? visible : "");
	return 1;
}

/* ---- the driver ---- */

/*
 * Return "2 x NVIDIA A100, driver 535.104.05" from nvidia-smi, to free; or
 * NULL.
 */
static char *
cards(const struct check_report *r)
{
	const char *first = check_fact(r, "smi", "gpu");
	size_t n = 0, length, i;

	if (first == NULL)
		return NULL;
	for (i = 0; i < r->facts.count; i++)
		n += text_begins(r->facts.word[i], "smi.gpu=");
	length = strcspn(first, ",");
	return xasprintf("%zu x %.*s, driver%s", n, (int)length, first,
	    first[length] != '\0' ? first + length + 1 : " unknown");
}

static void
judge_driver(struct check_lines *lines, const struct check_report *r)
{
	const char *error = check_fact(r, "smi", "error");
	const char *cuda = check_fact(r, "smi", "cuda");
	const struct check_sign *sign = check_sign(error);
	char *names = cards(r);

	if (check_fact(r, "smi", "missing") != NULL)
		check_add(lines, CHECK_WARN, "gpu-driver",
		    "Ask for a node with GPUs (-p); in a container: "
		    "apptainer --nv",
		    "there is no nvidia-smi: no driver of NVIDIA");
	else if (error != NULL)
		check_add(lines, CHECK_FAIL, "gpu-driver",
		    sign != NULL ? sign->remedy : "Ask your administrators",
		    "%s%s%s", sign != NULL ? sign->means : "nvidia-smi fails",
		    *error != '\0' ? ": " : "", error);
	else if (names == NULL)
		check_add(lines, CHECK_FAIL, "gpu-driver",
		    "Ask for one: --gres=gpu:1", "nvidia-smi lists no GPU");
	else
		check_add(lines, CHECK_OK, "gpu-driver", NULL,
		    "%s, for CUDA up to %s", names,
		    cuda != NULL ? cuda : "an unknown one");
	free(names);
}

/* ---- GPUs seen by the frameworks ---- */

/* Return the sign in the messages of a framework, or NULL. */
static const struct check_sign *
sign_of(const struct check_report *r, const char *name)
{
	const struct check_sign *sign;
	char *text = NULL, *line;
	size_t n = strlen(name), length, i;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < r->facts.count; i++) {
		line = r->facts.word[i];
		if (text_begins(line, name) &&
		    (text_begins(line + n, ".log=") ||
			text_begins(line + n, ".error=")))
			fprintf(out, "%s\n", line);
	}
	xmemclose(out);
	sign = check_sign(text);
	free(text);
	return sign;
}

/* Add a line on a framework that works, but sees no GPU. */
static void
judge_blind(struct check_lines *lines, const struct check_report *r,
    const struct framework *f, int granted)
{
	const struct check_sign *sign = sign_of(r, f->name);
	const char *built = check_fact(r, f->name, "built");
	const char *error = check_fact(r, f->name, "error");
	const char *driver = check_fact(r, "smi", "cuda");

	if (built != NULL && strcmp(built, "none") == 0)
		check_add(lines, CHECK_FAIL, f->line, f->install,
		    "%s was built without GPUs", check_fact(r, f->name, NULL));
	/* Minor releases of the same CUDA version are compatible. */
	else if (driver != NULL && built != NULL &&
	    strtol(built, NULL, 10) > strtol(driver, NULL, 10))
		check_add(lines, CHECK_FAIL, f->line, match_driver,
		    "sees none: it was built for CUDA %s, and the driver of "
		    "the node goes up to %s",
		    built, driver);
	else if (!granted)
		check_add(lines, CHECK_FAIL, f->line, NULL,
		    "sees none, as none was granted");
	else if (sign != NULL)
		check_add(lines, CHECK_FAIL, f->line, sign->remedy,
		    "sees none: %s", sign->means);
	else if (error != NULL)
		check_add(lines, CHECK_FAIL, f->line, by_hand, "%s", error);
	else
		check_add(lines, CHECK_FAIL, f->line, by_hand,
		    "sees none, and does not say why");
}

static void
judge_seen(struct check_lines *lines, const struct check_report *r,
    const struct framework *f, const char *gpus)
{
	const struct check_sign *sign = sign_of(r, f->name);
	const char *built = check_fact(r, f->name, "built");
	const char *cudnn = check_fact(r, f->name, "cudnn");
	const char *error = check_fact(r, f->name, "error");

	if (error == NULL)
		check_add(lines, CHECK_OK, f->line, NULL,
		    "sees %s, and computes; built for CUDA %s%s%s", gpus,
		    built ? built : "?", cudnn && *cudnn ? ", cuDNN " : "",
		    cudnn ? cudnn : "");
	else
		check_add(lines, CHECK_FAIL, f->line,
		    sign != NULL ? sign->remedy : match_cuda,
		    "sees %s, and cannot compute: %s%s%s", gpus,
		    sign != NULL ? sign->means : "", sign != NULL ? ": " : "",
		    error);
}

void
check_judge_gpu(struct check_lines *lines, const struct check_report *r)
{
	int granted = judge_granted(lines, r);
	const struct framework *f;
	const char *gpus;

	judge_driver(lines, r);
	for (f = frameworks; f < frameworks + FRAMEWORKS; f++) {
		if (check_fact(r, f->name, NULL) == NULL)
			continue;
		gpus = check_fact(r, f->name, "gpus");
		if (gpus != NULL && strcmp(gpus, "0") != 0)
			judge_seen(lines, r, f, gpus);
		else if (gpus != NULL ||
		    check_fact(r, f->name, "error") != NULL)
			judge_blind(lines, r, f, granted);
	}
}

void
check_judge_unverified(struct check_lines *lines)
{
	size_t i, k;

	for (i = 0; i < lines->count; i++)
		for (k = 0; k < FRAMEWORKS; k++)
			if (lines->line[i].word == CHECK_OK &&
			    strcmp(lines->line[i].thing, frameworks[k].line) ==
				0)
				return;
	check_add(lines, CHECK_FAIL, "gpu",
	    "Name the Python of the training: stfm-check --gpu -- "
	    "venv/bin/python",
	    "no framework was seen to compute on a GPU");
}
