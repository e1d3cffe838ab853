/*
 * The software of a run: the versions of the Python packages that it imports,
 * and its GPUs with their driver.  Both are read from files of the node; no
 * program is started.
 */
#ifndef STFM_RUNNER_SOFTWARE_H
#define STFM_RUNNER_SOFTWARE_H

#include "base/strlist.h"

/*
 * Find the Python that a command starts, with the packages that its script
 * imports, directly or through modules in the script's directory.  place is the
 * directory in which the command starts.  Names and versions are those of the
 * *.dist-info directories of that Python.  Returns "python 3.11, numpy 1.26.4,
 * torch 2.3.0", to free, or NULL if the command starts no Python, or starts it
 * in a way that cannot be recognized.
 */
char *job_software_packages(const struct strlist *command, const char *place);

/*
 * Read the models of the GPUs and the version of their driver below directory,
 * which is /proc/driver/nvidia except in tests.  Put strings to free, or NULL,
 * into *models ("NVIDIA A100-SXM4-40GB", several with commas) and *driver.
 */
void job_software_gpus(const char *directory, char **models, char **driver);

#endif
