/* Runs test programs that print TAP and adds them up:
 *   [JOBS=1] run PROGRAM [ARGUMENT]...
 * As many at a time as there are processors, those that take most first; what
 * unit.h says of scripts holds. An argument follows a script that is run for
 * each of several: then it is run for that one.
 * Prints each failure with what the program said about it, each skip with its
 * reason, and last the line `N passed, N failed, N skipped`. Exit 0 if nothing
 * failed and something ran, else 1. */

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"
#include "tests/runner/job.h"
#include "tests/runner/tap.h"
#include "tests/runner/unit.h"

enum { MOST_JOBS = 256, INTERRUPTED = 130 };

static struct {
  int passed, failed, skipped, lost;
} sum;
static char folder[] = "/tmp/tests-XXXXXX";
static job jobs[MOST_JOBS];

static void stop(int number) {
  (void)number;
  for (int i = 0; i < MOST_JOBS; i++) {
    if (!jobs[i].process) continue;
    kill(-jobs[i].process, SIGTERM);
    unlink(jobs[i].log);
  }
  rmdir(folder);
  _exit(INTERRUPTED);
}

static void report(const job *j) {
  const char *name = j->what->name;
  const tap t = tap_read(j->said, j->exit_code);
  if (j->lost) {
    sum.lost++;
    return;
  }
  if (*t.why) printf("%s: %s\n", name, t.why);
  if (t.failed) {
    printf("FAILED  %s\n", name);
    tap_print_failures(j->said);
  } else {
    printf("passed  %s: %d in %.0f s, %.0f s of processor time\n", name,
           t.passed, j->wall, j->cpu);
  }
  tap_print_skips(j->said);
  fflush(stdout);
  sum.passed += t.passed;
  sum.failed += t.failed;
  sum.skipped += t.skipped;
}

/* Runs them in order, at most `at_once` at a time. */
static void run(const unit *units, int count, int at_once) {
  int running = 0, next = 0;
  while (next < count || running) {
    for (int i = 0; i < at_once && next < count; i++)
      if (!jobs[i].process) {
        job_start(&jobs[i], &units[next++], folder);
        running++;
      }
    job *ended = job_wait(jobs, at_once);
    if (!ended) continue;
    running--;
    report(ended);
    job_free(ended);
  }
}

static int jobs_wanted(void) {
  const char *asked = getenv("JOBS");
  const int count = asked ? atoi(asked) : get_nprocs();
  if (count < 1) return 1;
  return count > MOST_JOBS ? MOST_JOBS : count;
}

/* A path of what a script is run for is no program. */
static bool is_argument(const char *program, const char *text) {
  unit_list all = {0};
  units_add(&all, program, NULL);
  bool found = false;
  for (int i = 0; i < all.count; i++)
    found = found || (all.list[i].argument &&
                      strcmp(all.list[i].argument, text) == 0);
  units_free(&all);
  return found;
}

int main(int argc, char **argv) {
  unit_list units = {0};
  for (int i = 1; i < argc; i++) {
    const bool argument = i + 1 < argc && is_argument(argv[i], argv[i + 1]);
    units_add(&units, argv[i], argument ? argv[i + 1] : NULL);
    i += argument;
  }
  units_sort(&units);
  int together = 0;
  while (together < units.count && !units.list[together].alone) together++;

  const int at_once = jobs_wanted();
  unsetenv("JOBS");
  setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);
  /* A thread that waits leaves its core to the other tests. */
  setenv("OMP_WAIT_POLICY", "passive", 0);
  if (!mkdtemp(folder)) {
    perror(folder);
    return EXIT_IMPOSSIBLE;
  }
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  run(units.list, together, at_once);
  run(units.list + together, units.count - together, 1);
  rmdir(folder);

  if (sum.lost)
    printf("%d of %d programs gave no result\n", sum.lost, units.count);
  sum.failed += sum.lost;
  printf("%d passed, %d failed, %d skipped\n", sum.passed, sum.failed,
         sum.skipped);
  units_free(&units);
  return sum.failed > 0 || sum.passed + sum.skipped == 0;
}
