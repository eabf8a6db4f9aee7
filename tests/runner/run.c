/* Runs test programs that print TAP and adds them up: see `run --help`. */

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness/program/arguments.h"
#include "common/harness/program/exit_codes.h"
#include "tests/runner/draw.h"
#include "tests/runner/job.h"
#include "tests/runner/kept.h"
#include "tests/runner/tap.h"
#include "tests/runner/unit.h"

enum { MOST_JOBS = 256, INTERRUPTED = 130 };

typedef struct {
  unit_list units;
  const char *records; /* NULL: this reader's outcomes of last time */
  bool look;           /* at the records, and run nothing */
  bool draw;           /* of what grows with the stages, a few */
} command_line;

static struct {
  int passed, failed, skipped, lost;
} sum;
static char scratch[] = "/tmp/tests-XXXXXX";
static job jobs[MOST_JOBS];

/* Where outcomes are kept, of which machine; NULL: nowhere. */
static const char *folder, *machine = "";

static void stop(int number) {
  (void)number;
  for (int i = 0; i < MOST_JOBS; i++)
    if (jobs[i].process) kill(-jobs[i].process, SIGTERM);
  while (wait(NULL) > 0) continue;
  for (int i = 0; i < MOST_JOBS; i++) {
    if (!jobs[i].process) continue;
    unlink(jobs[i].log);
    if (*jobs[i].opened) unlink(jobs[i].opened);
  }
  rmdir(scratch);
  _exit(INTERRUPTED);
}

/* Sanitizers do not work under strace, and what is timed would be slower. */
static bool may_keep(const unit *u) {
  return folder && !u->alone && !u->never_kept && unit_is_script(u->program);
}

static void keep(const job *j, const tap *t, char *skips) {
  reads r;
  reason why;
  const bool records = !*machine;
  const kept_outcome outcome = {t->passed, t->skipped, j->cpu, skips};
  reads_load(&r, j->opened);
  kept_remove(folder, j->what->name);
  if (!t->failed && !kept_write(folder, j->what->name, machine, &outcome, &r,
                                !records, j->clock, &why) &&
      records) {
    printf("FAILED  %s: no record: %s\n", j->what->name, why.text);
    sum.failed++;
  }
  reads_free(&r);
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
  char *skips = tap_skips(j->said);
  printf("%s", skips ? skips : "");
  if (*j->opened) keep(j, &t, skips);
  free(skips);
  fflush(stdout);
  sum.passed += t.passed;
  sum.failed += t.failed;
  sum.skipped += t.skipped;
}

/* Answered from what was kept? */
static bool answered(const unit *u) {
  kept_outcome outcome;
  reason why;
  if (!may_keep(u) || !kept_find(folder, u->name, machine, &outcome, &why))
    return false;
  printf("kept    %s: %d; no file that it read has changed since it passed\n",
         u->name, outcome.passed);
  printf("%s", outcome.skips);
  fflush(stdout);
  free(outcome.skips);
  sum.passed += outcome.passed;
  sum.skipped += outcome.skipped;
  return true;
}

/* Runs them in order, at most `at_once` at a time. */
static void run(const unit *units, int count, int at_once) {
  int running = 0, next = 0;
  while (next < count || running) {
    for (int i = 0; i < at_once && next < count; i++) {
      while (!jobs[i].process && next < count && answered(&units[next])) next++;
      if (jobs[i].process || next == count) continue;
      job_start(&jobs[i], &units[next], scratch, may_keep(&units[next]));
      next++, running++;
    }
    job *ended = running ? job_wait(jobs, at_once) : NULL;
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

/* TAP: a stale record is a skip with a name, and for a release a failure. */
static int look(const unit_list *units, const char *records) {
  const char *release = getenv("RELEASE");
  const bool strict = release && !strcmp(release, "1");
  int failures = 0;
  for (int i = 0; i < units->count; i++) {
    kept_outcome outcome;
    reason why;
    const char *name = units->list[i].name;
    if (kept_find(records, name, "", &outcome, &why)) {
      printf("ok %d - %s: %d passed\n", i + 1, name, outcome.passed);
    } else {
      printf("%sok %d - %s%s make check-more: %s\n", strict ? "not " : "",
             i + 1, name, strict ? ":" : " # SKIP stale:", why.text);
      failures += strict;
    }
    free(outcome.skips);
  }
  printf("1..%d\n", units->count);
  return failures ? EXIT_FAILED : EXIT_PASS;
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

static const struct argp_option known[] = {
    {"records", 'r', "FOLDER", 0,
     "Leave a record of each, with the hashes of what it read; run only those "
     "whose record does not hold",
     0},
    {"look", 'l', NULL, 0, "Say of each record whether it holds, as TAP", 0},
    {"draw", 'd', NULL, 0,
     "Of a script that says `drawn: N`, run N only; SEED draws others", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 'r': line->records = value; break;
  case 'l': line->look = true; break;
  case 'd': line->draw = true; break;
  case ARGP_KEY_ARG: {
    const bool last = state->next >= state->argc;
    const char *next = last ? "" : state->argv[state->next];
    const bool more = is_argument(value, next);
    units_add(&line->units, value, more ? next : NULL);
    state->next += more;
    break;
  }
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp parser = {
    .options = known,
    .parser = take,
    .args_doc = "PROGRAM [ARGUMENT]...",
    .doc =
        "Runs test programs that print TAP, JOBS at a time (as many as there "
        "are processors), those that take most first. An argument picks one "
        "run of a script that is run for each of several. The last line is "
        "`N passed, N failed, N skipped`."
        "\vWith strace, what a script read is kept with its outcome, and "
        "answers for it as long as nothing of that has changed; CI=true does "
        "without."};

static void set_up(const char *records) {
  const char *ci = getenv("CI");
  unsetenv("JOBS");
  setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);
  /* A thread that waits leaves its core to the other tests. */
  setenv("OMP_WAIT_POLICY", "passive", 0);
  if (!mkdtemp(scratch)) {
    perror(scratch);
    exit(EXIT_IMPOSSIBLE);
  }
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  if (records) {
    folder = records;
  } else if (!(ci && *ci) && reads_possible()) {
    machine = kept_machine();
    if (*machine) folder = "build/tests/kept";
  }
  if (!records || reads_possible()) return;
  rmdir(scratch);
  fprintf(stderr, "Records need strace: 'make setup' installs it.\n");
  exit(EXIT_IMPOSSIBLE);
}

/* Those that are not drawn go, with a line each. */
static void leave_out(unit_list *units) {
  int kept = 0;
  for (int i = 0; i < units->count; i++)
    units->list[i].left_out = !draw_takes(units, &units->list[i]);
  for (int i = 0; i < units->count; i++) {
    unit *one = &units->list[i];
    if (!one->left_out) {
      units->list[kept++] = *one;
      continue;
    }
    printf("skipped %s # SKIP not drawn by SEED=%s; make check-more runs all\n",
           one->name, draw_seed());
    sum.skipped++;
    unit_free(one);
  }
  units->count = kept;
}

/* Threads of one test that wait for another test's cost both of them time. */
static void share_cores(int at_once) {
  static bool mine;
  char threads[24];
  const long cores = get_nprocs();
  if (getenv("OMP_NUM_THREADS") && !mine) return;
  mine = true;
  snprintf(threads, sizeof threads, "%ld",
           cores > at_once ? cores / at_once : 1);
  setenv("OMP_NUM_THREADS", threads, 1);
}

int main(int argc, char **argv) {
  command_line line = {0};
  arguments_parse(&parser, argc, argv, &line);
  unit_list *const units = &line.units;
  if (line.look) return look(units, line.records);
  if (line.draw) leave_out(units);
  units_sort(units);
  int together = 0;
  while (together < units->count && !units->list[together].alone) together++;

  const int at_once = jobs_wanted();
  set_up(line.records);
  share_cores(at_once);
  run(units->list, together, at_once);
  share_cores(1);
  run(units->list + together, units->count - together, 1);
  rmdir(scratch);

  if (sum.lost)
    printf("%d of %d programs gave no result\n", sum.lost, units->count);
  sum.failed += sum.lost;
  printf("%d passed, %d failed, %d skipped\n", sum.passed, sum.failed,
         sum.skipped);
  units_free(units);
  return sum.failed > 0 || sum.passed + sum.skipped == 0;
}
