#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "search/sampler.h"
#include "space/file.h"
#include "space/space.h"

/* The table that is read, and where its point goes. */
struct answer {
	struct search *search;
	struct file *file;
	char **out;
	struct error *e;
};

static int
take_row(void *arg, const struct values_one *row)
{
	struct answer *a = arg;
	const struct columns *columns = file_columns(a->file);
	const struct space *space = search_space(a->search);
	size_t width = space_width(space), i;
	const char **text = xcalloc(width + 1, sizeof *text);
	char(*only)[NUM_TEXT] = xcalloc(width + 1, sizeof *only);
	long at;
	int rc;

	for (i = 0; i < width; i++) {
		at = columns_find(columns, space_name(space, i));
		text[i] = at != -1 ? row[at].text
				   : search_only_value(a->search, i, only[i]);
	}
	rc = search_take(a->search, text, a->out, a->e);
	free(only);
	free(text);
	return rc == 0 ? 1 : -1; /* one row is enough */
}

int
search_take_text(struct search *s, const char *text, size_t length, char **out,
    struct error *e)
{
	struct answer a = {s, NULL, out, e};
	int rc;

	if (text[strspn(text, " \t\r\n")] == '\0')
		return error_set(e, "it printed nothing");
	a.file = file_new("its output", NULL, e);
	rc = file_feed(a.file, text, length, take_row, &a, e);
	if (rc == 0)
		rc = file_end(a.file, take_row, &a, e);
	file_free(a.file);
	if (rc == 0)
		return error_set(e, "it printed no point");
	return rc == 1 ? 0 : -1;
}
