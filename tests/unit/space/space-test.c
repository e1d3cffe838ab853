#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "space/space.h"
#include "space/spec.h"

/* ---- a space from one line, its points as one line ---- */

static int
read_values(
    void *arg, const char *path, char **text, size_t *length, struct error *e)
{
	static const struct {
		const char *path, *text;
	} files[] = {
	    {"three.txt", "a\nb c,d\nc\n"},
	    {"crlf.txt",
		"\xef\xbb\xbf"
		"1\r\n\r\n2"},
	    {"empty.txt", "\n"},
	};
	size_t i;

	(void)arg;
	for (i = 0; i < sizeof files / sizeof *files; i++)
		if (strcmp(path, files[i].path) == 0) {
			*text = strdup(files[i].text);
			*length = strlen(*text);
			return 0;
		}
	return error_set(e, "%s: cannot open", path);
}

static int
take(struct space *s, const char *option, char *word, struct error *e)
{
	if (option == NULL)
		return space_add(s, word, e);
	switch (option[1]) {
	case 'z':
		return space_zip(s, word, e);
	case 'x':
		return space_except(s, word, e);
	case 'w':
		return space_when(s, word, e);
	case 'f':
		return space_spec(s, word, strlen(word), e);
	case 'n':
		space_samples(s, strtoull(word, NULL, 10));
		return 0;
	default:
		space_seed(s, strtoull(word, NULL, 10));
		return 0;
	}
}

/*
 * Declare what a line says: words, -z -x -w -f -n -s; %20 is a blank, and ' in
 * a spec is ".
 */
static int
declare(struct space *s, const char *line, struct error *e)
{
	char *copy = strdup(line), *word, *rest = NULL, *blank, *quote;
	const char *option = NULL;
	int rc = 0;

	space_reader(s, read_values, NULL);
	for (word = strtok_r(copy, " ", &rest); word != NULL && rc == 0;
	     word = strtok_r(NULL, " ", &rest)) {
		while ((blank = strstr(word, "%20")) != NULL) {
			*blank = ' ';
			memmove(blank + 1, blank + 3, strlen(blank + 3) + 1);
		}
		if (option == NULL && word[0] == '-') {
			option = word;
			continue;
		}
		for (quote = word; option != NULL && option[1] == 'f' &&
		     (quote = strchr(quote, '\'')) != NULL;)
			*quote = '"';
		rc = take(s, option, word, e);
		option = NULL;
	}
	free(copy);
	return rc;
}

struct printed {
	char text[65536];
	size_t used;
	const struct space *space;
};

static void
append(struct printed *p, const char *text)
{
	p->used += (size_t)snprintf(
	    p->text + p->used, sizeof p->text - p->used, "%s", text);
	assert_true(p->used < sizeof p->text);
}

/* "1e-3 16/1e-3 64": what has no value is "-", JSON is between < and >. */
static int
print(void *arg, const struct space_point *point)
{
	struct printed *p = arg;
	const char *value;
	size_t i;

	append(p, p->used > 0 ? "/" : "");
	for (i = 0; i < space_width(p->space); i++) {
		append(p, i > 0 ? " " : "");
		value = space_value(point, i);
		if (value != NULL && space_value_kind(point, i) == SPACE_JSON)
			append(p, "<");
		append(p, value ? value : "-");
		if (value != NULL && space_value_kind(point, i) == SPACE_JSON)
			append(p, ">");
	}
	return 0;
}

/* The points of a line, or its refusal after "! "; static. */
static const char *
expanded(const char *line)
{
	static struct printed p;
	struct space *s = space_new();
	struct error e = {""};

	p = (struct printed){.space = s};
	if (declare(s, line, &e) == -1 || space_end(s, print, &p, &e) == -1)
		snprintf(p.text, sizeof p.text, "! %s", e.text);
	space_free(s);
	return p.text;
}

struct row {
	const char *line;
	const char *points; /* "! " and a part of the reason for a refusal */
};

static void
check_table(const struct row *table, size_t count)
{
	const char *got, *want;
	size_t i;

	for (i = 0; i < count; i++) {
		got = expanded(table[i].line);
		want = table[i].points;
		if (want[0] == '!'
			? got[0] != '!' || strstr(got, want + 2) == NULL
			: strcmp(got, want) != 0)
			fail_msg("%s\n gives %s\n not   %s", table[i].line, got,
			    want);
	}
}

#define CHECK(table) check_table(table, sizeof(table) / sizeof *(table))

/* ---- lists, ranges, generators ---- */

static void
last_hyperparameter_varies_fastest(void **state)
{
	static const struct row table[] = {
	    {"lr=1e-3,1e-4 bs=16,64", "1e-3 16/1e-3 64/1e-4 16/1e-4 64"},
	    {"a=1 b=2 c=x,y", "1 2 x/1 2 y"},
	    {"lr=1e-3 lr=1e-4 seed=1 seed=2", "1e-3 1/1e-3 2/1e-4 1/1e-4 2"},
	    {"a=1,2 b=x a=3", "1 x/2 x/3 x"},
	    {"", ""},
	};

	(void)state;
	CHECK(table);
}

static void
typed_values_stay_verbatim(void **state)
{
	static const struct row table[] = {
	    {"a=1e-3,0.0010,+5,-7,007,0x10,1_000",
		"1e-3/0.0010/+5/-7/007/0x10/"
		"1_000"},
	    {"a=../data,a..b,..5,x:y,http://x:80/a,a@b,a=b,v1..2",
		"../data/a..b/..5/x:y/http://x:80/a/a@b/a=b/v1..2"},
	    {"a=x\\,y,\\@f,c\\\\d,\\d,e\\", "x,y/@f/c\\d/\\d/e\\"},
	    {"a=logs,linear,log,uniformly:1,nan,inf",
		"logs/linear/log/uniformly:1/nan/inf"},
	    {"model.depth=18 weight-decay=0 _x=1", "18 0 1"},
	    {"a=\xff\xfe", "\xff\xfe"},
	};

	(void)state;
	CHECK(table);
}

static void
ranges_are_inclusive_and_exact(void **state)
{
	static const struct row table[] = {
	    {"a=1..5", "1/2/3/4/5"},
	    {"a=5..1", "5/4/3/2/1"},
	    {"a=-1..1", "-1/0/1"},
	    {"a=1..10..3", "1/4/7/10"},
	    {"a=1..9..3", "1/4/7"},
	    {"a=10..1..-4", "10/6/2"},
	    {"a=3..3", "3"},
	    {"a=1..2..5", "1"},
	    {"a=0..0.5..0.1", "0.0/0.1/0.2/0.3/0.4/0.5"},
	    {"a=0..1..0.3", "0.0/0.3/0.6/0.9"},
	    {"a=0.5..-0.5..-0.5", "0.5/0.0/-0.5"},
	    {"a=0.5..2.5", "0.5/1.5/2.5"},
	    {"a=0.10..0.30..0.10", "0.10/0.20/0.30"},
	    {"a=1..2.5..1", "1/2"},
	    {"a=1e-3..3e-3..1e-3", "0.001/0.002/0.003"},
	    {"a=1e3..3e3..1e3", "1000/2000/3000"},
	    {"a=-0.1..0.1..0.1", "-0.1/0.0/0.1"},
	    {"a=999999999999999999..1000000000000000000",
		"999999999999999999/1000000000000000000"},
	    {"a=-1e-18..0..1e-18",
		"-0.000000000000000001/0.000000000000000000"},
	    {"a=0,1..2,x,5..6", "0/1/2/x/5/6"},
	    {"a=1..",
		"! a: a range takes 2 or 3 numbers, as in 1..5 or "
		"0..0.5..0.1 (write a:='[\"1..\"]' for this"},
	    {"a=1..5..", "! a: a range takes"},
	    {"a=1..x", "! a: a range takes"},
	    {"a=1..5..1..2", "! a: a range takes"},
	    {"a=1..5..0", "! a: a range needs a step other than 0"},
	    {"a=1..5..-1",
		"! a: the step -1 leads away from 5 (write 1..5..1)"},
	    {"a=5..1..2", "! a: the step 2 leads away from 1 (write 5..1..-2)"},
	    {"a=0..0.5",
		"! a: a range of fractions needs a step, as in "
		"0..0.5..0.1"},
	    {"a=0.5..2.2",
		"! a: a range of fractions needs a step, as in "
		"0.5..2.2..0.1"},
	    {"a=1e-4..1e-1",
		"! a: a range of fractions needs a step (write "
		"log:1e-4:1e-1:4 for 4 values, or loguniform:1e-4:1e-1 to "
		"draw values)"},
	    {"a=0.001..0.5",
		"! a: a range of fractions needs a step (write "
		"log:0.001:0.5:4 for"},
	    {"a=0..1000000000000000001",
		"! a: a range takes numbers of at most "
		"18 digits"},
	    {"a=1e400..1e401", "! a: a range takes numbers of at most"},
	    {"a=0..1..1e-19", "! a: a range takes numbers of at most"},
	    {"a=100..101..1e-17", "! a: a range takes numbers of at most"},
	    {"a=0..1e99999999999999999999", "! a: a range takes numbers"},
	};

	(void)state;
	CHECK(table);
}

static void
lin_and_log_include_both_ends(void **state)
{
	static const struct row table[] = {
	    {"a=lin:32:128:4", "32/64/96/128"},
	    {"a=lin:0:1:5", "0/0.25/0.5/0.75/1"},
	    {"a=lin:0:1:4", "0/0.333333/0.666667/1"},
	    {"a=lin:1:0:3", "1/0.5/0"},
	    {"a=lin:0.1:0.5:5", "0.1/0.2/0.3/0.4/0.5"},
	    {"a=lin:0:4000000:3", "0/2000000/4000000"},
	    {"a=lin:0:1:1025 -x a>0.001", "0/0.0009765625"},
	    {"a=lin:1e-10:3e-10:3", "1e-10/2e-10/3e-10"},
	    {"a=lin:-1:1:3", "-1/0/1"},
	    {"a=lin:0:1e300:3", "0/5e+299/1e+300"},
	    {"a=log:1e-4:1e-1:4", "0.0001/0.001/0.01/0.1"},
	    {"a=log:1:1024:11", "1/2/4/8/16/32/64/128/256/512/1024"},
	    {"a=log:100:1:3", "100/10/1"},
	    {"wd=0,log:1e-6:1e-3:4", "0/1e-06/1e-05/0.0001/0.001"},
	    {"a=log:1e-300:1e300:3", "1e-300/1/1e+300"},
	    {"lr=log:0:1e-1:4",
		"! lr: log needs a lower bound above 0 (put 0 in the list: "
		"lr=0,log:1e-6:1e-3:4)"},
	    {"a=log:-1:1:4", "! a: log needs a lower bound above 0"},
	    {"lr=randint:1:5",
		"! lr: randint:1:5: did you mean int? (write "
		"lr:='[\"randint:1:5\"]' for this very text)"},
	    {"lr=unifrm:0:1",
		"! lr: unifrm:0:1: did you mean uniform? (write "
		"lr:='[\"unifrm:0:1\"]' for this very text)"},
	    {"lr=lgo:1:2:3",
		"! lr: lgo:1:2:3: did you mean log? (write "
		"lr:='[\"lgo:1:2:3\"]' for this very text)"},
	    {"at=gpu:0:1", "gpu:0:1"},
	    {"at=unifrm:0:x", "unifrm:0:x"},
	    {"lr=log:1e-4:1e-1",
		"! lr: log takes 3 numbers, as in log:1e-4:1e-1:4"},
	    {"a=log:1:2:3:4", "! a: log takes 3 numbers"},
	    {"a=log:", "! a: log takes 3 numbers"},
	    {"a=log:a:b:3", "! a: log takes 3 numbers"},
	    {"a=1,log:x", "! a: log takes 3 numbers"},
	    {"a=lin:1:2:x", "! a: lin takes a whole number of values"},
	    {"a=lin:1:2:2.5", "! a: lin takes a whole number of values"},
	    {"a=lin:1:2:1", "! a: lin makes 2 to 1000000 values, not 1"},
	    {"a=lin:1:2:1000001", "! a: lin makes 2 to 1000000 values"},
	    {"a=lin:1:1:2", "! a: lin needs two bounds that differ"},
	    {"a=lin:1e400:1:2", "! a: lin takes finite numbers, not 1e400"},
	    {"a=lin:nan:1:2", "! a: lin takes finite numbers, not nan"},
	    {"a=log:1:1.0000001:3", "! a: log gives 1 twice, with 6 digits"},
	};

	(void)state;
	CHECK(table);
}

static void
files_give_one_value_a_line(void **state)
{
	static const struct row table[] = {
	    {"a=@three.txt", "a/b c,d/c"},
	    {"a=@crlf.txt,3", "1/2/3"},
	    {"a=@empty.txt", "! a: empty.txt has no values"},
	    {"a=@none.txt", "! a: none.txt: cannot open"},
	    {"a=@",
		"! a: no file is named after the @ (write a=@values.txt, "
		"or \\@ for"},
	    {"a=@three.txt,a",
		"! a: a value is given twice (a): leave one out"},
	};

	(void)state;
	CHECK(table);
}

static void
json_values_are_taken_literally(void **state)
{
	static const struct row table[] = {
	    {"layers:=[[64],[64,%2032]]", "<[64]>/<[64,32]>"},
	    {"a:={\"x\":%20[1,\"%20y\"]}", "<{\"x\":[1,\" y\"]}>"},
	    {"a:=[1e-3,0.10,\"log:1\",\"a,b\",\"@f\",\"1..3\"]",
		"1e-3/0.10/log:1/a,b/@f/1..3"},
	    {"a:=[true,false,null,\"\"]", "<true>/<false>/-/"},
	    {"a:=5 a=6", "5/6"},
	    {"a:=\"\\u00e9\\n\"", "\xc3\xa9\n"},
	    {"a:=[[]]", "<[]>"},
	    {"a:=[]", "! a: no values (write a:='[[]]' for an empty array)"},
	    {"a:=[1,]", "! a: column 4: a value is missing"},
	    {"a:=adam", "! a: column 1: 'adam' is no JSON"},
	    {"a:=", "! a: column 1: a value is missing"},
	    {"a:=[1,1]", "! a: a value is given twice (1): leave one out"},
	    {"a:=[null,null]",
		"! a: a value is given twice (null): leave one out"},
	};

	(void)state;
	CHECK(table);
}

static void
words_that_are_wrong_are_refused_with_the_way_to_write_them(void **state)
{
	static const struct row table[] = {
	    {"lr", "! lr: no values (write lr=1e-3,1e-4)"},
	    {"lr:1",
		"! 'lr:1': not a hyperparameter (write NAME=VALUES, as in "
		"lr=1e-3,1e-4)"},
	    {"=1", "! '': not a name"},
	    {":=1", "! '': not a name"},
	    {"2a=1",
		"! '2a': not a name (a letter or _, then letters, digits, "
		"_ . -)"},
	    {"a%20b=1", "! 'a b': not a name"},
	    {"@=1", "! '@': not a name"},
	    {"a=1,2 @mem=4G,4G",
		"! @mem: a value is given twice (4G): leave one out"},
	    {"a=1,1 @mem=4G,8G -z a,@mem",
		"! a: a value is given twice (1): leave one out"},
	    {"@1=1", "! '@1': not a name"},
	    {"@@mem=1", "! '@@mem': not a name"},
	    {"@memm=1",
		"! @memm: nothing that a point can ask of Slurm (did you mean "
		"@mem?)"},
	    {"@x=1",
		"! @x: nothing that a point can ask of Slurm (@mem, @time, "
		"@gpus, @cpus, @partition, @constraint, @qos, @account)"},
	    {"a=1 @time=1 -z a,@tim", "! (did you mean @time?)"},
	    {"l\xc3\xa9=1",
		"! 'l\xc3\xa9': \xc3\xa9 cannot be in a name, which becomes"},
	    {"\xce\xbb=1", "! : \xce\xbb cannot be in a name"},
	    {"l\xe9=1", "! not a name"},
	    {"lr=",
		"! lr: empty value (write lr:='[\"\"]' for an empty "
		"string)"},
	    {"lr=1e-3,,1e-4", "! lr: empty value"},
	    {"lr=1,",
		"! lr: empty value (leave out a blank after the comma, or "
		"write lr:='[\"\"]' for an empty string)"},
	    {"lr=,1", "! lr: empty value"},
	    {"a=x\ny", "! a: a line end in a value (write it as JSON: "},
	    {"lr=1,2,1", "! lr: a value is given twice (1): leave one out"},
	    {"lr=1 lr=1", "! lr: a value is given twice (1): leave one out"},
	    {"a=1..3,2", "! a: a value is given twice (2): leave one out"},
	    {"a=5,1..3,0..9..3",
		"! a: a value is given twice (3): leave one out"},
	    {"a=0..1..0.5,0.5",
		"! a: a value is given twice (0.5): leave one out"},
	    {"a=1..1000000000,1000000000..2000000000",
		"! a: a value is given twice (1000000000): leave one out"},
	    {"a=1..99..2,100..1..-2 -x a>0", ""},
	    {"a=1..3,2.0,02,+2,2e0 -x a!=2", "2/2.0/02/+2/2e0"},
	};

	(void)state;
	CHECK(table);
}

/* ---- what is said about hyperparameters ---- */

static void
zips_pair_values(void **state)
{
	static const struct row table[] = {
	    {"lr=1e-3,1e-4 bs=64,128 seed=1..2 -z lr,bs",
		"1e-3 64 1/1e-3 64 2/1e-4 128 1/1e-4 128 2"},
	    {"-z a,c a=1,2 b=x,y c=5..6", "1 x 5/1 y 5/2 x 6/2 y 6"},
	    {"-z a,@mem a=1,2 @mem=4G,8G", "1 4G/2 8G"},
	    {"-z a,@mem a=1,2,3 @mem=4G,4G,8G", "1 4G/2 4G/3 8G"},
	    {"a=1,2 b=3,4 c=5,6 d=7,8 -z a,d -z c,b",
		"1 3 5 7/1 4 6 7/2 3 5 8/2 4 6 8"},
	    {"lr=1,2 bs=1,2,3 -z lr,bs",
		"! --zip lr,bs: give each the same number of values, not "
		"lr 2, bs 3"},
	    {"a=1,2 b=1,2 c=1 -z a,b,c",
		"! --zip a,b,c: give each the same number of values, not "
		"a 2, b 2, c 1"},
	    {"a=1 -z a,q", "! --zip a,q: no hyperparameter q (there is a)"},
	    {"opt=1 lr=1 -z lr,optt",
		"! no hyperparameter optt (did you mean opt?)"},
	    {"a=1 b=1 -z a", "! --zip a: only one name"},
	    {"a=1 b=1 -z a,a", "! --zip a,a: a is named twice"},
	    {"a=1 b=1 -z a,,b", "! --zip a,,b: '': not a name"},
	    {"a=1 b=1 c=1 -z a,b -z b,c", "! --zip b,c: b is in --zip a,b"},
	    {"-n 2 a=uniform:0:1 b=1,2 -z a,b",
		"! --zip a,b: a is a random distribution"},
	};

	(void)state;
	CHECK(table);
}

static void
conditions_leave_points_out(void **state)
{
	static const struct row table[] = {
	    {"opt=sgd,adam lr=0.1,0.01 -x opt=adam,lr=1e-1",
		"sgd 0.1/sgd 0.01/adam 0.01"},
	    {"a=1..5 -x a<2 -x a>=4", "2/3"},
	    {"a=1,2 b=1,2 -x a=1,b=1 -x a=2,b=2", "1 2/2 1"},
	    {"a=1,2 -x a=1 -x a=2", ""},
	    {"opt=1 -x lr=1",
		"! --except lr=1: no hyperparameter lr (there is "
		"opt)"},
	    {"opt=1 -x opt", "! --except: opt: not a condition"},
	    {"opt=1 -x opt<adam", "! 'adam' is not a number"},
	};

	(void)state;
	CHECK(table);
}

static void
conditional_names_leave_no_duplicates(void **state)
{
	static const struct row table[] = {
	    {"opt=sgd,adam lr=0.1,0.01 m=0.9,0.99 -w m:opt=sgd -x "
	     "opt=adam,lr=0.1",
		"sgd 0.1 0.9/sgd 0.1 0.99/sgd 0.01 0.9/sgd 0.01 0.99/"
		"adam 0.01 -"},
	    {"m=1,2 opt=a,b -w m:opt=a", "1 a/- b/2 a"},
	    {"opt=a,b,c m=1,2 -w m:opt=a -w m:opt=c", "a 1/a 2/b -/c 1/c 2"},
	    /* a chain, declared back to front */
	    {"c=1,2 b=1,2 a=1,2 -w c:b=2 -w b:a=1", "- 1 1/- - 2/1 2 1/2 2 1"},
	    /* two that are dropped together, and apart */
	    {"o=x,y a=1,2 b=1,2 -w a:o=x -w b:o=x",
		"x 1 1/x 1 2/x 2 1/x 2 2/y - -"},
	    {"o=x,y a=1,2 b=1,2 -w a:o=x -w b:o=y", "x 1 -/x 2 -/y - 1/y - 2"},
	    /* inside a zip only what is dropped as a whole collapses */
	    {"o=x,y a=1,2 b=3,4 -z a,b -w a:o=x", "x 1 3/x 2 4/y - 3/y - 4"},
	    {"o=x,y a=1,2 b=3,4 -z a,b -w a:o=x -w b:o=x", "x 1 3/x 2 4/y - -"},
	    {"o=x,y m=1,2 -z o,m -w m:o=x", "x 1/y -"},
	    /* a condition on what is absent does not hold */
	    {"o=x,y a=1,2 -w a:o=x -x a!=1", "x 1/y -"},
	    {"a=1,2 b=1,2 -w a:b=1 -w b:a=1",
		"! --when a:b=1: the conditions go round in a circle: "
		"whether a "
		"is given depends on itself: leave one --when out"},
	    {"a=1,2 -w a:a=1", "! --when a:a=1: the conditions go round"},
	    {"a=1 -w b:a=1", "! --when b:a=1: no hyperparameter b"},
	    {"a=1 -w a:b=1", "! --when a:b=1: no hyperparameter b"},
	    {"a=1 -w a",
		"! --when a: write NAME:CONDITION, as in "
		"momentum:opt=sgd"},
	    {"a=1 -w a:", "! --when: : not a condition"},
	};

	(void)state;
	CHECK(table);
}

/* Four hyperparameters a b c d at random; 0 stands for no value. */
struct puzzle {
	int values[4];
	int on[4], equals[4]; /* is given where on is equals; -1: always */
	int zipped;           /* b goes with a */
	char line[256];
};

static void
make_puzzle(struct puzzle *p)
{
	size_t used = 0;
	int i;

	p->zipped = rand() % 2;
	for (i = 0; i < 4; i++) {
		p->values[i] = 1 + rand() % 3;
		p->on[i] = i > 0 && rand() % 3 > 0 ? rand() % i : -1;
		p->equals[i] = 1 + rand() % 3;
	}
	if (p->zipped)
		p->values[1] = p->values[0];
	for (i = 3; i >= 0; i--)
		used += (size_t)sprintf(
		    p->line + used, "%c=1..%d ", 'a' + i, p->values[i]);
	for (i = 0; i < 4; i++)
		if (p->on[i] >= 0)
			used += (size_t)sprintf(p->line + used, "-w %c:%c=%d ",
			    'a' + i, 'a' + p->on[i], p->equals[i]);
	if (p->zipped)
		strcpy(p->line + used, "-z b,a");
}

/* Mark which points there must be, by their digits in base 4. */
static void
solve(const struct puzzle *p, int point[256])
{
	int n, i, x[4], key;

	memset(point, 0, 256 * sizeof *point);
	for (n = 0; n < 256; n++) {
		for (i = 0, key = n; i < 4; i++, key /= 4)
			x[i] = 1 + key % 4;
		for (i = 0; i < 4 && x[i] <= p->values[i]; i++)
			;
		if (i < 4 || (p->zipped && x[0] != x[1]))
			continue;
		for (i = 0, key = 0; i < 4; i++) {
			if (p->on[i] >= 0 && x[p->on[i]] != p->equals[i])
				x[i] = 0;
			key = key * 4 + x[i];
		}
		point[key] = 1;
	}
}

/* The columns come as d c b a. */
static void
conditional_points_are_each_there_once(void **state)
{
	struct puzzle p;
	const char *at, *got;
	int i, j, key, point[256];

	(void)state;
	srand(2);
	for (i = 0; i < 1000; i++) {
		make_puzzle(&p);
		solve(&p, point);
		got = expanded(p.line);
		for (at = got; *at != '\0'; at += *at == '/') {
			for (key = 0, j = 0; j < 4; j++, at += 1 + (j < 4))
				key += (*at == '-' ? 0 : *at - '0') << 2 * j;
			if (!point[key & 255])
				fail_msg("%s: %s: twice or wrong: %d", p.line,
				    got, key);
			point[key & 255] = 0;
		}
		for (j = 0; j < 256; j++)
			if (point[j])
				fail_msg("%s: %s: missing %d", p.line, got, j);
	}
}

/* ---- random values ---- */

static void
distributions_need_samples_and_the_reverse(void **state)
{
	static const struct row table[] = {
	    {"lr=loguniform:1e-5:1e-1",
		"! lr: a random distribution needs --samples N"},
	    {"a=1 -n 5",
		"! --samples 5: no hyperparameter has a random "
		"distribution, as in lr=loguniform:1e-5:1e-1"},
	    {"-n 2 a=uniform:0:1,5", "! a: a random distribution stands alone"},
	    {"-n 2 a=5,uniform:0:1", "! a: a random distribution stands alone"},
	    {"-n 2 a=5 a=uniform:0:1", "! a: a random distribution stands"},
	    {"-n 2 a=uniform:0:1 a=5", "! a: a random distribution stands"},
	    {"-n 2 a=uniform:0:1 a:=5", "! a: a random distribution stands"},
	    {"-n 2 a=uniform:0",
		"! a: uniform takes 2 numbers, as in "
		"uniform:0:0.5"},
	    {"-n 2 a=uniform:0:x", "! a: uniform takes 2 numbers"},
	    {"-n 2 a=uniform:0:inf", "! a: uniform takes 2 numbers"},
	    {"-n 2 a=uniform:0:1e400", "! a: uniform takes finite numbers"},
	    {"-n 2 a=uniform:1:0",
		"! a: uniform needs the smaller bound first"},
	    {"-n 2 a=uniform:1:1",
		"! a: uniform needs the smaller bound first"},
	    {"-n 2 a=loguniform:0:1",
		"! a: loguniform needs a lower bound above 0"},
	    {"-n 2 a=int:1:2.5", "! a: int takes whole numbers"},
	    {"-n 2 a=int:1:9999999999999999999",
		"! a: int takes whole numbers"},
	    {"-n 2 a=int:4:1", "! a: int needs the smaller bound first"},
	    {"-n 2 a=logint:0:4", "! a: logint needs a lower bound of 1"},
	    {"-n 2 a=normal:0:0", "! a: normal needs a deviation above 0"},
	    {"-n 2 a=normal:1e308:1e308", "! a: normal has values that are"},
	    {"-n 2 a=lognormal:0:1000", "! a: lognormal has values that are"},
	    {"-n 2 a=choice:x",
		"! a: choice takes 2 or more values, as in "
		"choice:relu:gelu"},
	    {"-n 2 a=choice:x:", "! a: choice takes 2 or more values"},
	    {"-n 2 a=choice:x:x",
		"! a: a value is given twice (x): leave one out"},
	};

	(void)state;
	CHECK(table);
}

static void
samples_are_one_axis_where_the_first_distribution_stands(void **state)
{
	char line[] = "-n 2 z=x,y a=int:1:1000 b=1,2 c=int:1:1000";
	char a[2][8], c[2][8], want[256];
	const char *got = expanded(line);

	(void)state;
	assert_int_equal(sscanf(got,
			     "x %7s 1 %7[^/]/x %*s 2 %*[^/]/x %7s 1 "
			     "%7[^/]/",
			     a[0], c[0], a[1], c[1]),
	    4);
	snprintf(want, sizeof want,
	    "x %s 1 %s/x %s 2 %s/x %s 1 %s/x %s 2 %s/"
	    "y %s 1 %s/y %s 2 %s/y %s 1 %s/y %s 2 %s",
	    a[0], c[0], a[0], c[0], a[1], c[1], a[1], c[1], a[0], c[0], a[0],
	    c[0], a[1], c[1], a[1], c[1]);
	assert_string_equal(got, want);
	assert_string_not_equal(a[0], c[0]);
}

static void
a_draw_depends_on_seed_index_and_name_alone(void **state)
{
	char few[4096], more[4096];

	(void)state;
	strcpy(few, expanded("-n 3 -s 7 lr=loguniform:1e-5:1e-1"));
	strcpy(more, expanded("-n 5 -s 7 lr=loguniform:1e-5:1e-1"));
	assert_memory_equal(few, more, strlen(few));
	strcpy(more, expanded("-n 3 -s 8 lr=loguniform:1e-5:1e-1"));
	assert_string_not_equal(few, more);
	strcpy(more, expanded("-n 3 -s 7 l2=loguniform:1e-5:1e-1"));
	assert_string_not_equal(few, more);
	strcpy(few, expanded("-n 3 -s 7 a=int:1:9 b=normal:0:1 -x a<0"));
	strcpy(more, expanded("-n 3 -s 7 b=normal:0:1 a=int:1:9 c=1"));
	assert_string_equal(strchr(strchr(strchr(few, '/'), ' '), ' ') + 1,
	    strchr(strchr(strchr(few, '/'), ' '), ' ') + 1);
	assert_int_equal(
	    strcspn(strchr(few, ' ') + 1, "/"), strcspn(more, " "));
	assert_memory_equal(strchr(few, ' ') + 1, more, strcspn(more, " "));
}

/* These must never change: they are what people wrote into papers. */
static void
draws_are_the_same_in_every_release(void **state)
{
	(void)state;
	assert_string_equal(
	    expanded("-n 2 -s 7 lr=loguniform:1e-5:1e-1 layers=int:1:4 "
		     "act=choice:relu:gelu n=normal:0:1"),
	    "0.0103204 2 relu -1.51386/0.06284 1 relu -0.480023");
}

/* Mean and variance of values that a function of their text gives. */
struct moments {
	double sum, squares, least, most;
	size_t count;
	double (*of)(double);
};

static int
gather(void *arg, const struct space_point *point)
{
	struct moments *m = arg;
	double x;

	assert_int_equal(num_parse(space_value(point, 0), &x), 1);
	if (m->count == 0)
		m->least = m->most = x;
	m->least = x < m->least ? x : m->least;
	m->most = x > m->most ? x : m->most;
	x = m->of ? m->of(x) : x;
	m->sum += x;
	m->squares += x * x;
	m->count++;
	return 0;
}

static void
draws_have_the_right_mean_and_variance(void **state)
{
	static const struct {
		const char *word;
		double (*of)(double);
		double mean, variance, least, most;
	} table[] = {
	    {"a=uniform:0:1", NULL, 0.5, 1. / 12, 0, 1},
	    {"a=uniform:-3:9", NULL, 3, 12, -3, 9},
	    {"a=loguniform:1e-4:1", log10, -2, 16. / 12, 1e-4, 1},
	    {"a=int:1:6", NULL, 3.5, 35. / 12, 1, 6},
	    {"a=int:-1:1", NULL, 0, 2. / 3, -1, 1},
	    {"a=normal:5:2", NULL, 5, 4, -10, 20},
	    {"a=lognormal:1:0.5", log, 1, 0.25, 0, 100},
	    {"a=choice:0:1", NULL, 0.5, 0.25, 0, 1},
	    {"a=logint:1:3", NULL, 0.5 + 2 * 0.29248 + 3 * 0.20752,
		0.5 + 4 * 0.29248 + 9 * 0.20752 -
		    (0.5 + 2 * 0.29248 + 3 * 0.20752) *
			(0.5 + 2 * 0.29248 + 3 * 0.20752),
		1, 3},
	};
	struct moments m;
	struct space *s;
	double mean, variance, error;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		s = space_new();
		m = (struct moments){.of = table[i].of};
		assert_int_equal(space_add(s, table[i].word, NULL), 0);
		space_samples(s, 100000);
		assert_int_equal(space_end(s, gather, &m, NULL), 0);
		assert_int_equal(m.count, 100000);
		mean = m.sum / (double)m.count;
		variance = m.squares / (double)m.count - mean * mean;
		error = 5 * sqrt(table[i].variance / (double)m.count);
		if (fabs(mean - table[i].mean) > error ||
		    fabs(variance / table[i].variance - 1) > 0.03 ||
		    m.least < table[i].least || m.most > table[i].most)
			fail_msg("%s: mean %g variance %g from %g to %g",
			    table[i].word, mean, variance, m.least, m.most);
		space_free(s);
	}
}

static double
first_draw(uint64_t seed)
{
	struct moments m = {0};
	struct space *s = space_new();

	assert_int_equal(space_add(s, "a=uniform:0:1", NULL), 0);
	space_samples(s, 1);
	space_seed(s, seed);
	assert_int_equal(space_end(s, gather, &m, NULL), 0);
	space_free(s);
	return m.sum;
}

/* Seeds 1, 2, 3 of srand48 give a lattice: equal steps. */
static void
seeds_side_by_side_are_unrelated(void **state)
{
	enum { N = 2000 };
	double x[N], mean = 0, variance = 0, both = 0;
	int i, tenth[10] = {0};

	(void)state;
	for (i = 0; i < N; i++) {
		x[i] = first_draw((uint64_t)i);
		mean += x[i] / N;
		tenth[(int)(x[i] * 10)]++;
	}
	for (i = 0; i < N; i++)
		variance += (x[i] - mean) * (x[i] - mean) / N;
	for (i = 0; i + 1 < N; i++)
		both += (x[i] - mean) * (x[i + 1] - mean) / N;
	assert_true(fabs(mean - 0.5) < 0.03);
	assert_true(fabs(both / variance) < 0.1);
	for (i = 0; i < 10; i++)
		assert_in_range(tenth[i], 140, 260);
}

/* ---- counting ---- */

static uint64_t
size_of(const char *line, struct error *e)
{
	struct space *s = space_new();
	uint64_t size = 0;

	if (declare(s, line, e) == 0 && space_finish(s, e) == 0)
		size = space_size(s);
	space_free(s);
	return size;
}

static void
combinations_are_counted_without_overflow(void **state)
{
	struct error e;

	(void)state;
	assert_int_equal(size_of("a=1,2,3 b=1..5 c=lin:0:1:7", &e), 105);
	assert_int_equal(size_of("seed=1..1000000000", &e), 1000000000);
	assert_int_equal(size_of("a=1..1000000000 b=1..1000000000", &e),
	    1000000000000000000);
	assert_int_equal(size_of("a=1..4294967296 b=1..4294967295", &e),
	    18446744069414584320u);
	assert_int_equal(size_of("a=1..4294967296 b=1..4294967296", &e), 0);
	assert_int_equal(
	    size_of("a=1..1000 b=1..1000000000 c=1..1000000000 d=1..1000000000",
		&e),
	    0);
	assert_string_equal(e.text,
	    "about 1e+30 combinations are too many to number (b alone has "
	    "1000000000 values)");
	assert_int_equal(
	    size_of("-f [{'params':{'a':{'range':[1,1000000000000000000]"
		    "}}},{'params':{'a':{'range':[1,1000000000000000000]"
		    "}}}] b=1..18",
		&e),
	    0);
	assert_non_null(strstr(e.text, "too many combinations"));
}

static void
any_combination_can_be_asked_for(void **state)
{
	struct space *s = space_new();
	struct space_point *p;

	(void)state;
	assert_int_equal(
	    declare(s, "a=1..1000000000 b=0..1..0.001 c=x,y", NULL), 0);
	assert_int_equal(space_finish(s, NULL), 0);
	p = space_point_new(s);
	assert_true(space_at(s, space_size(s) - 1, p));
	assert_string_equal(space_value(p, 0), "1000000000");
	assert_string_equal(space_value(p, 1), "1.000");
	assert_string_equal(space_value(p, 2), "y");
	assert_true(space_at(s, 2002 * UINT64_C(123456788) + 7, p));
	assert_string_equal(space_value(p, 0), "123456789");
	assert_string_equal(space_value(p, 1), "0.003");
	assert_string_equal(space_value(p, 2), "y");
	assert_true(space_at(s, 0, p));
	assert_string_equal(space_value(p, 0), "1");
	assert_string_equal(space_value(p, 1), "0.000");
	assert_string_equal(space_value(p, 2), "x");
	space_point_free(p);
	space_free(s);
}

static void
exact_spaces_are_told_apart(void **state)
{
	static const struct {
		const char *line;
		int exact;
	} table[] = {
	    {"a=1,2 b=1..5 c=lin:0:1:4 d:=[[1]] e=1,2 -z a,e", 1},
	    {"-f {'params':{'a':[1,2]}} b=1", 0},
	    {"a=1,2 -x a=1", 0},
	    {"a=1,2 b=1,2 -w b:a=1", 0},
	    {"a=log:1:100:3", 0},
	    {"a=@three.txt", 0},
	    {"-n 2 a=uniform:0:1", 0},
	    {"-f [{'params':{'a':1}},{'params':{'a':{'log':[1,"
	     "10,2]}}}]",
		0},
	};
	struct space *s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		s = space_new();
		assert_int_equal(declare(s, table[i].line, NULL), 0);
		assert_int_equal(space_finish(s, NULL), 0);
		assert_int_equal(space_is_exact(s), table[i].exact);
		space_free(s);
	}
}

static void
conditions_that_never_hold_are_found(void **state)
{
	static const char *const cases[][2] = {
	    {"o=s,t m=1 -w m:o=s", NULL},
	    {"o=s,t m=1 -w m:o=u", "--when m:o=u: no value of o"},
	    {"o=s,t m=1 -w m:o=s -w m:o=u", "--when m:o=u: no value of o"},
	    {"o=s,t m=1,2 -x o=s,m=3", "--except o=s,m=3: no value of m"},
	    {"o=1e-3,log:1:8:4 m=1 -w m:o=0.001", NULL},
	    {"o=0.1..0.5..0.1 m=1 -w m:o=0.3", NULL},
	    {"o=0.1..0.5..0.1 m=1 -w m:o=0.35",
		"--when m:o=0.35: no value of o"},
	    {"o=0.1,0.2 m=1,2 -x o>0.2", "--except o>0.2: no value of o"},
	    {"o=uniform:0:1 m=1 -n 2 -w m:o>5", NULL},
	    {"o=choice:s:t m=1 -n 2 -w m:o=t", NULL},
	    {"o=choice:s:t m=1 -n 2 -w m:o=u", "--when m:o=u: no value of o"},
	    {"o=1..20000 m=1 -w m:o=0", NULL},
	    {"o=s m=1 -f {'params':{'o':['t']},'when':{'m':{'o':'t'}}}", NULL},
	    {"m=1 -w m:o=t -f [{'params':{'o':'s'}},{'params':{'o':'t'}}]",
		NULL},
	    {"m=1 -w m:o=u -f [{'params':{'o':'s'}},{'params':{'o':'t'}}]",
		"--when m:o=u: no value of o"},
	};
	struct space *s;
	struct error e;
	char *unmet;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		s = space_new();
		if (declare(s, cases[i][0], &e) == -1)
			fail_msg("%s: %s", cases[i][0], e.text);
		assert_null(space_unmet(s)); /* not yet */
		if (space_finish(s, &e) == -1)
			fail_msg("%s: %s", cases[i][0], e.text);
		unmet = space_unmet(s);
		if ((unmet != NULL) != (cases[i][1] != NULL))
			fail_msg("%s: %s", cases[i][0],
			    unmet != NULL ? unmet : "no warning");
		if (unmet != NULL) {
			assert_ptr_equal(strstr(unmet, cases[i][1]), unmet);
			assert_non_null(strstr(unmet, " fulfils this"));
		}
		free(unmet);
		space_free(s);
	}
}

/* Two ranges at random: refused exactly when they share a value. */
static void
ranges_that_meet_are_found(void **state)
{
	int a, b, s, c, d, t, i, x, y, meet, found = 0;
	char line[128];

	(void)state;
	srand(1);
	for (i = 0; i < 2000; i++) {
		a = rand() % 40 - 20, b = a + rand() % 30, s = 1 + rand() % 7;
		c = rand() % 40 - 20, d = c - rand() % 30, t = 1 + rand() % 7;
		meet = 0;
		for (x = a; x <= b; x += s)
			for (y = c; y >= d; y -= t)
				meet |= x == y;
		snprintf(line, sizeof line, "a=%d..%d..%d,%d..%d..%d", a, b, s,
		    c, d, -t);
		if ((expanded(line)[0] == '!') != meet)
			fail_msg("%s: %s", line, expanded(line));
		found += meet;
	}
	assert_in_range(found, 200, 1800);
}

static void
failing_leaves_the_space_as_it_was(void **state)
{
	static const char *const wrong[] = {"a=5,log:1:2", "a=6..7,@none",
	    "a=x,uniform:0:1", "a:=[7,8", "b=1,", "c", "a=5,6,,"};
	struct space *s = space_new();
	struct printed p = {.space = s};
	size_t i;

	(void)state;
	assert_int_equal(declare(s, "a=1,2", NULL), 0);
	for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(space_add(s, wrong[i], NULL), -1);
	assert_int_equal(space_zip(s, "a", NULL), -1);
	assert_int_equal(space_except(s, "a", NULL), -1);
	assert_int_equal(space_when(s, "a", NULL), -1);
	assert_int_equal(space_spec(s, "{\"x\":1}", 7, NULL), -1);
	assert_int_equal(space_add(s, "a=3", NULL), 0);
	assert_int_equal(space_add(s, "r=1..2", NULL), 0);
	assert_int_equal(space_add(s, "r=5,,", NULL), -1);
	assert_int_equal(space_add(s, "r=7", NULL), 0);
	assert_int_equal(space_end(s, print, &p, NULL), 0);
	assert_string_equal(p.text, "1 1/1 2/1 7/2 1/2 2/2 7/3 1/3 2/3 7");
	space_free(s);
}

static void
hostile_sizes_are_refused(void **state)
{
	struct space *s = space_new();
	struct error e;
	char word[256], *big;
	int i;

	(void)state;
	for (i = 0; i < SPACE_NAMES; i++) {
		snprintf(word, sizeof word, "n%d=1", i);
		assert_int_equal(space_add(s, word, &e), 0);
	}
	assert_int_equal(space_add(s, "one.more=1", &e), -1);
	assert_string_equal(e.text, "more than 1024 hyperparameters");
	assert_int_equal(space_finish(s, &e), 0);
	space_free(s);

	s = space_new();
	memset(word, 'n', 129);
	strcpy(word + 129, "=1");
	assert_int_equal(space_add(s, word, &e), -1);
	assert_int_equal(space_add(s, word + 1, &e), 0);
	big = calloc(1, SPACE_SPEC + 2);
	memset(big, ' ', SPACE_SPEC + 1);
	memcpy(big, "{}", 2);
	assert_int_equal(space_spec(s, big, SPACE_SPEC + 1, &e), -1);
	assert_string_equal(e.text, "a spec of more than 1048576 bytes");
	assert_int_equal(space_spec(s, big, SPACE_SPEC, &e), 0);
	assert_int_equal(space_spec(s, big, SPACE_SPEC, &e), -1);
	free(big);
	space_free(s);
}

/* ---- specs ---- */

static void
a_spec_says_the_same_in_json(void **state)
{
	static const struct row table[] = {
	    {"-f {'params':{'lr':[1e-3,0.10,'x'],'n':5}}", "1e-3 5/0.10 5/x 5"},
	    {"-f {'params':{'a':{'range':[1,3]},'b':{'range':[0,"
	     "0.2,0.1]}}}",
		"1 0.0/1 0.1/1 0.2/2 0.0/2 0.1/2 0.2/3 0.0/3 0.1/3 0.2"},
	    {"-f {'params':{'a':{'lin':[0,1,3]},'b':{'log':[1,"
	     "100,3]}}}",
		"0 1/0 10/0 100/0.5 1/0.5 10/0.5 100/1 1/1 10/1 100"},
	    {"-f {'params':{'a':[[1,%202],{'log':[1,2]},"
	     "true,null,'log:1']}}",
		"<[1,2]>/<{\"log\":[1,2]}>/<true>/-/log:1"},
	    {"-f {'params':{'a':[1,2],'b':[3,4]},'zip':[['a',"
	     "'b']]}",
		"1 3/2 4"},
	    {"-f {'params':{'o':['s','t'],'m':[1,2]},'when':{'m':{"
	     "'o':'s'}}}",
		"s 1/s 2/t -"},
	    {"-f {'params':{'o':[1,2,3],'m':[1,2]},'when':{'m':[{'"
	     "o':1},'o>2']}}",
		"1 1/1 2/2 -/3 1/3 2"},
	    {"-f {'params':{'a':[1,2],'b':['x,=','y']},'exclude':["
	     "{'a':1,'b':'x,='},'a>1,b=y']}",
		"1 y/2 x,="},
	    {"-f [{'params':{'a':1,'b':[1,2]}},{'params':{'c':3,"
	     "'a':2}}]",
		"1 1 -/1 2 -/2 - 3"},
	    {"-f [{'params':{'a':1,'b':[1,2]}},{'params':{'c':3}}]"
	     " s=1,2",
		"1 1 - 1/1 1 - 2/1 2 - 1/1 2 - 2/- - 3 1/- - 3 2"},
	    {"-f [{'params':{'a':[1,2],'b':[3,4]}},{'params':{'c':"
	     "5}}] -z a,b -x a=2",
		"1 3 -/- - 5"},
	    {"-f [{'params':{'a':[1,2],'b':[3,4]}},{'params':{'a':"
	     "5}}] -z a,b",
		"! --zip a,b: one object of the spec has only some"},
	    {"-f {'description':''} a=1", "1"},
	};

	(void)state;
	CHECK(table);
	assert_string_equal(
	    expanded("-f {'params':{'a':{'uniform':[0,1]},'b':{'choice':[["
		     "1],'x']}},'samples':4,'seed_of_draws':7} b=choice:1:"
		     "x"),
	    expanded("-n 4 -s 7 a=uniform:0:1 b=choice:1:x"));
	assert_string_equal(
	    expanded("-f {'params':{'a':{'uniform':[0,1]}},'samples':4,"
		     "'seed_of_draws':7} -n 2 -s 0"),
	    expanded("-n 2 a=uniform:0:1"));
}

static void
words_replace_what_a_spec_says_of_the_same_name(void **state)
{
	static const struct row table[] = {
	    {"a=7,8 c=1 -f {'params':{'b':1,'a':[1,2,3],"
	     "'d':2}}",
		"1 7 2 1/1 8 2 1"},
	    {"a=7 -f [{'params':{'a':[1,2]}},{'params':{'b':[1,"
	     "2]}}]",
		"7 -/7 1/7 2"},
	    {"a=1,2 -f {'params':{'a':{'uniform':[0,1]}},"
	     "'samples':3}",
		"1/2"},
	    {"-f {'params':{'o':[1,2],'m':[1,2]},'when':{'m':'o=1'"
	     "}} -w m:o=2",
		"1 -/2 1/2 2"},
	    {"-f {'params':{'a':[1,2],'b':[1,2]},'zip':[['a',"
	     "'b']]} a=5",
		"! line 1, column 40: \"zip\" a,b: give each the same "
		"number of values, not "
		"a 1, b 2"},
	};

	(void)state;
	CHECK(table);
}

static void
what_is_wrong_in_a_spec_is_refused_with_its_place(void **state)
{
	static const struct row table[] = {
	    {"-f 5", "! line 1, column 1: a spec is an object"},
	    {"-f []", "! line 1, column 1: no objects in the array"},
	    {"-f [5]", "! line 1, column 2: a spec is an object"},
	    {"-f {'parms':{}}",
		"! line 1, column 2: unknown key \"parms\" "
		"(did you mean \"params\"?)"},
	    {"-f {'learning_rate':1}",
		"! unknown key \"learning_rate\" (hyperparameters stand in "
		"\"params\")"},
	    {"-f {\n'params':{'a':1,\n'a':2}}",
		"! line 3, column 1: a: given twice"},
	    {"-f {'zip':[],'zip':[]}", "! zip: given twice"},
	    {"-f {'params':[]}",
		"! line 1, column 11: \"params\" is an "
		"object"},
	    {"-f {'params':{'a\xc3\xa9':1}}", "! line 1, column 12: 'a"},
	    {"-f {'params':{'a':[]}}", "! line 1, column 16: a: no values"},
	    {"-f {'params':{'a':{}}}",
		"! a: a generator has one name, as in "
		"{\"log\": [1e-4, 1e-1, 4]}"},
	    {"-f {'params':{'a':{'logg':[1,2,3]}}}",
		"! line 1, column 17: a: no generator logg (did you mean log?"},
	    {"-f {'params':{'a':{'log':[1,2]}}}",
		"! line 1, column 16: a: log takes 3 numbers, as in {\"log\": "
		"[1e-4, 1e-1, 4]}"},
	    {"-f {'params':{'a':{'log':[1,'2',3]}}}", "! a: log takes 3"},
	    {"-f {'params':{'a':{'log':5}}}", "! a: log takes 3 numbers"},
	    {"-f {'params':{'a':{'choice':[1]}}}",
		"! a: choice takes 2 or more values, as in {\"choice\": "
		"[\"relu\", \"gelu\"]}"},
	    {"-f {'params':{'a':{'range':[1,2,0]}}}",
		"! a: a range needs a step other than 0"},
	    {"-f {'params':{'a':[1,1]}}",
		"! a: a value is given twice (1): leave one out"},
	    {"-f {'zip':['a','b']}",
		"! line 1, column 9: \"zip\" is an "
		"array of arrays of names"},
	    {"-f {'zip':[['a',5]]}", "! \"zip\" is made of names"},
	    {"-f {'params':{'a':1},'zip':[['a','b']]}",
		"! line 1, column 26: \"zip\" a,b: no hyperparameter b"},
	    {"-f {'exclude':{}}", "! \"exclude\" is an array of conditions"},
	    {"-f {'exclude':[5]}", "! \"exclude\" is made of conditions"},
	    {"-f {'exclude':[{'a':[1]}]}", "! a: a text or a number stands"},
	    {"-f {'exclude':[{'a':''}]}", "! nothing to compare a with"},
	    {"-f {'exclude':[{}]}", "! not a condition"},
	    {"-f {'exclude':['a']}", "! \"exclude\": a: not a condition"},
	    {"-f {'exclude':['a=1']}", "! \"exclude\" a=1: no hyperparameter"},
	    {"-f {'when':[]}", "! \"when\" is an object"},
	    {"-f {'when':{'a':5}}", "! \"when\" is made of conditions"},
	    {"-f {'when':{'a:b':'c=1'}}", "! 'a:b': not a name"},
	    {"-f {'samples':0}",
		"! \"samples\" is a whole number of at least 1"},
	    {"-f {'samples':1.5}", "! \"samples\" is a whole number"},
	    {"-f {'samples':3}", "! \"samples\", but no hyperparameter has"},
	    {"-f {'seed_of_draws':-1}",
		"! \"seed_of_draws\" is a whole number"},
	    {"-f {'params':{'a':{'uniform':[0,1]}}}",
		"! a: a random distribution needs --samples N"},
	    {"-f {'name':5}", "! \"name\" is a string"},
	    {"-f [{'name':'a'},{'name':'a'}]",
		"! \"name\" stands in an earlier object too"},
	    {"-f {'command':'python'}", "! \"command\" is an array of words"},
	    {"-f {'command':[]}", "! \"command\" has no words"},
	    {"-f {'command':[[]]}", "! command: a text or a number stands"},
	    {"-f {'sbatch':[]}", "! \"sbatch\" is an object of options"},
	    {"-f {'sbatch':{'p':'gpu'}}",
		"! 'p': not the long name of an option, such as "
		"\"partition\""},
	    {"-f {'policy':{'a=b':1}}",
		"! 'a=b': not the long name of an option, such as "
		"\"requeue\""},
	    {"-f {'sbatch':{'a=b':1}}", "! 'a=b': not the long name"},
	    {"-f {'sbatch':{'exclusive':false}}", "! leave the option out"},
	    {"-f {'sbatch':{'time':null}}", "! time: a text or a number"},
	    {"-f {'a':1,}", "! line 1, column 8: a name in quotation marks"},
	};

	(void)state;
	CHECK(table);
}

static void
what_belongs_to_the_job_is_kept(void **state)
{
	static const char json[] =
	    "{\"name\":\"conv2d\",\"description\":\"tr\\u00e8s bien\","
	    "\"sbatch\":{\"partition\":\"gpu\",\"mem\":4096,"
	    "\"exclusive\":true},\"policy\":{\"requeue\":true},"
	    "\"command\":[\"python\",\"a b.py\",3]}";
	struct space *s = space_new();
	const struct spec *spec;

	(void)state;
	assert_null(space_spec_of(s));
	assert_int_equal(space_spec(s, json, sizeof json - 1, NULL), 0);
	spec = space_spec_of(s);
	assert_string_equal(spec->name, "conv2d");
	assert_string_equal(spec->description, "tr\xc3\xa8s bien");
	assert_string_equal(spec->command.word[0], "python");
	assert_string_equal(spec->command.word[1], "a b.py");
	assert_string_equal(spec->command.word[2], "3");
	assert_int_equal(spec->command.count, 3);
	assert_string_equal(spec->sbatch.word[0], "--partition=gpu");
	assert_string_equal(spec->sbatch.word[1], "--mem=4096");
	assert_string_equal(spec->sbatch.word[2], "--exclusive");
	assert_int_equal(spec->sbatch.count, 3);
	assert_string_equal(spec->policy.word[0], "--requeue");
	assert_int_equal(spec->policy.count, 1);
	space_free(s);
}

/* ---- points from files ---- */

static const struct {
	const char *name, *format; /* of the file */
	const char *bytes;
	const char *line;
	const char *points;
} files[] = {
    {"p.tsv", NULL, "lr\tbs\n1e-3\t16\n1e-4\t\n", "s=1,2",
	"1e-3 16 1/1e-3 16 2/1e-4 - 1/1e-4 - 2"},
    {"p.csv", NULL, "lr,note\r\n1e-3,\"a,\"\"b\nc\"\r\n", "", "1e-3 a,\"b\nc"},
    {"p.csv", NULL, "\xef\xbb\xbflr;bs\n1,5;2\n", "", "1,5 2"},
    {"p.csv", NULL, "a\n\"\"\n1\n", "", "-/1"},
    {"p.TSV", NULL, "a\tb\n\"x\"\tc\\td\\\\\n", "", "\"x\" c\td\\"},
    {"-", NULL, "a\tb\n1\t2\n", "", "1 2"},
    {"-", NULL, "\n\na,b\n1,2", "", "1 2"},
    {"-", NULL, "a;b\n1;2", "", "1 2"},
    {"-", NULL, "a\n1,2\n", "", "1,2"},
    {"-", NULL, "\"a\"\n\"1\"\n", "", "1"},
    {"-", NULL, "\xef\xbb\xbf\n{\"a\":1}\n", "", "1"},
    {"-", "csv", "a\n\"x\"\"y\"\n", "", "x\"y"},
    {"p.txt", "tsv", "a,b\n1\n", "", "! p.txt: line 1: 'a,b': not a name"},
    {"p.jsonl", NULL,
	"{\"lr\":1e-3,\"l\":[64, 32],\"b\":true,\"n\":null,\"s\":\"a\\n\"}\r\n"
	"\n{\"s\":\"\",\"lr\":\"x\"}",
	"z=1", "1e-3 <[64,32]> <true> - a\n 1/x - - -  1"},
    {"p.tsv", NULL, "lr\n", "", ""},
    {"p.tsv", NULL, "lr\tbs\n1\t2\n1\n", "",
	"! p.tsv: line 3: 1 field, but the first line names 2"},
    {"p.csv", NULL, "a,b\n\"1\n2\",3\n1,2,3\n", "",
	"! p.csv: line 4: 3 fields, but the first line names 2"},
    {"p.csv", NULL, "a,b\n1,2,3", "", "! p.csv: line 2: 3 fields"},
    {"p.tsv", NULL, "lr\tlr\n", "",
	"! p.tsv: line 1: two columns are named "
	"lr"},
    {"p.tsv", NULL, "1e-3\t4\n", "",
	"! p.tsv: line 1: '1e-3': not a name (a "
	"letter or _, then letters, digits, _ . "
	"-): the first line has to name"},
    {"p.csv", NULL, "a,\n1,2\n", "", "! p.csv: line 1: '': not a name"},
    {"p.csv", NULL, "learning rate\n1\n", "", "! 'learning rate': not a name"},
    {"-", NULL, "", "", "! standard input: nothing in it: the first line has"},
    {"-", NULL, "\n\r\n", "", "! standard input: nothing in it"},
    {"p.csv", NULL, "a\n\"1\n", "", "! p.csv: "},
    {"p.jsonl", NULL, "{\"a\":1}\n{\"b\":1}\n", "",
	"! p.jsonl: line 2, column 2: the first line has no \"b\""},
    {"p.jsonl", NULL, "{\"a\":1}\n\n{\"a\":01}\n", "",
	"! p.jsonl: line 3, column 6: a number does not begin with 0"},
    {"p.jsonl", NULL, "{\"a\":1}\n{\"a\":1,\"a\":2}\n", "",
	"! p.jsonl: line 2, column 8: a: given twice"},
    {"p.jsonl", NULL, "{\"a\":1,\"a\":2}\n", "",
	"! p.jsonl: line 1, column 8: a: given twice"},
    {"p.jsonl", NULL, "[1]\n", "",
	"! p.jsonl: line 1, column 1: a line is an "
	"object"},
    {"p.jsonl", NULL, "{}\n", "",
	"! p.jsonl: line 1, column 1: the first line "
	"has no names"},
    {"line 2.jsonl", NULL, "{\"a b\":1}\n", "",
	"! line 2.jsonl: line 1: 'a b': not a "},
    {"p.jsonl", NULL, "{\"a b\":1}\n", "",
	"! p.jsonl: line 1: 'a b': not a "
	"name"},
    {"p.tsv", "xml", "", "", "! 'xml': no such format (csv, tsv or jsonl)"},
    {"p.tsv", NULL, "lr\n1\n", "lr=1", "! lr: the file has this column"},
    {"p.tsv", NULL, "lr\n1\n", "-f {'params':{'lr':1}}",
	"! lr: the file has this column"},
    {"p.tsv", NULL, "lr\n1\n2\n", "s=1,2 -x lr=1,s=2", "1 1/2 1/2 2"},
    {"p.tsv", NULL, "o\ns\nt\n", "m=1,2 -w m:o=s", "s 1/s 2/t -"},
    {"p.tsv", NULL, "o\ns\n", "m=1,2 -w o:m=1",
	"! --when o:m=1: o is a "
	"column of the file"},
    {"p.tsv", NULL, "o\ns\n", "m=1,2 -z o,m",
	"! --zip o,m: o is a column of "
	"the file"},
    {"p.tsv", NULL, "o\n1\n2\n", "-f [{'params':{'a':1}},{'params':{'b':2}}]",
	"1 1 -/1 - 2/2 1 -/2 - 2"},
};

/* The points of a file that arrives so many bytes at a time. */
static void
feed(size_t i, size_t step)
{
	static struct printed p;
	struct space *s = space_new();
	const char *bytes = files[i].bytes, *want = files[i].points;
	size_t length = strlen(bytes), at, n;
	struct error e = {""};
	int rc;

	p = (struct printed){.space = s};
	rc = declare(s, files[i].line, &e);
	if (rc == 0)
		rc = space_from(s, files[i].name, files[i].format, &e);
	for (at = 0; rc == 0 && at < length; at += n) {
		char *copy;

		n = length - at < step ? length - at : step;
		copy = malloc(n);
		memcpy(copy, bytes + at, n);
		rc = space_feed(s, copy, n, print, &p, &e);
		free(copy);
	}
	if (rc == 0)
		rc = space_end(s, print, &p, &e);
	if (want[0] == '!' ? rc != -1 || strstr(e.text, want + 2) == NULL
			   : rc != 0 || strcmp(p.text, want) != 0)
		fail_msg("%s in steps of %zu:\n%s\n %d: %s%s", bytes, step,
		    want, rc, p.text, e.text);
	space_free(s);
}

static void
rows_of_files_are_crossed_with_words(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		feed(i, 1);
		feed(i, 3);
		feed(i, 65536);
	}
}

static int
stop_at_third(void *arg, const struct space_point *point)
{
	int *count = arg;

	(void)point;
	return ++*count == 3 ? 42 : 0;
}

static void
a_visitor_can_stop(void **state)
{
	struct space *s = space_new();
	int count = 0;

	(void)state;
	assert_int_equal(space_add(s, "seed=1..1000000000", NULL), 0);
	assert_int_equal(space_end(s, stop_at_third, &count, NULL), 42);
	assert_int_equal(count, 3);
	space_free(s);
	count = 0;
	s = space_new();
	assert_int_equal(space_from(s, "-", NULL, NULL), 0);
	assert_int_equal(
	    space_feed(s, "a\n1\n2\n3\n4\n", 10, stop_at_third, &count, NULL),
	    42);
	assert_int_equal(count, 3);
	space_free(s);
}

/*
 * All points in their order, as visited, and as each is when a point that was
 * not filled in before moves to its combination.
 */
static void
points_are_the_same_in_any_order(void **state)
{
	static const char *const lines[] = {
	    "-w c:a>1 -x b=2 a=1..4 b=1..3 c=x,y",
	    "-w a:c=x -w b:a!=2 -x b=3,a<4 a=1..4 b=1..3 c=x,y d=1,2",
	    "-x c>1,b=2 -x a=3 -x d=1,a=1 a=1..4 b=1..3 c=1..3 d=1,2",
	    "-w c:a>0.5,d>2 -x c=2,b>1 -x b<1 c=0..3 b=5,0 a=0.5,3,s d=2..4",
	    "-w b:a=1 -w c:b=1 -w d:c=1 a=1,2 b=1,2 c=1,2 d=1,2",
	    "-z a,b -w c:b>2 -x a=2,c=1 a=1..4 b=1..4 c=1..3",
	    "-n 5 -x u<0.3 -w c:u>0.6 u=uniform:0:1 c=1..3 d=x,y",
	};
	struct printed visited, moved;
	struct space_point *point;
	struct error e = {""};
	struct space *s;
	uint64_t n;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof lines / sizeof *lines; i++) {
		s = space_new();
		visited = moved = (struct printed){.space = s};
		assert_int_equal(declare(s, lines[i], &e), 0);
		assert_int_equal(space_end(s, print, &visited, &e), 0);
		for (n = 0; n < space_size(s); n++) {
			point = space_point_new(s);
			if (space_at(s, n, point))
				print(&moved, point);
			space_point_free(point);
		}
		assert_true(moved.used > 0);
		assert_string_equal(moved.text, visited.text);
		space_free(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(last_hyperparameter_varies_fastest),
	    cmocka_unit_test(typed_values_stay_verbatim),
	    cmocka_unit_test(ranges_are_inclusive_and_exact),
	    cmocka_unit_test(lin_and_log_include_both_ends),
	    cmocka_unit_test(files_give_one_value_a_line),
	    cmocka_unit_test(json_values_are_taken_literally),
	    cmocka_unit_test(
		words_that_are_wrong_are_refused_with_the_way_to_write_them),
	    cmocka_unit_test(zips_pair_values),
	    cmocka_unit_test(conditions_leave_points_out),
	    cmocka_unit_test(conditional_names_leave_no_duplicates),
	    cmocka_unit_test(conditional_points_are_each_there_once),
	    cmocka_unit_test(points_are_the_same_in_any_order),
	    cmocka_unit_test(distributions_need_samples_and_the_reverse),
	    cmocka_unit_test(
		samples_are_one_axis_where_the_first_distribution_stands),
	    cmocka_unit_test(a_draw_depends_on_seed_index_and_name_alone),
	    cmocka_unit_test(draws_are_the_same_in_every_release),
	    cmocka_unit_test(draws_have_the_right_mean_and_variance),
	    cmocka_unit_test(seeds_side_by_side_are_unrelated),
	    cmocka_unit_test(combinations_are_counted_without_overflow),
	    cmocka_unit_test(any_combination_can_be_asked_for),
	    cmocka_unit_test(exact_spaces_are_told_apart),
	    cmocka_unit_test(conditions_that_never_hold_are_found),
	    cmocka_unit_test(ranges_that_meet_are_found),
	    cmocka_unit_test(failing_leaves_the_space_as_it_was),
	    cmocka_unit_test(hostile_sizes_are_refused),
	    cmocka_unit_test(a_spec_says_the_same_in_json),
	    cmocka_unit_test(words_replace_what_a_spec_says_of_the_same_name),
	    cmocka_unit_test(what_is_wrong_in_a_spec_is_refused_with_its_place),
	    cmocka_unit_test(what_belongs_to_the_job_is_kept),
	    cmocka_unit_test(rows_of_files_are_crossed_with_words),
	    cmocka_unit_test(a_visitor_can_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
