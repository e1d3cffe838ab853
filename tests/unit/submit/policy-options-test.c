#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "store/job.h"
#include "submit/options.h"
#include "submit/policy-options.h"

/* The policy in one line; to free. */
static char *
describe(const struct store_policy *p)
{
	const struct store_retry *m = &p->memory, *t = &p->time;

	return xasprintf("%" PRId64 " %s@%" PRId64 " %s*%s%" PRId64 "<%" PRId64
			 "n%" PRId64 " %s*%s%" PRId64 "<%" PRId64 "n%" PRId64,
	    p->requeue, p->signal ? p->signal : "", p->signal_before,
	    m->factor ? m->factor : "", m->option ? m->option : "", m->base,
	    m->most, m->times, t->factor ? t->factor : "",
	    t->option ? t->option : "", t->base, t->most, t->times);
}

/* Plan rules and options of sbatch, both as words.  Returns 0 or -1. */
static int
plan_for(struct submit_options *r, const char *rules, const char *sbatch,
    struct error *e)
{
	char *list = xstrdup(rules), *save, *word, *value, *option;
	int rc = 0;

	for (word = strtok_r(list, " ", &save); word != NULL && rc == 0;
	     word = strtok_r(NULL, " ", &save)) {
		option = xasprintf("--%s", word);
		rc = submit_options_rule(r, option, e);
		free(option);
	}
	free(list);
	list = xstrdup(sbatch);
	for (word = strtok_r(list, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save)) {
		value = strchr(word, '=');
		*value++ = '\0';
		sbatch_add(&r->plan->given, word, value);
	}
	free(list);
	return rc == 0 ? job_policy_options_complete(r->plan, e) : -1;
}

static void
rules_are_read(void **state)
{
	static const struct {
		const char *rules, *sbatch, *want;
	} cases[] = {
	    {"", "", "0 @0 *0<0n0 *0<0n0"},
	    {"requeue", "", "10 USR1@60 *0<0n0 *0<0n0"},
	    {"requeue=3 signal=SIGUSR2", "time=8:00:00",
		"3 USR2@60 *0<0n0 *0<0n0"},
	    {"requeue", "time=1", "10 USR1@30 *0<0n0 *0<0n0"},
	    {"signal=B:HUP@30", "", "0 HUP@30 *0<0n0 *0<0n0"},
	    {"retry-oom=1.5", "mem=8G", "0 @0 1.5*mem8192<0n3 *0<0n0"},
	    {"retry-oom=2,max=1.5T,n=1", "mem-per-cpu=512",
		"0 @0 2*mem-per-cpu512<1572864n1 *0<0n0"},
	    {"retry-oom=2,max=64G retry-oom=3", "mem=8G",
		"0 @0 3*mem8192<0n3 *0<0n0"},
	    {"retry-oom=2", "mem=100K", "0 @0 2*mem1<0n3 *0<0n0"},
	    {"retry-time=2,n=5,max=2-0", "time=90",
		"0 @0 *0<0n0 2*time90<2880n5"},
	    /* Refusals. */
	    {"signal=KILL", "", "! --signal: 'KILL' is none of USR1"},
	    {"signal=R:USR1@60", "", "! --signal: 'R:USR1' is none of USR1"},
	    {"signal=USR1@x", "", "! --signal: the seconds: 'x'"},
	    {"signal", "", "! --signal: '' is none of USR1"},
	    {"retry-oom", "mem=1G", "! --retry-oom: '': a factor above 1"},
	    {"retry-oom=1", "mem=1G", "! --retry-oom: '1': a factor above 1"},
	    {"retry-oom=nan", "mem=1G", "! --retry-oom: 'nan': a factor"},
	    {"retry-oom=2,max=", "mem=1G",
		"! --retry-oom: '' is not an amount"},
	    {"retry-oom=2,max=1X", "mem=1G", "! --retry-oom: '1X' is not an"},
	    {"retry-oom=2,max=0", "mem=1G", "! --retry-oom: '0' is no limit"},
	    {"retry-oom=2,k=0", "mem=1G",
		"! --retry-oom: 'k=0' is neither max=SIZE nor n=TIMES"},
	    {"retry-oom=2,max=1G", "mem=2G",
		"! --retry-oom: there are 1024 MB at most"},
	    {"retry-oom=2", "", "! --retry-oom 2: there is no memory limit to"},
	    {"retry-oom=2", "mem=0",
		"! --retry-oom 2: --mem=0 is all there is"},
	    {"retry-time=2", "", "! --retry-time 2: there is no time limit to"},
	    {"retry-time=2", "time=UNLIMITED", "! --retry-time 2: there is no"},
	    {"retry-time=2,max=1:x", "time=1", "! --retry-time: "},
	    {"canary=2", "", "! --canary: 2 is not between"},
	    {"parallel=2", "", "! \"parallel\": no such policy"},
	};
	struct submit_options r;
	struct error e;
	char *got;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		submit_options_begin(&r, stdout);
		rc = plan_for(&r, cases[i].rules, cases[i].sbatch, &e);
		got = rc == 0 ? describe(&r.plan->job->policy)
			      : xasprintf("! %s", e.text);
		if (strncmp(got, cases[i].want,
			rc == 0 ? strlen(got) + 1 : strlen(cases[i].want)) != 0)
			fail_msg("%s, %s: %s, not %s", cases[i].rules,
			    cases[i].sbatch, got, cases[i].want);
		free(got);
		submit_options_free(&r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rules_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
