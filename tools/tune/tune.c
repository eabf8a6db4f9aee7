/* The elite search over a stage's toggles:
 *   tune gpu|cpu STAGE FOLDER [OPTION...]
 * Layer 1 tries every combination of the structure toggles that the kernel
 * allows; layer 2 tries every combination of the detail toggles on the best
 * three. A candidate is built, held against the resource budget, sent through
 * the gates, and only then timed, in turn with the best so far. Candidates with
 * the same machine code are one kernel, and are timed once. The best three are
 * timed in one last run, together with the stage as it is by default. All
 * trials and the elite go into FOLDER/STAGE.tune.json. After an interruption it
 * goes on where it was. On the executor nothing is timed, so nothing is
 * ranked. */

#include <argp.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/arguments.h"
#include "common/harness/program/exit_codes.h"
#include "common/harness/record/results.h"
#include "tools/common/command.h"
#include "tools/resources/report.h"
#include "tools/toggles/allowed.h"
#include "tools/toggles/combinations.h"
#include "tools/tune/candidate.h"
#include "tools/tune/trials.h"

enum { KEEP = 3, TEXT = 2048 };

typedef struct {
  workbench bench;
  bool on_gpu;
  char hash[128], shape[128], about[TEXT];
  const char *folder; /* of the result */
  toggle_list toggles;
  trials all;
} search;

/* One sentence, and the end: what was tried is kept. */
static void __attribute__((noreturn, format(printf, 2, 3)))
fail(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "tune: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(code);
}

static void __attribute__((noreturn)) fail_with_log(const search *s, int code,
                                                    const char *what) {
  char line[512];
  last_line(s->bench.log, line, sizeof line);
  fail(code, "%s: %s", what, line);
}

/* ---- what a search is about ---------------------------------------------- */

static void result_name(const search *s, char *name) {
  snprintf(name, ARM_TEXT, "%s.tune", s->bench.stage);
}

/* Another kernel, shape, option or toolchain is another search. */
static void describe(search *s) {
  const command ask = {{"tools/results/kernel-hash.sh", s->bench.stage}, 2};
  if (!command_answer(&ask, s->hash, sizeof s->hash))
    fail(EXIT_USAGE, "there is no kernel in '%s'", s->bench.stage);
  int used = snprintf(s->about, TEXT, "%s %s", s->hash, s->shape);
  for (int i = 0; i < s->bench.option_count && used < TEXT; i++)
    used += snprintf(s->about + used, (size_t)(TEXT - used), " %s",
                     s->bench.options[i]);
  const command sum = {{"sha256sum", "build/toolchain"}, 2};
  char toolchain[128];
  if (used < TEXT && command_answer(&sum, toolchain, sizeof toolchain))
    snprintf(s->about + used, (size_t)(TEXT - used), " %.64s", toolchain);
}

static void open_search(search *s) {
  char root[TEXT], name[ARM_TEXT];
  reason why;
  result_name(s, name);
  snprintf(s->bench.folder, sizeof s->bench.folder, "build/tune/%s.%s",
           s->bench.stage, s->bench.target);
  snprintf(s->bench.log, sizeof s->bench.log, "%s/log", s->bench.folder);
  describe(s);
  if (!toggles_read(&s->toggles, s->bench.stage, &why))
    fail(EXIT_USAGE, "%s", why.text);
  if (!results_ready(s->folder, name, &why))
    fail(EXIT_IMPOSSIBLE, "%s", why.text);
  if (!trials_open(&s->all, s->bench.folder, s->about, &why))
    fail(EXIT_IMPOSSIBLE, "%s", why.text);
  if (s->all.count)
    printf("going on after an interruption: %d trials are done\n",
           s->all.count);
  const command ask = {{"tools/setup/cuda-home.sh"}, 1};
  s->bench.nvcc = command_answer(&ask, root, sizeof root);
  if (!s->bench.nvcc)
    printf("There is no nvcc here: neither budget nor machine code is "
           "checked.\n");
}

/* ---- one trial ----------------------------------------------------------- */

static void record(search *s, trial *t, trial_state state, const char *note) {
  reason why;
  t->state = state;
  if (!trials_add(&s->all, t, &why)) fail(EXIT_IMPOSSIBLE, "%s", why.text);
  printf("  layer %d  %-40s %s%s%s\n", t->layer, t->arm,
         trial_state_text(state), *note ? " " : "", note);
  fflush(stdout);
}

static void time_it(search *s, trial *t) {
  const trial *best = NULL;
  char note[TEXT], what[ARM_TEXT + 64];
  const bool any = trials_best(&s->all, &best, 1) && best->state == TIMED;
  snprintf(t->against, sizeof t->against, "%s", any ? best->arm : t->arm);
  const char *const arms[] = {t->arm, t->against};
  const int code = candidate_bench(&s->bench, arms, 2);
  if (code == EXIT_FAILED) {
    record(s, t, GATES_FAILED, "");
    return;
  }
  snprintf(what, sizeof what, "timing %s failed", t->arm);
  if (code) fail_with_log(s, EXIT_IMPOSSIBLE, what);
  double noise;
  if (!candidate_times(&s->bench, t->against, &t->best_p50, &noise))
    fail(EXIT_IMPOSSIBLE, "no time of %s was recorded", t->against);
  if (!candidate_times(&s->bench, t->arm, &t->p50, &t->noise))
    fail(EXIT_IMPOSSIBLE, "no time of %s was recorded", t->arm);
  t->score = (any ? best->score : 1) * t->p50 / t->best_p50;
  snprintf(note, sizeof note, "%.9g us, the best so far (%s) %.9g, noise %.9g",
           t->p50, t->against, t->best_p50, t->noise);
  record(s, t, TIMED, note);
}

/* Is it within its budget, and a kernel that was not tried before? */
static bool weigh(search *s, trial *t) {
  char over[REPORT_TEXT], note[ARM_TEXT + 8];
  if (!candidate_weigh(&s->bench, t, over)) fail(EXIT_FAILED, "%s", over);
  if (*over) {
    record(s, t, OVER_BUDGET, over);
    return false;
  }
  const trial *twin = trials_of_code(&s->all, t->code);
  if (!twin) return true;
  snprintf(t->against, sizeof t->against, "%s", twin->arm);
  snprintf(note, sizeof note, "as %s", twin->arm);
  record(s, t, SAME_CODE, note);
  return false;
}

static void try(search *s, int layer, const arm *a) {
  char spelling[ARM_TEXT], note[TEXT];
  reason why;
  arm_encode(a, spelling);
  if (trials_of_arm(&s->all, spelling)) return;
  trial t = trial_of(spelling, layer);
  if (!toggles_allowed(s->bench.stage, a, &why)) {
    snprintf(note, sizeof note, "by the kernel: %s", why.text);
    record(s, &t, RULED_OUT, note);
    return;
  }
  if (!candidate_build(&s->bench, spelling)) {
    last_line(s->bench.log, note, sizeof note);
    record(s, &t, BUILD_FAILED, note);
    return;
  }
  if (s->bench.nvcc && !weigh(s, &t)) return;
  const int code = candidate_check(&s->bench, spelling);
  snprintf(note, sizeof note, "the gates of %s did not run", spelling);
  if (code > EXIT_FAILED) fail_with_log(s, EXIT_IMPOSSIBLE, note);
  if (code)
    record(s, &t, GATES_FAILED, "");
  else if (s->on_gpu)
    time_it(s, &t);
  else
    record(s, &t, GREEN, "");
}

/* ---- the search ---------------------------------------------------------- */

static void search_layer(search *s, int layer, const char *name,
                         const arm *from) {
  combination c;
  combination_first(&c, &s->toggles, name);
  do {
    arm a = *from;
    combination_apply(&c, &a);
    try(s, layer, &a);
    const trial_state first = s->all.list[0].state;
    if (first != TIMED && first != GREEN)
      fail(EXIT_FAILED, "%s as it is by default does not pass", s->bench.stage);
  } while (combination_next(&c));
}

typedef struct {
  char arm[ARM_TEXT];
  double p50, noise;
} finalist;

/* The best and the default, timed in turn in one run, best first. */
static int run_final(search *s, finalist *final) {
  const trial *best[KEEP];
  const char *arms[KEEP + 1];
  int count = trials_best(&s->all, best, KEEP);
  bool has_default = false;
  for (int i = 0; i < count; i++) {
    arms[i] = best[i]->arm;
    has_default |= !strcmp(arms[i], "default");
  }
  if (!has_default) arms[count++] = "default";
  if (candidate_bench(&s->bench, arms, count))
    fail_with_log(s, EXIT_IMPOSSIBLE, "timing the elite");
  for (int i = 0; i < count; i++) {
    finalist f = {.p50 = NAN};
    snprintf(f.arm, sizeof f.arm, "%s", arms[i]);
    if (!candidate_times(&s->bench, f.arm, &f.p50, &f.noise))
      fail(EXIT_IMPOSSIBLE, "no time of %s was recorded", f.arm);
    int at = i;
    for (; at > 0 && final[at - 1].p50 > f.p50; at--) final[at] = final[at - 1];
    final[at] = f;
  }
  return count;
}

static json_t *elite_json(const finalist *final, int count) {
  json_t *elite = json_array();
  double base = NAN;
  for (int i = 0; i < count; i++)
    if (!strcmp(final[i].arm, "default")) base = final[i].p50;
  for (int i = 0; i < count; i++) {
    const finalist *f = &final[i];
    const double saved =
        fabs(f->p50 - base) <= f->noise ? 0 : 100 * (1 - f->p50 / base);
    json_array_append_new(
        elite, json_pack("{s:s, s:o, s:f, s:f, s:f}", "arm", f->arm, "settings",
                         trial_settings(f->arm), "p50_us", f->p50, "noise_us",
                         f->noise, "saved_pct", round(100 * saved) / 100));
  }
  return elite;
}

static void write_result(search *s, const finalist *final, int count) {
  char name[ARM_TEXT];
  reason why;
  json_t *result = json_pack(
      "{s:{s:i, s:s, s:s, s:s}, s:{s:s, s:i, s:b, s:o, s:o}}", "build_meta",
      "schema_version", RESULTS_SCHEMA, "stage", s->bench.stage, "kernel_hash",
      s->hash, "target", s->bench.target, "tune", "shape", s->shape, "keep",
      KEEP, "ranked", s->on_gpu, "trials", trials_json(&s->all), "elite",
      elite_json(final, count));
  result_name(s, name);
  if (!results_write(result, s->folder, name, &why))
    fail(EXIT_IMPOSSIBLE, "%s", why.text);
  json_decref(result);
}

static void run_search(search *s) {
  const arm none = {.count = 0};
  const trial *best[KEEP];
  char elite[KEEP][ARM_TEXT];
  finalist final[KEEP + 1];
  search_layer(s, 1, "structure", &none);
  const int count = trials_best(&s->all, best, KEEP);
  for (int i = 0; i < count; i++) strcpy(elite[i], best[i]->arm);
  for (int i = 0; i < count; i++) {
    arm a;
    if (arm_decode(&a, elite[i])) search_layer(s, 2, "detail", &a);
  }
  const int finalists = s->on_gpu ? run_final(s, final) : 0;
  write_result(s, final, finalists);
  if (s->bench.nvcc)
    printf("%d different kernels, by machine code\n",
           trials_kernels(&s->all));
  if (s->on_gpu)
    printf("the elite at %s, timed in turn in one run:\n", s->shape);
  else
    printf("Nothing was timed, so nothing is ranked: the executor predicts no "
           "time.\n");
  for (int i = 0; i < finalists; i++)
    printf("  %-40s %9.2f us, noise %.2f\n", final[i].arm, final[i].p50,
           final[i].noise);
  printf("wrote %s/%s.tune.json\n", s->folder, s->bench.stage);
}

/* ---- the command line ---------------------------------------------------- */

static error_t take(int key, char *word, struct argp_state *state) {
  search *s = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (state->arg_num == 0) s->bench.target = word;
    if (state->arg_num == 1) s->bench.stage = word;
    if (state->arg_num < 2) return 0;
    /* What follows are options of the stage's program. */
    s->folder = word;
    s->bench.options = (const char **)&state->argv[state->next];
    s->bench.option_count = state->argc - state->next;
    state->next = state->argc;
    return 0;
  case ARGP_KEY_END:
    if (!s->folder || (strcmp(s->bench.target, "gpu") &&
                       strcmp(s->bench.target, "cpu")))
      argument_wrong(state, "Give gpu or cpu, a stage, and a folder for the "
                     "result.");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  const struct argp parser = {
      .parser = take,
      .args_doc = "gpu|cpu STAGE FOLDER [OPTION...]",
      .doc = "Searches the best settings of a stage's toggles. The environment "
             "names the SHAPES of which the first is timed, ITERS, ARCH and "
             "COMMIT."};
  search s = {.folder = NULL};
  const char *shapes = getenv("SHAPES"), *arch = getenv("ARCH");
  argp_err_exit_status = EXIT_USAGE;
  argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &s);
  if (!shapes || !*shapes) shapes = "mission";
  snprintf(s.shape, sizeof s.shape, "%.*s", (int)strcspn(shapes, " "), shapes);
  s.bench.shape = s.shape;
  s.bench.arch = arch && *arch ? arch : "90a";
  s.on_gpu = !strcmp(s.bench.target, "gpu");
  open_search(&s);
  run_search(&s);
  trials_close(&s.all);
  const command clean = {{"rm", "-rf", s.bench.folder}, 3};
  return command_run(&clean, NULL);
}
