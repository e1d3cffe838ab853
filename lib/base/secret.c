#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/secret.h"
#include "base/xalloc.h"

static const char mask[] = "***";

/* A shorter value is not a secret; it would occur everywhere by chance. */
enum { SHORTEST = 8, SHORTEST_TOKEN = 16 };

int
secret_name(const char *name)
{
	static const char *const parts[] = {"token", "secret", "passw",
	    "passphrase", "credential", "apikey", "api_key", "access_key",
	    "private_key", "auth_key"};
	size_t i;

	for (i = 0; i < sizeof parts / sizeof *parts; i++)
		if (ascii_casestr(name, parts[i]) != NULL)
			return 1;
	return 0;
}

/*
 * Return whether a variable is secret.  The test is stricter than secret_name:
 * any name with KEY or PASS is a secret.
 */
static int
is_secret_variable(const char *variable)
{
	char *name = xstrndup(variable, strcspn(variable, "="));
	int secret = secret_name(name) || ascii_casestr(name, "key") != NULL ||
	    ascii_casestr(name, "pass") != NULL;

	free(name);
	return secret;
}

/* A variable whose value is long enough to be a secret. */
struct variable {
	const char *name; /* ends at its "=" */
	const char *value;
	size_t length;
};

/* Return all variables with long values, then one without a name; to free. */
static struct variable *
long_values(char *const env[])
{
	struct variable *list;
	const char *value;
	size_t count = 0, n = 0, length;

	while (env[count] != NULL)
		count++;
	list = xcalloc(count + 1, sizeof *list);
	for (; *env != NULL; env++) {
		value = strchr(*env, '=');
		length = value != NULL ? strlen(++value) : 0;
		if (length >= SHORTEST)
			list[n++] = (struct variable){*env, value, length};
	}
	return list;
}

/* Return the length of a variable's secret value at text, or 0. */
static size_t
variable_at(const char *text, const struct variable *v)
{
	size_t best = 0;

	/* Few values match here, so check the names only after the value. */
	for (; v->name != NULL; v++) {
		if (*v->value != *text || v->length < best ||
		    strncmp(text, v->value, v->length) != 0 ||
		    !is_secret_variable(v->name))
			continue;
		if (*v->value == '/' && access(v->value, F_OK) == 0)
			continue; /* names a file */
		best = v->length;
	}
	return best;
}

static int
is_token_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Return the length of a word at text in the form of a token, or 0. */
static size_t
token_at(const char *text)
{
	static const char *const begin[] = {"ghp_", "gho_", "ghu_", "ghs_",
	    "ghr_", "github_pat_", "glpat-", "hf_", "sk-", "AKIA", "ASIA",
	    "xoxb-", "xoxp-", "xoxa-", "AIza", "eyJ"};
	size_t i, n;

	for (i = 0; i < sizeof begin / sizeof *begin; i++) {
		if (strncmp(text, begin[i], strlen(begin[i])) != 0)
			continue;
		for (n = 0; is_token_char(text[n]);)
			n++;
		if (n >= SHORTEST_TOKEN)
			return n;
	}
	return 0;
}

/*
 * Return the length of "user:password@" at text, which follows "://", or 0.
 * For ssh, a user name alone is not a secret.
 */
static size_t
userinfo(const char *text, int is_ssh)
{
	size_t n = strcspn(text, "/ \t\n?#'\""), at;

	for (at = n; at > 0 && text[at - 1] != '@';)
		at--;
	if (at == 0 || (is_ssh && memchr(text, ':', at) == NULL))
		return 0;
	return at;
}

char *
secret_mask(const char *text, char *const env[])
{
	const char *at = text;
	char *out;
	size_t length, n;
	FILE *f = xmemopen(&out, &length);
	struct variable *variables = long_values(env);

	while (*at != '\0') {
		if (at - text >= 3 && strncmp(at - 3, "://", 3) == 0) {
			n = userinfo(at,
			    at - text >= 6 && strncmp(at - 6, "ssh", 3) == 0);
			at += n;
			if (n > 0)
				continue;
		}
		n = variable_at(at, variables);
		if (n == 0 && (at == text || !is_token_char(at[-1])))
			n = token_at(at);
		if (n > 0)
			fputs(mask, f);
		else
			putc(*at, f);
		at += n > 0 ? n : 1;
	}
	free(variables);
	xmemclose(f);
	return out;
}

/* Return whether name contains word as a separate word. */
static int
has_word(const char *name, const char *word)
{
	size_t length = strlen(word);
	const char *at = name;

	for (; (at = ascii_casestr(at, word)) != NULL; at += length)
		if ((at == name || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return 1;
	return 0;
}

int
secret_is_given(const char *name, const char *value)
{
	char *plain = xstrdup(name), *at;
	int yes;

	for (at = plain; *at != '\0'; at++)
		if (*at == '-')
			*at = '_';
	yes = secret_name(plain) && ascii_casestr(plain, "tokens") == NULL &&
	    ascii_casestr(plain, "tokeniz") == NULL &&
	    (ascii_casestr(plain, "token") == NULL ||
		value[strspn(value, "0123456789.,+-eE")] != '\0');
	/* PWD and --pwd usually name a directory. */
	yes |= has_word(plain, "pwd") && *value != '/' && *value != '.';
	yes |= ascii_casecmp(plain, "authorization") == 0;
	free(plain);
	return yes && *value != '$' && ascii_casecmp(value, "null") != 0 &&
	    ascii_casecmp(value, "none") != 0 &&
	    ascii_casecmp(value, "true") != 0 &&
	    ascii_casecmp(value, "false") != 0;
}

/* Return the value after a "=" or ":"  at `at`; to free. */
static char *
value_after(const char *at)
{
	/* In "Authorization:", a scheme comes before the secret. */
	static const char *const schemes[] = {"Bearer ", "Basic ", "Token "};
	const char *value = at + 1 + strspn(at + 1, " ");
	char quote = '\0';
	size_t i, n;

	if (*value == '"' || *value == '\'')
		quote = *value++;
	for (i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		n = strlen(schemes[i]);
		if (ascii_ncasecmp(value, schemes[i], n) != 0)
			continue;
		value += n + strspn(value + n, " ");
		break;
	}
	if (quote != '\0')
		return xstrndup(
		    value, strcspn(value, quote == '"' ? "\"" : "'"));
	return xstrndup(value, strcspn(value, *at == ':' ? ",}]\n" : ""));
}

/*
 * Return the name before a "=" or ":"  at `at`, to free, or NULL.  A colon
 * counts after a name in quotes, as in JSON, and in an HTTP header: "X-API-Key:
 * abc".
 */
static char *
name_before(const char *text, const char *at)
{
	const char *end = at, *begin;
	int quoted;

	while (*at == ':' && end > text && end[-1] == ' ')
		end--;
	quoted =
	    *at == ':' && end > text && (end[-1] == '"' || end[-1] == '\'');
	end -= quoted;
	for (begin = end; begin > text && is_token_char(begin[-1]);)
		begin--;
	if (*at == ':' && !quoted && (begin != text || at[1] != ' '))
		return NULL;
	return xstrndup(begin, (size_t)(end - begin));
}

char *
secret_given(const char *text)
{
	const char *at = text;
	char *name, *value;
	int found;

	for (; (at = strpbrk(at, "=:")) != NULL; at++) {
		name = name_before(text, at);
		if (name == NULL)
			continue;
		value = value_after(at);
		found = secret_is_given(name, value);
		if (*at == ':') /* "token: several words" is prose */
			found = found && *value != '\0' &&
			    (strchr(value, ' ') == NULL ||
				strchr("\"'", at[1 + strspn(at + 1, " ")]));
		free(name);
		free(value);
		if (found)
			return xasprintf(
			    "%.*s%s", (int)(at + 1 - text), text, mask);
	}
	return NULL;
}

char *
secret_mask_paths(const char *text, char *const env[])
{
	char *clean = secret_mask(text, env), *out, *path, *next;
	size_t length;
	FILE *f = xmemopen(&out, &length);

	for (path = clean; path != NULL; path = next) {
		next = strchr(path, ':');
		if (next != NULL)
			*next++ = '\0';
		fputs(secret_name(path) ? mask : path, f);
		if (next != NULL)
			putc(':', f);
	}
	xmemclose(f);
	free(clean);
	return out;
}
