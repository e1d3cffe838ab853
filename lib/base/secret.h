/*
 * Secrets in text that is to be kept: what looks like a token or a password is
 * left out, rather once too often.
 */
#ifndef STFM_BASE_SECRET_H
#define STFM_BASE_SECRET_H

/* Whether the name of a variable or a file looks like that of a secret. */
int secret_name(const char *name);

/*
 * The text with "***" for what is secret in it: the values that variables of
 * secret names have in env, user and password in URLs, words shaped like the
 * tokens of well-known services.  To free.
 */
char *secret_mask(const char *text, char *const env[]);

/*
 * Find a value whose name looks like that of a secret, as in "api-key=x",
 * "ALL,DB_PASSWORD=x", {"api_key":"x"} or "Authorization: Bearer x".  Numbers,
 * variables such as $KEY, directories behind pwd, and names such as max_tokens
 * and tokenizer are no secrets.  Returns the text up to the value, with "***"
 * for the rest, to free, or NULL.
 */
char *secret_given(const char *text);

/* Whether a name such as "api-key" is that of a secret with this value. */
int secret_is_given(const char *name, const char *value);

/* secret_mask for a list of paths: also leaves out those with secret names. */
char *secret_mask_paths(const char *text, char *const env[]);

#endif
