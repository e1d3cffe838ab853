#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/dependency.h"
#include "reconcile/reconcile.h"
#include "submit/after.h"
#include "view/select.h"

/* Take one job to wait for, as in "conv2d:ok". */
static int
add(struct store_job *job, const struct store *store, const char *word,
    struct error *e)
{
	size_t n = strcspn(word, ":");
	char *name = xstrndup(word, n);
	struct selection s = {0};
	int rc = 0;

	if (n == 0)
		rc = error_set(e,
		    "--after: '%s' names no job: write %s, or @1%s for the "
		    "newest",
		    word, word[n] == ':' ? "JOB:ok" : "a job, as in prep",
		    word[n] == ':' ? ":ok" : "");
	else if (word[n] != '\0' && strcmp(word + n, ":ok") != 0)
		rc = error_set(e,
		    "--after: '%s': write a job, or with :ok behind it", word);
	else if (store == NULL)
		rc = error_set(e, "--after: %s: no such job", word);
	else if (job_select(store, &name, 1, &s, e) == -1)
		rc = error_prefix(e, "--after");
	else if (s.count != 1 || !s.item[0].whole)
		rc = error_set(e, "--after: %s: write a whole job", name);
	if (rc == 0) {
		strlist_take(&job->after,
		    xasprintf("%s:%s:%s", s.item[0].job->name,
			word[n] == ':' ? "ok" : "any", s.item[0].job->id));
		reconcile_again(store, &s);
	}
	selection_free(&s);
	free(name);
	return rc;
}

int
job_dependency_set(struct store_job *job, const struct store *store,
    const char *text, struct error *e)
{
	char *list = xstrdup(text), *rest = list, *word;
	int rc = 0;

	strlist_free(&job->after);
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL)
		rc = add(job, store, word, e);
	free(list);
	return rc == 0 ? job_dependency_check(job, store, e) : -1;
}
