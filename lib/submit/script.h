/*
 * What the training script of a command says: hints for people who submit it.
 * Only a script that is a readable file in the command is read; nothing is said
 * of programs, of sh -c, and of scripts in a container.
 */
#ifndef STFM_SUBMIT_SCRIPT_H
#define STFM_SUBMIT_SCRIPT_H

/*
 * Return a warning, to free, if the command line says --epochs N but the script
 * has an option for its epochs that nothing in the command sets, or mentions no
 * epochs at all; else NULL.
 */
char *submit_script_epochs(const struct store_job *);

/*
 * Return a hint, to free, if nothing says where the metrics are and nothing in
 * the text of the script suggests that it logs or prints some; else NULL.
 */
char *submit_script_metrics(const struct store_job *);

/*
 * Return whether the command takes a hyperparameter for sure: it has {NAME}, or
 * the text of its script mentions the option or the variable of this name.
 */
int submit_script_takes(const struct store_job *, const char *name);

#endif
