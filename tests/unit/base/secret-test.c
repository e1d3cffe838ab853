#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/secret.h"

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

static void
secrets_are_known_by_the_name_before_them(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"--password=abc", "--password=***"},
	    {"x=1,token=abc", "x=1,token=***"},
	    {"pwd=abc", "pwd=***"},
	    {"DB_PWD=abc", "DB_PWD=***"},
	    {"--config={\"api_key\":\"abc\"}", "--config={\"api_key\":***"},
	    {"{'lr': 0.1, 'token' : 'abc'}", "{'lr': 0.1, 'token' :***"},
	    {"{\"lr\":1,\"pwd\":\"a b\"}", "{\"lr\":1,\"pwd\":***"},
	    {"Authorization: Bearer abcdef", "Authorization:***"},
	    {"authorization: basic YTpi", "authorization:***"},
	    {"{\"Authorization\": \"Bearer abcdef\"}",
		"{\"Authorization\":***"},
	    {"X-API-Key: abcdef", "X-API-Key:***"},
	    {"--auth=Authorization=abc", "--auth=Authorization=***"},
	    /* Nothing is given. */
	    {"", NULL},
	    {"lr=0.1", NULL},
	    {"--password=$PASSWORD", NULL},
	    {"--password=\"$PASSWORD\"", NULL},
	    {"Authorization: Bearer $TOKEN", NULL},
	    {"{\"api_key\":\"$API_KEY\"}", NULL},
	    {"{\"api_key\":null,\"token\": \"\"}", NULL},
	    {"PWD=/work/x", NULL},
	    {"--pwd=.", NULL},
	    {"--pwdist=2", NULL},
	    {"cpwd=2", NULL},
	    {"tokenizer=bert", NULL},
	    {"num_tokens=many", NULL},
	    {"--max-tokens=512", NULL},
	    {"--max-tokens=all", NULL},
	    {"--token-dim=128", NULL},
	    {"{\"tokenizer\":\"bert\",\"num_tokens\":512}", NULL},
	    {"{\"token_dim\":128,\"lr\":0.1}", NULL},
	    {"tokenizer: bert", NULL},
	    {"token : one more for each image", NULL},
	    {"token: one more for each image", NULL},
	    {"--monitor=token_acc:max", NULL},
	    {"https://host/token:80", NULL},
	    {"key:value", NULL},
	    {"authorization of users", NULL},
	};
	size_t i;
	char *got;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		got = secret_given(cases[i].text);
		if (cases[i].want == NULL || got == NULL) {
			if (got != cases[i].want)
				print_error("%s\n", cases[i].text);
			assert_ptr_equal(got, cases[i].want);
		} else {
			assert_string_equal(got, cases[i].want);
		}
		free(got);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(secrets_are_masked_and_nothing_else),
	    cmocka_unit_test(paths_with_secret_names_are_left_out),
	    cmocka_unit_test(names_of_secrets_are_known),
	    cmocka_unit_test(secrets_are_known_by_the_name_before_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
