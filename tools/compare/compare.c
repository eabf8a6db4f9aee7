/* Two recorded results beside each other, shape by shape:
 *   compare [--gate PERCENT] [--markdown] BASE.json CANDIDATE.json
 * `saved` is 1 - candidate/base, `speed-up` is base/candidate, of the medians.
 * A difference within the noise of either run is printed as no difference.
 * With a gate the exit code is 1 if the candidate is slower anywhere, or saves
 * less than that at the mission shape. */

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/arguments.h"
#include "common/harness/program/exit_codes.h"
#include "common/harness/record/results.h"

enum { METHODS = 2 };

/* The graph is judged where both have it: it has no launch gaps. */
static const char *const methods[METHODS] = {"event", "graph"};

typedef struct {
  bool gated, markdown;
  double gate;    /* percent */
  double mission; /* saved at mission in percent; NAN: not timed in both */
  const char *mission_method;
  int slower;     /* rows where the candidate is slower than the base */
} comparison;

typedef struct {
  const char *gate, *files[2];
  bool markdown;
} command_line;

/* Results compare only where all of this is the same. */
static const char *const must_match[] = {
    "build_meta/device/name", "build_meta/device/driver",
    "build_meta/device/runtime", "build_meta/compiler"};

/* A page says in place why two results have no table; else it is an error. */
static bool differ(const comparison *c, const char *what, const char *a,
                   const char *b) {
  fprintf(c->markdown ? stdout : stderr, "These results do not compare: %s is "
          "'%s' in one and '%s' in the other.\n", what, a, b);
  return false;
}

/* The flags without the toggles, which are what an arm is about. */
static void plain_flags(const json_t *result, char *flags, size_t size) {
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", results_text(result, "build_meta/flags"));
  flags[0] = '\0';
  char *rest = NULL;
  for (char *flag = strtok_r(copy, " ", &rest); flag;
       flag = strtok_r(NULL, " ", &rest))
    if (strncmp(flag, "-D", 2) && strlen(flags) + strlen(flag) + 2 < size)
      strcat(strcat(flags, flag), " ");
}

static bool green(const json_t *result) {
  const json_t *gates = json_object_get(result, "correctness");
  if (json_is_true(json_object_get(gates, "all_passed"))) return true;
  fprintf(stderr, "%s %s has no passed gates: a wrong kernel's time is not "
          "compared.\n", results_text(result, "build_meta/stage"),
          results_text(result, "build_meta/arm"));
  return false;
}

static void print_row(comparison *c, const char *shape, const char *method,
                      const json_t *base, const json_t *candidate) {
  const double old = results_number(base, "p50_us");
  const double new = results_number(candidate, "p50_us");
  const double noise = fmax(results_number(base, "noise_us"),
                            results_number(candidate, "noise_us"));
  if (!(old > 0) || !(new > 0) || isnan(noise)) return;
  const bool same = fabs(new - old) <= noise;
  const double saved = same ? 0 : 100.0 * (1.0 - new / old);
  if (saved < 0) c->slower++;
  if (!strcmp(shape, "mission")) {
    c->mission = saved;
    c->mission_method = method;
  }
  printf(c->markdown ? "| %s | %s | %.2f | %.2f | %.2f |"
                     : "%-10s %-6s %10.2f %10.2f %8.2f",
         shape, method, old, new, noise);
  if (same)
    printf(c->markdown ? " no difference | |\n" : "   no difference\n");
  else
    printf(c->markdown ? " %.1f %% | %.2fx |\n" : " %7.1f %% %8.2fx\n", saved,
           old / new);
}

static void print_side(const comparison *c, const char *side,
                       const json_t *result) {
  printf(c->markdown ? "- %s `%s %s`, commit %s, kernel %.12s\n"
                     : "%-10s %s %s, commit %s, kernel %.12s\n",
         side, results_text(result, "build_meta/stage"),
         results_text(result, "build_meta/arm"),
         results_text(result, "build_meta/commit"),
         results_text(result, "build_meta/kernel_hash"));
}

static void print_head(const comparison *c, const json_t *base,
                       const json_t *candidate) {
  const bool one_run = !strcmp(results_text(base, "build_meta/run"),
                               results_text(candidate, "build_meta/run"));
  const char *run = one_run ? "one run, timed in turn"
                            : "two runs: the clocks may have differed";
  print_side(c, "base", base);
  print_side(c, "candidate", candidate);
  if (c->markdown) {
    printf("- on %s; %s\n\n| shape | method | base, us | candidate, us | noise "
           "| saved | speed-up |\n|---|---|---:|---:|---:|---:|---:|\n",
           results_text(base, "build_meta/device/name"), run);
    return;
  }
  printf("on         %s (%s)\n\n%-10s %-6s %10s %10s %8s %9s %9s\n",
         results_text(base, "build_meta/device/name"), run, "shape", "method",
         "base us", "cand. us", "noise", "saved", "speed-up");
}

static int verdict(const comparison *c) {
  if (!c->gated) return EXIT_PASS;
  if (isnan(c->mission)) {
    fprintf(stderr, "The gate is judged at mission, which is not timed in "
            "both results.\n");
    return EXIT_USAGE;
  }
  const bool met = c->mission >= c->gate - 1e-9; /* 1 - 18/20 is not 0.1 */
  printf("\ngate: %.2f %% at mission (%s), %.2f %% wanted: %s\n", c->mission,
         c->mission_method, c->gate, met ? "met" : "missed");
  if (c->slower)
    printf("regression: %d row%s above %s slower than the base\n", c->slower,
           c->slower > 1 ? "s" : "", c->slower > 1 ? "are" : "is");
  return met && !c->slower ? EXIT_PASS : EXIT_FAILED;
}

/* Do the two call the same work by one name? */
static bool same_work(const comparison *c, const char *name,
                      const json_t *base, const json_t *candidate) {
  static const char *const keys[] = {"shape", "kv_heads", "causal",
                                     "flush_l2"};
  bool same = true;
  for (int i = 0; i < 4 && same; i++) {
    const json_t *one = json_object_get(base, keys[i]);
    const json_t *other = json_object_get(candidate, keys[i]);
    if (one == other || json_equal(one, other)) continue;
    char *a = json_dumps(one, JSON_ENCODE_ANY | JSON_COMPACT);
    char *b = json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT);
    char what[128];
    snprintf(what, sizeof what, "%s of %s", keys[i], name);
    same = differ(c, what, a ? a : "absent", b ? b : "absent");
    free(a);
    free(b);
  }
  return same;
}

static bool comparable(const comparison *c, const json_t *base,
                       const json_t *candidate) {
  for (size_t i = 0; i < sizeof must_match / sizeof *must_match; i++) {
    const char *a = results_text(base, must_match[i]);
    const char *b = results_text(candidate, must_match[i]);
    if (strcmp(a, b)) return differ(c, strrchr(must_match[i], '/') + 1, a, b);
  }
  char a[1024], b[1024];
  plain_flags(base, a, sizeof a);
  plain_flags(candidate, b, sizeof b);
  if (strcmp(a, b)) return differ(c, "flags", a, b);
  const json_t *others = json_object_get(candidate, "perf");
  const char *shape;
  json_t *timing;
  bool common = false;
  json_object_foreach(json_object_get(base, "perf"), shape, timing) {
    const json_t *other = json_object_get(others, shape);
    if (other && !same_work(c, shape, timing, other)) return false;
    common |= other != NULL;
  }
  if (!common)
    fprintf(c->markdown ? stdout : stderr,
            "The two results have no timed shape in common.\n");
  return common;
}

static void only_in(const comparison *c, const char *side, const json_t *perf,
                    const json_t *other) {
  const char *shape;
  json_t *timing;
  json_object_foreach((json_t *)perf, shape, timing)
    if (!json_object_get(other, shape))
      printf("%s%s: timed in the %s only%s\n", c->markdown ? "\n" : "", shape,
             side, c->markdown ? "." : "");
}

static int compare(comparison *c, const json_t *base, const json_t *candidate) {
  if (!green(base) || !green(candidate)) return EXIT_USAGE;
  if (!comparable(c, base, candidate))
    return c->markdown ? EXIT_PASS : EXIT_USAGE;
  print_head(c, base, candidate);
  const json_t *shapes = json_object_get(base, "perf");
  const json_t *others = json_object_get(candidate, "perf");
  const char *shape;
  json_t *timing;
  json_object_foreach((json_t *)shapes, shape, timing) {
    const json_t *other = json_object_get(others, shape);
    for (int i = 0; i < METHODS && other; i++)
      print_row(c, shape, methods[i], json_object_get(timing, methods[i]),
                json_object_get(other, methods[i]));
  }
  only_in(c, "base", shapes, others);
  only_in(c, "candidate", others, shapes);
  return verdict(c);
}

static const struct argp_option known[] = {
    {"gate", 'g', "PERCENT", 0, "What CANDIDATE must save at the mission shape",
     0},
    {"markdown", 'm', 0, 0, "Print a table for a page", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 'g': line->gate = value; break;
  case 'm': line->markdown = true; break;
  case ARGP_KEY_ARG:
    if (state->arg_num == 2) argp_usage(state);
    line->files[state->arg_num] = value;
    break;
  case ARGP_KEY_END:
    if (state->arg_num < 2) argp_usage(state);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static bool read_gate(comparison *c, const char *text) {
  char *end;
  c->gated = text != NULL;
  if (!text) return true;
  c->gate = strtod(text, &end);
  if (!*end && end != text && isfinite(c->gate)) return true;
  fprintf(stderr, "A gate is a percentage, as in 15, not '%s'.\n", text);
  return false;
}

int main(int argc, char **argv) {
  const struct argp parser = {known,
                              take,
                              "BASE.json CANDIDATE.json",
                              "Two recorded results beside each other, shape "
                              "by shape.\v"
                              "Exit status: 0 pass, 1 the gate is missed, 2 "
                              "wrong command line, or "
                              "results that do not compare.",
                              NULL,
                              NULL,
                              NULL};
  command_line line = {0};
  arguments_parse(&parser, argc, argv, &line);
  comparison c = {.mission = NAN, .markdown = line.markdown};
  if (!read_gate(&c, line.gate)) return EXIT_USAGE;
  reason why;
  json_t *base = results_read(line.files[0], &why);
  json_t *candidate = base ? results_read(line.files[1], &why) : NULL;
  int status = EXIT_USAGE;
  if (candidate)
    status = compare(&c, base, candidate);
  else
    fprintf(stderr, "%s\n", why.text);
  json_decref(base);
  json_decref(candidate);
  return status;
}
