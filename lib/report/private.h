/* Declarations shared by the files of lib/report. */
#ifndef STFM_REPORT_PRIVATE_H
#define STFM_REPORT_PRIVATE_H

#include "report/report.h"

/* The beginning of the page up to its title; its style sheet; its script. */
extern const char report_head[];
extern const char report_style[];
extern const char report_script[];

/* Write <tag>text</tag>, with the text escaped; nothing if it is NULL. */
void report_text(FILE *, const char *tag, const char *text);

/* Write a term and its text; nothing if the text is NULL or empty. */
void report_term(FILE *, const char *term, const char *text);

/* The same with a text that is freed. */
void report_term_of(FILE *, const char *term, char *text);

/* Begin and end a table in a region that scrolls if the table is too wide. */
void report_table_begin(FILE *, const char *label, const char *class);
void report_table_end(FILE *);

/* Write a state as its coloured name. */
void report_state(FILE *, enum store_state);

/* Write the table of a job's tasks, with at most so many rows (0: all). */
void report_tasks(FILE *, const struct job_tasks *, size_t rows);

/* Write the charts of a job: curves, and what mattered. */
void report_charts(FILE *, const struct job_tasks *, size_t curves);

/* Write the search of a job and its rungs; nothing if it has none. */
void report_search(FILE *, const struct job_tasks *);

/* Write how often what failed, what the tasks cost, what was submitted. */
void report_failures(FILE *, const struct job_tasks *);
void report_cost(FILE *, const struct job_tasks *);
void report_submission(FILE *, const struct store_job *);

#endif
