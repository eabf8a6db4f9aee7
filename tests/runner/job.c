#define _GNU_SOURCE
#include "tests/runner/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"

enum { NOT_RUN = 127, BY_SIGNAL = 128 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void redirect(const char *log) {
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
      dup2(out, 2) < 0)
    _exit(NOT_RUN);
}

/* A process of its own waits for the program, so that one that kills its parent
 * does not end the runner; and a group of its own, so that all can be ended. */
static _Noreturn void watch(const unit *u, const char *log) {
  setpgid(0, 0);
  redirect(log);
  const pid_t program = fork();
  if (program == 0) {
    execlp(u->program, u->program, u->argument, (char *)NULL);
    fprintf(stderr, "%s: %s\n", u->program, strerror(errno));
    _exit(NOT_RUN);
  }
  int status = 0;
  if (program < 0 || waitpid(program, &status, 0) < 0) _exit(NOT_RUN);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status)
                          : BY_SIGNAL + WTERMSIG(status));
}

void job_start(job *j, const unit *what, const char *folder) {
  static int number;
  *j = (job){.what = what, .started = now()};
  snprintf(j->log, sizeof j->log, "%s/%d", folder, number++);
  fflush(stdout);
  j->process = fork();
  if (j->process == 0) watch(what, j->log);
  if (j->process > 0) {
    setpgid(j->process, j->process);
    return;
  }
  fprintf(stderr, "No process can be started: %s.\n", strerror(errno));
  exit(EXIT_IMPOSSIBLE);
}

static char *read_all(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t size = 0;
  if (file && getdelim(&text, &size, '\0', file) < 0) {
    free(text);
    text = NULL;
  }
  if (file) fclose(file);
  return text ? text : strdup("");
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

job *job_wait(job *jobs, int count) {
  struct rusage used;
  int status;
  const pid_t process = wait4(-1, &status, 0, &used);
  for (int i = 0; i < count && process > 0; i++) {
    job *j = &jobs[i];
    if (j->process != process) continue;
    j->process = 0;
    j->wall = now() - j->started;
    j->cpu = seconds(used.ru_utime) + seconds(used.ru_stime);
    j->lost = !WIFEXITED(status);
    j->exit_code = j->lost ? BY_SIGNAL + WTERMSIG(status)
                           : WEXITSTATUS(status);
    j->said = read_all(j->log);
    unlink(j->log);
    return j;
  }
  return NULL;
}

void job_free(job *j) {
  free(j->said);
  j->said = NULL;
}
