#include "tests/runner/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"
#include "tests/runner/reads.h"

enum { NOT_RUN = 127, BY_SIGNAL = 128, MOST_WORDS = 32 };

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
static _Noreturn void watch(const unit *u, const char *log,
                            const char *opened) {
  const char *words[MOST_WORDS];
  int count = 0;
  if (*opened) {
    while (reads_command[count]) {
      words[count] = reads_command[count];
      count++;
    }
    words[count++] = opened;
  }
  words[count++] = u->program;
  words[count++] = u->argument;
  words[count] = NULL;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  setpgid(0, 0);
  redirect(log);
  const pid_t program = fork();
  if (program == 0) {
    execvp(words[0], (char **)words);
    fprintf(stderr, "%s: %s\n", u->program, strerror(errno));
    _exit(NOT_RUN);
  }
  int status = 0;
  if (program < 0 || waitpid(program, &status, 0) < 0) _exit(NOT_RUN);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status)
                          : BY_SIGNAL + WTERMSIG(status));
}

void job_start(job *j, const unit *what, const char *folder, bool traced) {
  static int number;
  *j = (job){.what = what, .started = now(), .clock = (double)time(NULL)};
  snprintf(j->log, sizeof j->log, "%s/%d", folder, number++);
  if (traced) snprintf(j->opened, sizeof j->opened, "%s.opened", j->log);
  fflush(stdout);
  j->process = fork();
  if (j->process == 0) watch(what, j->log, j->opened);
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
  if (*j->opened) unlink(j->opened);
  free(j->said);
  j->said = NULL;
}
