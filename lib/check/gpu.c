/* The GPUs: granted, driven, and seen by the frameworks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "check/private.h"

static const char *const frameworks[] = {"tensorflow", "torch", "jax"};

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

/* What drivers and frameworks say, the most telling first. */
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
    {"out of memory", "somebody else uses the memory of this GPU",
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

/* The lines in which a framework speaks, with what went wrong; to free. */
static char *
voice(const char *text, const char *name)
{
	size_t n = strlen(name), length, end;
	char *out = NULL;
	FILE *f = xmemopen(&out, &length);

	for (; *text != '\0'; text += end + (text[end] == '\n')) {
		end = strcspn(text, "\n");
		if (strncmp(text, name, n) == 0 &&
		    (strncmp(text + n, ".log=", 5) == 0 ||
			strncmp(text + n, ".error=", 7) == 0))
			fprintf(f, "%.*s\n", (int)end, text);
	}
	xmemclose(f);
	return out;
}

static char *
fact_of(const char *text, const char *name, const char *what)
{
	char *key = xasprintf("%s.%s", name, what);
	char *value = check_cluster_fact(text, key);

	free(key);
	return value;
}

/* ---- granted ---- */

static int
shows_none(const char *visible)
{
	return strcmp(visible, "") == 0 || strcmp(visible, "-1") == 0 ||
	    strcmp(visible, "NoDevFiles") == 0;
}

/* Whether there may be one to see. */
static int
judge_granted(struct check_lines *lines, const struct check_report *r)
{
	char *visible = check_cluster_fact(r->text, "visible");
	char *granted = check_cluster_fact(r->text, "granted");
	int is_set = visible != NULL && strcmp(visible, "unset") != 0;
	int has = granted != NULL && *granted != '\0', seen = 1;

	if (is_set && shows_none(visible)) {
		check_add(lines, CHECK_FAIL, "gpu-granted",
		    has ? "Something in the environment of the job empties it: "
			  "look for it in your startup files"
			: "Ask for one: --gres=gpu:1",
		    "CUDA_VISIBLE_DEVICES is '%s': GPUs are hidden", visible);
		seen = 0;
	} else if (!r->here && !is_set && !has) {
		check_add(lines, CHECK_FAIL, "gpu-granted",
		    "Ask for one: --gres=gpu:1, here and to stfm-submit",
		    "Slurm granted none");
		seen = 0;
	} else if (!r->here) {
		check_add(lines, CHECK_OK, "gpu-granted", NULL,
		    "Slurm granted %s%s%s", has ? granted : "some",
		    is_set ? ", CUDA_VISIBLE_DEVICES is " : "",
		    is_set ? visible : "");
	}
	free(visible);
	free(granted);
	return seen;
}

/* ---- the driver ---- */

/* The name, driver and number of "NVIDIA A100, 535.104.05", to free. */
static char *
cards(const char *text)
{
	static const char key[] = "smi.gpu=";
	const char *at = text, *first = NULL;
	size_t n = 0, length;
	char *name, *out;

	while ((at = strstr(at, key)) != NULL) {
		if (n++ == 0)
			first = at + sizeof key - 1;
		at++;
	}
	if (n == 0)
		return NULL;
	name = xstrndup(first, strcspn(first, "\n"));
	length = strcspn(name, ",");
	out = xasprintf("%zu x %.*s, driver%s", n, (int)length, name,
	    name[length] != '\0' ? name + length + 1 : " unknown");
	free(name);
	return out;
}

static void
judge_failed_smi(struct check_lines *lines, const char *error)
{
	const struct check_sign *sign = check_sign(error);

	check_add(lines, CHECK_FAIL, "gpu-driver",
	    sign != NULL ? sign->remedy : "Ask your administrators", "%s%s%s",
	    sign != NULL ? sign->means : "nvidia-smi fails",
	    *error != '\0' ? ": " : "", error);
}

static void
judge_driver(struct check_lines *lines, const struct check_report *r)
{
	char *missing = check_cluster_fact(r->text, "smi.missing");
	char *error = check_cluster_fact(r->text, "smi.error");
	char *cuda = check_cluster_fact(r->text, "smi.cuda");
	char *names = cards(r->text);

	if (missing != NULL)
		check_add(lines, CHECK_WARN, "gpu-driver",
		    "Ask for a node with GPUs (-p); in a container: "
		    "apptainer --nv",
		    "there is no nvidia-smi: no driver of NVIDIA");
	else if (error != NULL)
		judge_failed_smi(lines, error);
	else if (names == NULL)
		check_add(lines, CHECK_FAIL, "gpu-driver",
		    "Ask for one: --gres=gpu:1", "nvidia-smi lists no GPU");
	else
		check_add(lines, CHECK_OK, "gpu-driver", NULL,
		    "%s, for CUDA up to %s", names,
		    cuda != NULL ? cuda : "an unknown one");
	free(missing);
	free(error);
	free(cuda);
	free(names);
}

/* ---- what the frameworks see ---- */

/* All that is known of one framework. */
struct view {
	const char *name;
	char *version, *built, *cudnn, *gpus, *error, *voice, *driver;
	int granted;
};

static void
view_free(struct view *v)
{
	free(v->version);
	free(v->built);
	free(v->cudnn);
	free(v->gpus);
	free(v->error);
	free(v->voice);
	free(v->driver);
}

static struct view
view_of(const char *text, const char *name, int granted)
{
	return (struct view){
	    .name = name,
	    .version = check_cluster_fact(text, name),
	    .built = fact_of(text, name, "built"),
	    .cudnn = fact_of(text, name, "cudnn"),
	    .gpus = fact_of(text, name, "gpus"),
	    .error = fact_of(text, name, "error"),
	    .voice = voice(text, name),
	    .driver = check_cluster_fact(text, "smi.cuda"),
	    .granted = granted,
	};
}

static const char *
line_name(const char *name)
{
	return strcmp(name, "tensorflow") == 0 ? "tensorflow-gpu"
	    : strcmp(name, "torch") == 0       ? "torch-gpu"
					       : "jax-gpu";
}

static void
judge_built(struct check_lines *lines, const struct view *v)
{
	const char *remedy = "Install one for GPUs: pip install 'jax[cuda12]'";

	if (strcmp(v->name, "tensorflow") == 0)
		remedy = "Install one for GPUs: pip install "
			 "'tensorflow[and-cuda]', not tensorflow-cpu";
	else if (strcmp(v->name, "torch") == 0)
		remedy = "Install one for GPUs, as pytorch.org says for your "
			 "CUDA";
	check_add(lines, CHECK_FAIL, line_name(v->name), remedy,
	    "%s was built without GPUs", v->version);
}

/* Minor releases of one CUDA get on with each other. */
static int
is_too_new(const struct view *v)
{
	return v->driver != NULL && v->built != NULL &&
	    strtol(v->built, NULL, 10) > strtol(v->driver, NULL, 10);
}

/* It works, and sees nothing. */
static void
judge_blind(struct check_lines *lines, const struct view *v)
{
	const struct check_sign *sign = check_sign(v->voice);
	const char *name = line_name(v->name);

	if (v->built != NULL && strcmp(v->built, "none") == 0)
		judge_built(lines, v);
	else if (is_too_new(v))
		check_add(lines, CHECK_FAIL, name, match_driver,
		    "sees none: it was built for CUDA %s, and the driver of "
		    "the node goes up to %s",
		    v->built, v->driver);
	else if (!v->granted)
		check_add(lines, CHECK_FAIL, name, NULL,
		    "sees none, as none was granted");
	else if (sign != NULL)
		check_add(lines, CHECK_FAIL, name, sign->remedy,
		    "sees none: %s", sign->means);
	else if (v->error != NULL)
		check_add(lines, CHECK_FAIL, name, by_hand, "%s", v->error);
	else
		check_add(lines, CHECK_FAIL, name, by_hand,
		    "sees none, and does not say why");
}

static void
judge_seen(struct check_lines *lines, const struct view *v)
{
	const struct check_sign *sign = check_sign(v->voice);
	const char *name = line_name(v->name);

	if (v->error == NULL)
		check_add(lines, CHECK_OK, name, NULL,
		    "sees %s, and computes; built for CUDA %s%s%s", v->gpus,
		    v->built ? v->built : "?",
		    v->cudnn && *v->cudnn ? ", cuDNN " : "",
		    v->cudnn ? v->cudnn : "");
	else
		check_add(lines, CHECK_FAIL, name,
		    sign != NULL ? sign->remedy : match_cuda,
		    "sees %s, and cannot compute: %s%s%s", v->gpus,
		    sign != NULL ? sign->means : "", sign != NULL ? ": " : "",
		    v->error);
}

void
check_judge_gpu(struct check_lines *lines, const struct check_report *r)
{
	int granted = judge_granted(lines, r);
	struct view v;
	size_t i;

	judge_driver(lines, r);
	for (i = 0; i < FRAMEWORKS; i++) {
		v = view_of(r->text, frameworks[i], granted);
		if (v.version != NULL && v.gpus != NULL) {
			if (strcmp(v.gpus, "0") == 0)
				judge_blind(lines, &v);
			else
				judge_seen(lines, &v);
		} else if (v.version != NULL && v.error != NULL) {
			judge_blind(lines, &v);
		}
		view_free(&v);
	}
}

void
check_judge_unverified(struct check_lines *lines)
{
	const struct check_line *line;
	size_t i, k;

	for (i = 0; i < lines->count; i++) {
		line = &lines->line[i];
		for (k = 0; line->word == CHECK_OK && k < FRAMEWORKS; k++)
			if (strcmp(line->thing, line_name(frameworks[k])) == 0)
				return;
	}
	check_add(lines, CHECK_FAIL, "gpu",
	    "Name the Python of the training: stfm-check --gpu -- "
	    "venv/bin/python",
	    "no framework was seen to compute on a GPU");
}
