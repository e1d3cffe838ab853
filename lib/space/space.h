/*
 * A space is a set of hyperparameters, each with its values; its points are
 * their combinations.  The language of its words is in stfm-space(5).
 *
 * A space is declared with words, options and a spec in any order, then
 * finished; after that it does not change.  Its combinations are numbered from
 * 0; the last hyperparameter varies fastest.  Conditions decide which
 * combinations are points.  No memory grows with the number of combinations.
 *
 * A space opens no files: the caller reads them and passes their bytes.
 */
#ifndef STFM_SPACE_SPACE_H
#define STFM_SPACE_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"

enum {
	SPACE_NAMES = 1024,    /* most hyperparameters */
	SPACE_SPEC = 1 << 20,  /* most bytes of a spec */
	SPACE_VALUES = 1 << 26 /* most bytes of a file of values */
};

struct grid;
struct space;
struct space_point;

struct space *space_new(void);
void space_free(struct space *);

/*
 * A function that reads the file named by @FILE.  Sets *text, to free, and
 * *length.  Returns 0, or -1 with a reason that names the file.
 */
typedef int space_read(
    void *arg, const char *path, char **text, size_t *length, struct error *e);
void space_reader(struct space *, space_read *read, void *arg);

/*
 * ---- Declaring ----
 * Each function copies its text and returns 0, or -1 with the reason in e and
 * the space unchanged.
 */

/*
 * Add a hyperparameter, or more values to an existing one:
 * "lr=1e-3,log:1e-2:1e-1:2" or "layers:=[[64],[64,32]]".
 */
int space_add(struct space *, const char *word, struct error *e);

/*
 * Check a word that a user types now for values in the notation of another
 * language, such as lr=[0.1,0.2].  space_add takes them as texts, because jobs
 * in the store may have such words.  Returns 0, or -1 with the way to write the
 * values in e.
 */
int space_check_word(const char *word, struct error *e);

/* Pair hyperparameters instead of crossing them: "lr,bs". */
int space_zip(struct space *, const char *names, struct error *e);

/* Leave out the points where a condition holds: "opt=adam,lr=0.1". */
int space_except(struct space *, const char *condition, struct error *e);

/*
 * Give a hyperparameter a value only where a condition holds:
 * "momentum:opt=sgd".  If a name has several conditions, any of them is enough.
 */
int space_when(struct space *, const char *text, struct error *e);

/* Set how many samples to draw, 1 or more, and their seed (default: 0). */
void space_samples(struct space *, uint64_t samples);
void space_seed(struct space *, uint64_t seed);

/*
 * Take a spec, a JSON document; a space has at most one.  Words replace the
 * spec's values of the same name.
 */
int space_spec(
    struct space *, const char *json, size_t length, struct error *e);

/* Return the spec, with the parts that are no points, or NULL. */
const struct spec *space_spec_of(const struct space *);

/*
 * Return the hyperparameters of a space of words, with their values and
 * conditions, or NULL if it has a spec, rows of a file or zips.
 */
const struct grid *space_grid(const struct space *);

/*
 * Return the value that a hyperparameter has in all points of a space of words,
 * to free, or NULL if it has several or a condition is on it.
 */
char *space_constant(const struct space *, const char *name);

/*
 * ---- Finishing ----
 */

/*
 * End the declaration, and run the checks that need all of it.  Nothing may be
 * declared afterwards.  Returns 0, or -1 with the reason in e.
 */
int space_finish(struct space *, struct error *e);

/*
 * Return what to warn of if a condition that was declared as a word never
 * holds, to free, or NULL.  A spec may be for several spaces: its conditions
 * are not looked at.  NULL, too, before space_finish.
 */
char *space_unmet(const struct space *);

/* Return the number of columns, or the name of the i-th column. */
size_t space_width(const struct space *);
const char *space_name(const struct space *, size_t i);

/* The number of hyperparameters that the file of points has; they come first.*/
size_t space_width_from_file(const struct space *);

/* Return the number of combinations, before conditions exclude some. */
uint64_t space_size(const struct space *);

/*
 * Return whether a hyperparameter has a distribution, so that the space needs a
 * number of samples.
 */
int space_is_drawn(const struct space *);

/* Return whether conditions may exclude combinations. */
int space_is_filtered(const struct space *);

/*
 * Return whether every combination is a point and follows from the words by
 * exact arithmetic: no conditions, distributions, log:, @FILE, spec or rows.
 */
int space_is_exact(const struct space *);

/*
 * ---- Points ----
 */

/* Allocate one point of a finished space; free it before the space. */
struct space_point *space_point_new(const struct space *);
void space_point_free(struct space_point *);

/*
 * Fill in combination n, which is below space_size.  Returns whether it is a
 * point; otherwise its values are meaningless.
 */
int space_at(const struct space *, uint64_t n, struct space_point *);

/*
 * Return the first column whose value may have changed since the point was last
 * filled in, or space_width.
 */
size_t space_changed(const struct space_point *);

/*
 * Return the point's value in column i, or NULL if it has none.  It is valid
 * until the point is filled in again.
 */
const char *space_value(const struct space_point *, size_t i);

enum space_kind {
	SPACE_TEXT,
	SPACE_NUMBER, /* in JSON's notation, from a range or a distribution */
	SPACE_JSON    /* an array, an object, true or false */
};

/* Return what is known of that value. */
enum space_kind space_value_kind(const struct space_point *, size_t i);

/*
 * ---- All points, and points from a file ----
 *
 * A function that gets each point.  A result other than 0 stops the visit.
 */
typedef int space_visit(void *arg, const struct space_point *);

/*
 * Cross all hyperparameters with the rows of a file, which vary slowest.  name
 * is for messages; format is "csv", "tsv" or "jsonl".  If it is NULL, the end
 * of the name decides, or else the first line.  Pass the bytes of the file to
 * space_feed; only space_end finishes the space.
 */
int space_from(
    struct space *, const char *name, const char *format, struct error *e);

/*
 * A run is a number of combinations that differ only in the last column, which
 * has the same values in each run.  Returns the length of the runs of a
 * finished space, or 1 if there are none.
 */
uint64_t space_run(const struct space *);

/* Return where in its run a point is, or UINT64_MAX if its value is missing. */
uint64_t space_run_index(const struct space_point *);

/*
 * Visit only the first point of each run, if all its combinations are points.
 * Returns whether this holds.  The space must be finished; the first visit may
 * call this function.
 */
int space_visit_runs(struct space *);

/*
 * Write the value of the last column in combination k of a run to out, which
 * holds the length bytes of the value before it; length 0: it holds none.
 * Returns the new length, or 0 if the value is not a number of a range.
 */
size_t space_run_number(
    const struct space *, uint64_t k, char out[NUM_TEXT], size_t length);

/*
 * Visit the points of the rows in these bytes.  Returns 0, the result of visit,
 * or -1 with the reason in e.
 */
int space_feed(struct space *, const char *bytes, size_t length,
    space_visit *visit, void *arg, struct error *e);

/*
 * Visit the remaining points: those of the last row, or all points if there is
 * no file.  Finishes the space if necessary.  Returns the same as space_feed.
 */
int space_end(struct space *, space_visit *visit, void *arg, struct error *e);

#endif
