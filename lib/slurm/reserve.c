#include <sys/wait.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/private.h"
#include "slurm/reserve.h"
#include "slurm/text.h"

int
queue_reserve_is_refusal(const char *complaint)
{
	/* slurmctld says this to users who lack the permission. */
	return strstr(complaint, "Invalid user id") != NULL ||
	    strstr(complaint, "ermission denied") != NULL;
}

static char *
created(const char *text)
{
	static const char sign[] = "Reservation created: ";
	const char *at = strstr(text, sign);

	if (at == NULL)
		return NULL;
	at += strlen(sign);
	return xstrndup(at, strcspn(at, "\n"));
}

/* Return the text after sign, or all of the text. */
static const char *
after(const char *text, const char *sign)
{
	const char *at = strstr(text, sign);

	return at != NULL ? at + strlen(sign) : text;
}

/* Set e to slurmctld's reason, without scontrol's words around it. */
static void
set_reason(const struct strlist *words, const char *complaint, struct error *e)
{
	static const char named[] = "ReservationName=";
	char *why = queue_complaint(complaint);
	int used = strstr(why, "in use") != NULL;

	if (strcmp(words->word[1], "delete") == 0)
		error_set(e, "Slurm does not end the reservation: %s%s%s",
		    after(after(why, named), ": "),
		    used ? ": see squeue -R " : "",
		    used ? after(words->word[2], named) : "");
	else
		error_set(e, "Slurm refuses the reservation: %s",
		    after(why, "reservation: "));
	free(why);
}

enum queue_reserve
queue_reserve_run(const struct strlist *words, char **name, struct error *e)
{
	struct proc_result result = {0};
	enum queue_reserve done = QUEUE_RESERVE_DONE;
	int64_t ms;
	struct error why;

	*name = NULL;
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return QUEUE_RESERVE_FAILED;
	if (queue_text_run((const char *const *)words->word, proc_clock() + ms,
		&result, &why) == 0) {
		*name = created(result.out);
	} else {
		error_copy(e, &why);
		done = QUEUE_RESERVE_FAILED;
		if (result.complaint != NULL &&
		    queue_reserve_is_refusal(result.complaint))
			done = QUEUE_RESERVE_MAY_NOT;
		else if (WIFSIGNALED(result.status) &&
		    why.code == ERROR_REFUSED) /* Slurm may still do it */
			error_code(e, ERROR_SILENT,
			    "scontrol was killed before it told Slurm's "
			    "answer");
		else if (result.complaint != NULL && why.code == ERROR_REFUSED)
			set_reason(words, result.complaint, e);
	}
	proc_result_free(&result);
	return done;
}
