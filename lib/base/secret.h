/*
 * Secrets in text that will be stored: anything that looks like a token or a
 * password is removed, rather too much than too little.
 */
#ifndef STFM_BASE_SECRET_H
#define STFM_BASE_SECRET_H

/* Return whether the name of a variable or file looks like that of a secret. */
int secret_name(const char *name);

/*
 * Return the text with "***" in place of secrets: values of variables in env
 * with secret names, user and password in URLs, and words in the form of
 * well-known services' tokens.  To free.
 */
char *secret_mask(const char *text, char *const env[]);

/*
 * Find a value whose name looks like that of a secret, as in "api-key=x",
 * "ALL,DB_PASSWORD=x", {"api_key":"x"} or "Authorization: Bearer x".  Numbers,
 * variables such as $KEY, directories after pwd, and names such as max_tokens
 * and tokenizer are not secrets.  Returns the text up to the value, followed by
 * "***" instead of the rest, to free, or NULL.
 */
char *secret_given(const char *text);

/* Return whether a name such as "api-key" with this value is a secret. */
int secret_is_given(const char *name, const char *value);

/*
 * Return a list of paths, masked like secret_mask does, without paths that have
 * secret names; to free.
 */
char *secret_mask_paths(const char *text, char *const env[]);

#endif
