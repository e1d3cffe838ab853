/*
 * The provenance of a job: its command line, and the environment variables that
 * are needed to repeat it.  Only variables of a fixed list are recorded, and no
 * values that look like secrets.
 */
#ifndef STFM_JOB_PROVENANCE_H
#define STFM_JOB_PROVENANCE_H

struct store_job;
struct strlist;

/*
 * Record argv, cwd and the environment of a job whose command is known.  If the
 * command runs a Python, its version is queried, for at most 2 seconds.
 */
void job_provenance_record(struct store_job *, int argc, char *const argv[]);

/*
 * Return a word or string of the job that contains a secret, with the secret
 * masked, or NULL; to free.  The job needs such words, so they are stored
 * unmasked: warn the user.
 */
char *job_provenance_secret(const struct store_job *);

/*
 * Return a word of a list, such as options for sbatch, that contains a secret,
 * with the secret masked, or NULL; to free.
 */
char *job_provenance_secret_word(const struct strlist *);

#endif
