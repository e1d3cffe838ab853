/*
 * Small languages: JSON with its source text (l), ranges (r), conditions (w),
 * numbers (n), states (s), words of commands with placeholders (a), and files
 * of defaults (c, and C where others can write to that of the project).
 *
 * What is printed reads back as the same; JSON is taken exactly where jansson
 * takes it too.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/expression.h"
#include "base/idset.h"
#include "base/lex.h"
#include "base/num.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/keys.h"
#include "fuzz.h"
#include "job/argv.h"
#include "store/job.h"
#include "sys/fs.h"
#include "view/filter.h"

/* ---- JSON ---- */

/* Walk through everything; returns how many values there are. */
static size_t
walk(const struct lex *value)
{
	struct lex_members members;
	struct lex key, member;
	size_t count = 0, all = 1;
	char *text;

	if (value->kind == LEX_STRING) {
		text = lex_string(value);
		must(text_is_utf8(text));
		must(lex_is(value, text));
		free(text);
	}
	if (value->kind != LEX_ARRAY && value->kind != LEX_OBJECT)
		return 1;
	lex_members(&members, value);
	for (; lex_next(&members, &key, &member); count++) {
		if (value->kind == LEX_OBJECT)
			must(key.kind == LEX_STRING);
		all += walk(&member);
	}
	must(count == lex_count(value));
	return all;
}

/* Numbers beyond the range of C's types are jansson's own affair. */
static void
compare_jansson(const char *text, size_t length, int taken)
{
	json_error_t why;
	json_t *other;

	other = json_loadb(text, length, JSON_DECODE_ANY, &why);
	if (other != NULL)
		must(taken || strstr(text, "[[[[[[[[") != NULL ||
		    memchr(text, '{', length) != NULL);
	else if (taken)
		must(json_error_code(&why) == json_error_numeric_overflow);
	json_decref(other);
}

static void
lex(struct fuzz *f)
{
	size_t bom =
	    f->left >= 3 && memcmp(f->at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	char *text = xstrndup(f->at, f->left), *source, *again;
	struct lex one, other;
	struct error e;
	int rc;

	rc = lex_parse(f->at, f->left, 1, &one, &e);
	if (rc == 0) {
		source = lex_source(&one);
		must(lex_parse(source, strlen(source), 0, &other, NULL) == 0);
		must(walk(&one) == walk(&other));
		again = lex_source(&other);
		must(strcmp(source, again) == 0);
		free(source);
		free(again);
	} else {
		must(strncmp(e.text, "line ", 5) == 0);
	}
	if (strlen(text) == f->left)
		compare_jansson(text + bom, f->left - bom, rc == 0);
	free(text);
}

/* ---- ranges, numbers ---- */

static void
check_ranges(const struct idset *r)
{
	uint64_t size = idset_size(r), at, number;

	for (at = 0; at < size && at < 8; at++) {
		number = idset_at(r, at);
		must(idset_has(r, number));
		must(idset_position(r, number) == at);
	}
	if (size > 0)
		must(idset_position(r, idset_at(r, size - 1)) == size - 1);
}

static void
ranges(struct fuzz *f)
{
	char *text = fuzz_text(f), *printed, *twice;
	struct idset one, other;

	if (idset_parse(&one, text, NULL) == 0) {
		check_ranges(&one);
		printed = idset_text(&one);
		must(one.count > 0 && *printed != '\0');
		if (idset_parse(&other, printed, NULL) == 0) {
			twice = idset_text(&other);
			must(strcmp(printed, twice) == 0);
			must(idset_size(&one) == idset_size(&other));
			free(twice);
			idset_free(&other);
		} else {
			must(idset_size(&one) > 10000000);
		}
		free(printed);
	} else {
		must(one.count == 0 && one.run == NULL);
	}
	idset_free(&one);
	free(text);
}

static void
numbers(struct fuzz *f)
{
	char *text = fuzz_text(f), out[NUM_TEXT];
	int64_t whole = 7;
	double value, again;

	if (num_parse(text, &value)) {
		must(num_parse(num_exact(value, out), &again));
		must(isnan(value) ? isnan(again) : value == again);
		num_short(value, 4, out);
		must(strlen(out) < NUM_TEXT);
	}
	if (num_int("n", text, -1000, INT64_MAX, &whole, NULL) == 0) {
		must(whole >= -1000);
		must(num_parse(text, &value) && value == (double)whole);
		num_span(whole, out);
	} else {
		must(whole == 7);
	}
	free(text);
}

/* ---- conditions, states ---- */

static const char *
same_value(void *arg, const char *name)
{
	(void)name;
	return arg;
}

/* Whether "x OP value" holds for a text. */
static int
holds(const char *op, const char *value, const char *text)
{
	char *condition = xasprintf("x%s%s", op, value);
	struct expression *w = expression_new(condition, NULL);
	int yes = -1;

	if (w != NULL && w->count == 1)
		yes = expression_holds(w, same_value, (void *)(uintptr_t)text);
	expression_free(w);
	free(condition);
	return yes;
}

/* Two numbers are less, equal or greater. */
static void
compare(const char *a, const char *b)
{
	int equal = holds("=", a, b), other = holds("!=", a, b);
	int less = holds("<", a, b), greater = holds(">", a, b);
	double x, y;

	if (*a == '=') /* "x==" is "x=" */
		return;
	if (equal != -1)
		must(equal + other == 1);
	if (less == -1 || greater == -1 || equal == -1)
		return;
	must(less + greater <= 1);
	if (num_parse(a, &x) && num_parse(b, &y) && !isnan(x) && !isnan(y)) {
		must(less + greater + equal == 1);
		must(holds("<=", a, b) == (less || equal));
		must(holds(">=", a, b) == (greater || equal));
		must(holds("<", b, a) == -1 || holds("<", b, a) == greater);
	}
}

static void
where(struct fuzz *f)
{
	char **line = fuzz_lines(f, 3);
	struct expression *w;
	struct error e;
	size_t i;

	if (line[0] != NULL) {
		w = expression_new(line[0], &e);
		if (w == NULL)
			must(e.text[0] != '\0');
		for (i = 0; w != NULL && i < w->count; i++)
			must(expression_name_length(w->comparison[i].name) ==
			    strlen(w->comparison[i].name));
		if (w != NULL)
			expression_holds(w, same_value, line[1]);
		expression_free(w);
	}
	if (line[0] != NULL && line[1] != NULL)
		compare(line[0], line[1]);
	fuzz_lines_free(line);
}

static void
states(struct fuzz *f)
{
	struct job_filter *filter = job_filter_new();
	char *text = fuzz_text(f);
	int rc = job_filter_state(filter, text, NULL);

	/* A list that is refused half-way asks for nothing. */
	must(job_filter_asks(filter) == (rc == 0));
	job_filter_free(filter);
	free(text);
}

/* ---- commands ---- */

/* How often a value stands in the words as it is. */
static size_t
count_words(const struct strlist *words, const char *word)
{
	size_t i, count = 0;

	for (i = 0; i < words->count; i++)
		count += strcmp(words->word[i], word) == 0;
	return count;
}

static void
check_task(const struct job_task *t)
{
	char *base[] = {(char[]){"STFM_TASK=outer"}, (char[]){"HOME=/"}, NULL};
	struct strlist words = {0}, env = {0};
	struct lex params;
	char *word;
	size_t i;

	job_argv_words(t, &words);
	must(words.count >= t->job->command.count - 1);
	job_argv_environment(t, base, &env);
	must(count_words(&env, "STFM_TASK=3") == 1);
	must(count_words(&env, "STFM_TASK=outer") == 0);
	word = xasprintf("STFM_PARAM_lr=%s", t->value[0]);
	must(count_words(&env, word) == 1);
	free(word);
	for (i = 0; i < env.count; i++)
		if (strncmp(env.word[i], "STFM_PARAMS=", 12) == 0)
			must(lex_parse(env.word[i] + 12,
				 strlen(env.word[i] + 12), 0, &params,
				 NULL) == 0);
	word = xasprintf("--lr=%s", t->value[0]);
	if (count_words(&t->job->command, "{@}") == 1)
		must(count_words(&words, word) >= 1);
	free(word);
	strlist_free(&words);
	strlist_free(&env);
}

/* The first line is a value, the others are words of the command. */
static void
args(struct fuzz *f)
{
	char **line = fuzz_lines(f, 8), *names[] = {(char[]){"lr"}, NULL};
	const char *value[] = {line[0]};
	struct store_job job = {.name = (char[]){"job"},
	    .args = (char[]){"long"},
	    .path = (char[]){"/store/jobs/job"},
	    .names = {names, 1}};
	struct job_task task = {&job, 3, 0, value};

	if (line[0] != NULL && line[1] != NULL) {
		job.command.word = line + 1;
		while (job.command.word[job.command.count] != NULL)
			job.command.count++;
		if (job_argv_check(&job, "", NULL) == 0)
			check_task(&task);
	}
	fuzz_lines_free(line);
}

/* ---- files of defaults ---- */

static char place[64];

static void
clean_up(void)
{
	int root = fs_open_dir("/", NULL);

	fs_remove_tree(root, place + 1, NULL);
	fs_close(root);
}

/* A home with room for the files of a user and of a project. */
static void
make_place(void)
{
	const char *memory =
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	int dir;

	snprintf(place, sizeof place, "%s/stfm-fuzz.XXXXXX", memory);
	must(mkdtemp(place) != NULL);
	atexit(clean_up);
	dir = fs_open_dir(place, NULL);
	must(mkdirat(dir, ".stfm", 0700) == 0);
	must(mkdirat(dir, "stfm", 0700) == 0);
	fs_close(dir);
	setenv("HOME", place, 1);
	setenv("XDG_CONFIG_HOME", place, 1);
	setenv("STFM_SITE_CONFIG", "", 1);
	unsetenv("STFM_CONFIG");
}

static void
put_file(const char *name, const char *text, size_t length, mode_t mode)
{
	char *path = fs_join(place, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	must(fd != -1 && fchmod(fd, mode) == 0);
	must(write(fd, text, length) == (ssize_t)length);
	close(fd);
	free(path);
}

/* Read them from within the project. */
static struct config *
load_there(void)
{
	int here = open(".", O_RDONLY | O_DIRECTORY);
	struct config *c;

	must(here != -1 && chdir(place) == 0);
	c = config_load();
	must(fchdir(here) == 0);
	close(here);
	return c;
}

/* What came from a file of somebody else is nothing that runs anything. */
static int
may_be_foreign(const struct config_setting *s)
{
	if (strcmp(s->section, "sbatch") == 0)
		return !config_sbatch_is_private(s->name);
	return !config_key(s->section, s->name)->is_private;
}

/* For each option one level alone holds. */
static void
check_settings(const struct config *c, int foreign)
{
	const struct config_setting *s, *before;
	size_t i;

	for (i = 0; i < c->settings; i++) {
		s = &c->setting[i];
		before = i > 0 ? s - 1 : s;
		must((s->line > 0) ==
		    (s->level == CONFIG_USER || s->level == CONFIG_PROJECT));
		must(!foreign || s->level != CONFIG_PROJECT ||
		    may_be_foreign(s));
		if (strcmp(before->section, s->section) == 0 &&
		    strcmp(before->name, s->name) == 0 && before->holds &&
		    s->holds)
			must(before->level == s->level || s->is_off);
		if (s->line > 0)
			fuzz_took(foreign ? 'C' : 'c');
	}
}

/* A reason has the place in the file, and keeps from working in one's own. */
static void
check_problems(const struct config *c)
{
	static const char *const sections[] = {
	    "submit", "watch", "status", "plot", "log", ""};
	int stops = 0, is_stopped = 0;
	size_t i;

	for (i = 0; i < c->problems; i++) {
		must(strstr(c->problem[i].text, "config.json: ") != NULL);
		stops |= !c->problem[i].is_passed_over;
	}
	for (i = 0; i < 6; i++)
		is_stopped |= config_check(c, sections[i], NULL) == -1;
	must(stops == is_stopped);
}

/* What people see of it has no control characters; programs read JSON. */
static void
check_shown(const struct config *c)
{
	static const enum table_format format[] = {TABLE_TEXT, TABLE_JSON};
	struct table_look look = {.width = 80};
	size_t length, i, k;
	json_t *read;
	char *text;
	FILE *out;

	for (i = 0; i < 2; i++) {
		look.format = format[i];
		out = open_memstream(&text, &length);
		config_show(out, c, &look, 1);
		fclose(out);
		for (k = 0; k < length; k++)
			must((unsigned char)text[k] >= ' ' || text[k] == '\n');
		must(strlen(text) == length);
		if (look.format == TABLE_JSON) {
			read = json_loads(text, 0, NULL);
			must(json_is_array(read));
			json_decref(read);
		}
		free(text);
	}
}

/* The file of a user, and behind a line "---" that of a project. */
static void
defaults(struct fuzz *f, int foreign)
{
	static const char between[] = "\n---\n";
	char *text = fuzz_text(f), *second = strstr(text, between);
	size_t length = second != NULL ? (size_t)(second - text) : strlen(text);
	struct config *c;

	second = second != NULL ? second + strlen(between) : text + length;
	if (*place == '\0')
		make_place();
	put_file("stfm/config.json", text, length, 0600);
	put_file(
	    ".stfm/config.json", second, strlen(second), foreign ? 0666 : 0600);
	c = load_there();
	must(c->file[CONFIG_PROJECT].is_foreign == foreign);
	check_settings(c, foreign);
	check_problems(c);
	check_shown(c);
	config_free(c);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz f = fuzz_input(bytes, length);

	switch (fuzz_byte(&f)) {
	case 'l':
		lex(&f);
		break;
	case 'r':
		ranges(&f);
		break;
	case 'n':
		numbers(&f);
		break;
	case 'w':
		where(&f);
		break;
	case 's':
		states(&f);
		break;
	case 'a':
		args(&f);
		break;
	case 'c':
		defaults(&f, 0);
		break;
	case 'C':
		defaults(&f, 1);
		break;
	}
	return 0;
}
