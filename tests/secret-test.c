#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "secret.h"

static char *const env[] = {"HOME=/home/u", "AWS_SECRET_ACCESS_KEY=a/b+cdefg9",
    "DB_PASS=short", "MONKEY_HOME=/usr", "WANDB_API_KEY=0123456789abcdef",
    "KEYS_DIR=/nonexistent/keys", "NOTHING", NULL};

static void
secrets_are_masked_and_nothing_else(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", ""},
	    {"python train.py --lr=0.1", "python train.py --lr=0.1"},
	    {"/usr/bin:/home/u", "/usr/bin:/home/u"},
	    {"short", "short"},
	    {"x a/b+cdefg9 y", "x *** y"},
	    {"--key=0123456789abcdef", "--key=***"},
	    {"/x/a/b+cdefg9/y", "/x/***/y"},
	    {"https://u:p@host/a.git", "https://host/a.git"},
	    {"https://tok3n@host/a", "https://host/a"},
	    {"https://a:b@c@host/a", "https://host/a"},
	    {"https://host/a@b", "https://host/a@b"},
	    {"ssh://git@host/a", "ssh://git@host/a"},
	    {"ssh://git:pw@host/a", "ssh://host/a"},
	    {"git@host:a/b.git", "git@host:a/b.git"},
	    {"ghp_0123456789abcdefghij", "***"},
	    {"sk-learn", "sk-learn"},
	    {"--model=AKIA0123456789ABCDEF,x", "--model=***,x"},
	    {"masking_hf_transformers_models",
		"masking_hf_transformers_models"},
	};
	size_t i;
	char *got;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		got = secret_mask(cases[i].text, env);
		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

static void
paths_with_secret_names_are_left_out(void **state)
{
	char *got = secret_mask_paths(
	    "/usr/bin:/opt/my-secret/bin::/opt/API_KEY=1:/bin", env);

	(void)state;
	assert_string_equal(got, "/usr/bin:***::***:/bin");
	free(got);
}

static void
names_of_secrets_are_known(void **state)
{
	(void)state;
	assert_true(secret_name("HF_TOKEN"));
	assert_true(secret_name("credentials.json"));
	assert_true(secret_name("db.password"));
	assert_false(secret_name("train.py"));
	assert_false(secret_name("keyboard.txt"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(secrets_are_masked_and_nothing_else),
	    cmocka_unit_test(paths_with_secret_names_are_left_out),
	    cmocka_unit_test(names_of_secrets_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
