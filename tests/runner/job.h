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
  char log[64];
} job;

/* Starts it, with nothing on its input; its output goes to a file in `folder`.
 * Exits with one sentence if there can be no process. */
void job_start(job *j, const unit *what, const char *folder);

/* Waits until one of these has ended and reads what it said; job_free frees it.
 * Entries without a process are free. Returns NULL if none runs. */
job *job_wait(job *jobs, int count);

void job_free(job *j);

#endif
