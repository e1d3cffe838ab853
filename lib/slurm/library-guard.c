#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slurm/library.h"
#include "slurm/release.h"

int
queue_failed(FILE *out)
{
	int number = errno;

	queue_put_number(out, number == 0 ? -1 : number);
	queue_put_text(out, number == 0 ? "" : slurm_strerror(number));
	return 0;
}

struct guarded {
	int (*work)(FILE *, void *);
	void *arg;
};

static int
inside(FILE *out, void *arg)
{
	struct guarded *g = arg;

	/* Otherwise libslurm cuts lists of array tasks at 64 characters. */
	setenv("SLURM_BITSTR_LEN", "0", 1);
	slurm_init(NULL);
	return g->work(out, g->arg);
}

int
queue_guard(int (*work)(FILE *out, void *arg), void *arg, int64_t milliseconds,
    struct proc_result *result, struct queue_input *in, struct error *e)
{
	struct guarded g = {work, arg};
	struct error why;
	const char *text;
	int64_t number;

	memset(result, 0, sizeof *result);
	memset(in, 0, sizeof *in);
	in->broken = 1;
	if (queue_check_configuration(e) == -1)
		return -1;
	if (proc_guard(inside, &g, milliseconds, result, &why) == -1)
		return error_code(e, ERROR_SILENT, "%s", why.text);
	*in =
	    (struct queue_input){result->out, result->out + result->length, 0};
	number = queue_get_number(in);
	if (!in->broken && number != 0) {
		text = queue_get_text(in);
		text = text != NULL ? text : "";
		if (number == -1 || queue_is_unreached(text))
			return queue_refuse_unreached(
			    text, result->complaint, e);
		return error_code(e,
		    number == EAGAIN ? ERROR_SILENT : ERROR_REFUSED,
		    "Slurm: %s", text);
	}
	if (result->timed_out)
		return queue_refuse_silence(milliseconds, e);
	if (!proc_ok(result) || in->broken)
		return queue_refuse_end("Slurm's library", result, e);
	return 0;
}
