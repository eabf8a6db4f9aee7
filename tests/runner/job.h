#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/runner/unit.h"

/* A unit that runs, or has run. */
typedef struct {
  const unit *what;
  pid_t process;
  double started, wall, cpu; /* seconds */
  int exit_code;
  bool lost;  /* what ran the program was killed */
  char *said; /* its standard output and error */
  double clock; /* when it started, seconds since 1970 */
  char log[64];
  char opened[80]; /* what it opens (reads.h), or "" */
} job;

/* Starts it, with nothing on its input; its output goes to a file in `folder`,
 * and, if it is traced, the list of what it opens to another. Exits with one
 * sentence if there can be no process. */
void job_start(job *j, const unit *what, const char *folder, bool traced);

/* Waits until one of these has ended and reads what it said; job_free frees it.
 * Entries without a process are free. Returns NULL if none runs. The list of
 * what it opened is there until job_free. */
job *job_wait(job *jobs, int count);

void job_free(job *j);

#endif
