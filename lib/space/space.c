#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/xalloc.h"
#include "space/columns.h"
#include "space/file.h"
#include "space/grid.h"
#include "space/notation.h"
#include "space/part.h"
#include "space/space.h"
#include "space/spec.h"

struct space {
	struct grid *words;
	struct spec *spec;
	space_read *read;
	void *read_arg;
	struct file *file;
	struct columns columns;
	/* Number of columns that come from the file; they come first. */
	size_t from_file;
	struct part **part;
	size_t parts;
	uint64_t size;
	int is_finished;
	struct space_point *point; /* for space_feed and space_end */
	uint64_t stride; /* from one visited combination to the next */
};

struct space_point {
	struct part_point at;
	const struct part *part; /* the part filled in last */
	size_t axes;
};

struct space *
space_new(void)
{
	struct space *s = xcalloc(1, sizeof *s);

	s->words = grid_new();
	s->stride = 1;
	return s;
}

void
space_free(struct space *s)
{
	size_t i;

	if (s == NULL)
		return;
	space_point_free(s->point);
	for (i = 0; i < s->parts; i++)
		part_free(s->part[i]);
	free(s->part);
	columns_free(&s->columns);
	file_free(s->file);
	spec_free(s->spec);
	grid_free(s->words);
	free(s);
}

/* ---- declaring ---- */

void
space_reader(struct space *s, space_read *read, void *arg)
{
	s->read = read;
	s->read_arg = arg;
}

int
space_add(struct space *s, const char *word, struct error *e)
{
	return grid_add(s->words, word, s->read, s->read_arg, e);
}

int
space_check_word(const char *word, struct error *e)
{
	size_t length = expression_name_length(word);
	char *name;
	int rc;

	if (length == 0 || word[length] != '=')
		return 0;
	name = xstrndup(word, length);
	rc = notation_check(name, word + length + 1, e);
	free(name);
	return rc;
}

int
space_zip(struct space *s, const char *names, struct error *e)
{
	return grid_zip(s->words, "--zip", names, e);
}

int
space_except(struct space *s, const char *condition, struct error *e)
{
	return grid_except(s->words, "--except", condition, e);
}

int
space_when(struct space *s, const char *text, struct error *e)
{
	return grid_when(s->words, "--when", text, e);
}

void
space_samples(struct space *s, uint64_t samples)
{
	s->words->samples = samples;
}

void
space_seed(struct space *s, uint64_t seed)
{
	s->words->seed = seed;
	s->words->has_seed = 1;
}

int
space_spec(struct space *s, const char *json, size_t length, struct error *e)
{
	if (s->spec != NULL)
		return error_set(e,
		    "a second spec (one document can hold several grids: "
		    "[{...}, {...}])");
	s->spec = spec_new(json, length, e);
	return s->spec == NULL ? -1 : 0;
}

const struct grid *
space_grid(const struct space *s)
{
	return s->spec == NULL && s->file == NULL && s->words->zips == 0
	    ? s->words
	    : NULL;
}

char *
space_constant(const struct space *s, const char *name)
{
	const struct grid *grid = space_grid(s);
	struct values *v = grid != NULL ? grid_find(grid, name) : NULL;
	char room[NUM_TEXT];
	size_t i;

	if (v == NULL || v->is_drawn || values_count(v) != 1)
		return NULL;
	for (i = 0; i < grid->whens; i++)
		if (strcmp(grid->when[i].name, name) == 0)
			return NULL;
	return xcopy(values_get(v, 0, room).text);
}

const struct spec *
space_spec_of(const struct space *s)
{
	return s->spec;
}

int
space_from(
    struct space *s, const char *name, const char *format, struct error *e)
{
	if (s->file != NULL)
		return error_set(
		    e, "%s: a second file of points: give one --from", name);
	s->file = file_new(name, format, e);
	return s->file == NULL ? -1 : 0;
}

/* ---- finishing ---- */

/*
 * The columns of the file come first, then the names of all grids of the spec,
 * then the names of the words.
 */
int
space_finish(struct space *s, struct error *e)
{
	const struct columns *file;
	const struct grid *g;
	size_t i, k, grids = s->spec != NULL ? s->spec->grids : 0;
	struct part *p;
	int drawn = 0;

	s->is_finished = 1;
	file = s->file != NULL ? file_columns(s->file) : NULL;
	for (i = 0; file != NULL && i < file->count; i++)
		if (columns_add(&s->columns, file->name[i], e) == -1)
			return -1;
	s->from_file = s->columns.count;
	for (i = 0; i < grids; i++)
		for (g = s->spec->grid[i], k = 0; k < g->count; k++)
			if (columns_add(&s->columns, g->values[k]->name, e) ==
			    -1)
				return -1;
	for (i = 0; i < (grids > 0 ? grids : 1); i++) {
		p = part_new(grids > 0 ? s->spec->grid[i] : NULL, s->words,
		    &s->columns, s->from_file, e);
		if (p == NULL)
			return -1;
		s->part = xgrow(s->part, s->parts, sizeof *s->part);
		s->part[s->parts++] = p;
		drawn |= part_is_drawn(p);
	}
	if (!drawn && s->words->samples > 0)
		return error_set(e,
		    "--samples %" PRIu64 ": no hyperparameter has a random "
		    "distribution, as in lr=loguniform:1e-5:1e-1",
		    s->words->samples);
	for (i = 0; i < s->parts; i++) {
		if (part_finish(s->part[i], &s->columns, e) == -1)
			return -1;
		if (__builtin_add_overflow(
			s->size, part_size(s->part[i]), &s->size))
			return error_set(e,
			    "the grids of the spec have too many "
			    "combinations to number");
	}
	return 0;
}

/*
 * Return the first name in a condition of which no value makes its comparison
 * hold, or NULL.
 */
static const char *
unmet_name(const struct space *s, const struct expression *where)
{
	const struct expression_part *part;
	size_t i, k;

	for (i = 0; i < where->count; i++) {
		part = &where->comparison[i];
		for (k = 0; k < s->parts; k++)
			if (part_may_hold(s->part[k], part))
				break;
		if (k == s->parts &&
		    (size_t)columns_find(&s->columns, part->name) >=
			s->from_file)
			return part->name;
	}
	return NULL;
}

char *
space_unmet(const struct space *s)
{
	const struct grid *g = s->words;
	const struct grid_condition *c;
	const char *name;
	size_t i;

	for (i = 0; s->parts > 0 && i < g->whens + g->excepts; i++) {
		c = i < g->whens ? &g->when[i] : &g->except[i - g->whens];
		name = unmet_name(s, c->where);
		if (name != NULL)
			return xasprintf(
			    "%s: no value of %s fulfils this", c->label, name);
	}
	return NULL;
}

size_t
space_width(const struct space *s)
{
	return s->columns.count;
}

size_t
space_width_from_file(const struct space *s)
{
	return s->from_file;
}

const char *
space_name(const struct space *s, size_t i)
{
	return s->columns.name[i];
}

uint64_t
space_size(const struct space *s)
{
	return s->size;
}

int
space_is_filtered(const struct space *s)
{
	size_t i;

	for (i = 0; i < s->parts; i++)
		if (part_is_filtered(s->part[i]))
			return 1;
	return 0;
}

int
space_is_drawn(const struct space *s)
{
	const struct grid *grid = space_grid(s);
	size_t i;

	for (i = 0; grid != NULL && i < grid->count; i++)
		if (grid->values[i]->is_drawn)
			return 1;
	return 0;
}

int
space_is_exact(const struct space *s)
{
	size_t i;

	for (i = 0; i < s->parts; i++)
		if (!part_is_exact(s->part[i]))
			return 0;
	return s->from_file == 0 && s->spec == NULL;
}

/* ---- points ---- */

struct space_point *
space_point_new(const struct space *s)
{
	struct space_point *p = xcalloc(1, sizeof *p);
	size_t n = s->columns.count, i;

	for (i = 0; i < s->parts; i++)
		if (part_axes(s->part[i]) > p->axes)
			p->axes = part_axes(s->part[i]);
	p->at.raw = xcalloc(n, sizeof *p->at.raw);
	p->at.filled = xcalloc(n, sizeof *p->at.filled);
	p->at.buffer = xcalloc(n, sizeof *p->at.buffer);
	p->at.absent = xcalloc(n, sizeof *p->at.absent);
	p->at.index = xcalloc(p->axes, sizeof *p->at.index);
	return p;
}

void
space_point_free(struct space_point *p)
{
	if (p == NULL)
		return;
	free(p->at.raw);
	free(p->at.filled);
	free(p->at.buffer);
	free(p->at.absent);
	free(p->at.index);
	free(p);
}

int
space_at(const struct space *s, uint64_t n, struct space_point *p)
{
	const struct part *part;
	size_t i, k;
	int found;

	for (i = 0; i + 1 < s->parts && n >= part_size(s->part[i]); i++)
		n -= part_size(s->part[i]);
	part = s->part[i];
	if (p->part != part) {
		/* Clear the values of the other part. */
		for (k = s->from_file; k < s->columns.count; k++) {
			p->at.raw[k] = (struct values_one){0};
			p->at.filled[k] = UINT64_MAX;
			p->at.absent[k] = 0;
		}
		for (k = 0; k < p->axes; k++)
			p->at.index[k] = UINT64_MAX;
		p->at.last = UINT64_MAX;
		p->part = part;
	}
	found = part_at(part, n, &p->at);
	if (n == 0)
		p->at.changed = 0; /* another row or part */
	return found;
}

size_t
space_changed(const struct space_point *p)
{
	return p->at.changed;
}

static const struct values_one *
value_at(const struct space_point *p, size_t i)
{
	return part_value(p->part, &p->at, i);
}

const char *
space_value(const struct space_point *p, size_t i)
{
	return value_at(p, i)->text;
}

enum space_kind
space_value_kind(const struct space_point *p, size_t i)
{
	const struct values_one *one = value_at(p, i);

	return one->is_json  ? SPACE_JSON
	    : one->is_number ? SPACE_NUMBER
			     : SPACE_TEXT;
}

/* ---- all points ---- */

static int
get_ready(struct space *s, struct error *e)
{
	if (!s->is_finished && space_finish(s, e) == -1)
		return -1;
	if (s->point == NULL)
		s->point = space_point_new(s);
	return 0;
}

static int
visit_all(struct space *s, space_visit *visit, void *arg)
{
	uint64_t n, next;
	int rc = 0;

	for (n = 0; rc == 0 && n < s->size; n = next) {
		if (space_at(s, n, s->point)) {
			rc = visit(arg, s->point);
			next = n + s->stride; /* visit may set it */
		} else {
			next = n + s->point->at.skip;
		}
	}
	return rc;
}

uint64_t
space_run(const struct space *s)
{
	return s->parts == 1 ? part_run(s->part[0], &s->columns) : 1;
}

uint64_t
space_run_index(const struct space_point *p)
{
	return part_run_index(p->part, &p->at);
}

int
space_visit_runs(struct space *s)
{
	s->stride = space_is_filtered(s) ? 1 : space_run(s);
	return s->stride > 1;
}

size_t
space_run_number(
    const struct space *s, uint64_t k, char out[NUM_TEXT], size_t length)
{
	return part_run_number(s->part[0], k, out, length);
}

struct visitor {
	struct space *space;
	space_visit *visit;
	void *arg;
	struct error *e;
};

static int
visit_row(void *arg, const struct values_one *row)
{
	struct visitor *v = arg;
	struct space *s = v->space;

	if (get_ready(s, v->e) == -1)
		return -1;
	memcpy(s->point->at.raw, row, s->from_file * sizeof *row);
	return visit_all(s, v->visit, v->arg);
}

int
space_feed(struct space *s, const char *bytes, size_t length,
    space_visit *visit, void *arg, struct error *e)
{
	struct visitor v = {s, visit, arg, e};

	return file_feed(s->file, bytes, length, visit_row, &v, e);
}

int
space_end(struct space *s, space_visit *visit, void *arg, struct error *e)
{
	struct visitor v = {s, visit, arg, e};
	int rc;

	if (s->file != NULL) {
		rc = file_end(s->file, visit_row, &v, e);
		return rc != 0 ? rc : get_ready(s, e);
	}
	if (get_ready(s, e) == -1)
		return -1;
	return visit_all(s, visit, arg);
}
