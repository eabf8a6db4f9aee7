#include "tools/compare/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/figures.h"

enum { METHODS = 2 };

/* The graph is judged where both have it: it has no launch gaps. */
static const char *const methods[METHODS] = {"event", "graph"};

/* Results compare only where all of this is the same. */
static const char *const must_match[] = {
    "build_meta/device/name", "build_meta/device/driver",
    "build_meta/device/runtime", "build_meta/compiler"};

/* A page says in place why two results have no table; else it is an error. */
static bool differ(const comparison *c, const char *what, const char *a,
                   const char *b) {
  fprintf(c->markdown ? c->out : stderr,
          "These results do not compare: %s is "
          "'%s' in one and '%s' in the other.\n",
          what, a, b);
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

/* Has it all that a table is made from? */
static bool complete(const json_t *result, const char *file, reason *why) {
  const char *shape;
  json_t *timing;
  char path[256];
  for (size_t i = 0; i < sizeof must_match / sizeof *must_match; i++)
    if (!figures_want(result, file, must_match[i], A_TEXT, false, why))
      return false;
  if (!figures_want(result, file, "perf", A_SECTION, true, why)) return false;
  json_object_foreach(json_object_get(result, "perf"), shape, timing) {
    snprintf(path, sizeof path, "perf/%.200s", shape);
    if (!figures_want(result, file, path, A_SECTION, true, why)) return false;
    for (int i = 0; i < METHODS; i++) {
      if (json_is_null(json_object_get(timing, methods[i])) ||
          !json_object_get(timing, methods[i]))
        continue;
      snprintf(path, sizeof path, "perf/%.200s/%s/p50_us", shape, methods[i]);
      if (!figures_want(result, file, path, A_NUMBER, true, why)) return false;
      snprintf(path, sizeof path, "perf/%.200s/%s/noise_us", shape, methods[i]);
      if (!figures_want(result, file, path, A_NUMBER, true, why)) return false;
    }
  }
  return true;
}

static bool green(const json_t *result) {
  const json_t *gates = json_object_get(result, "correctness");
  if (json_is_true(json_object_get(gates, "all_passed"))) return true;
  fprintf(stderr,
          "%s %s has no passed gates: a wrong kernel's time is not "
          "compared.\n",
          results_text(result, "build_meta/stage"),
          results_text(result, "build_meta/arm"));
  return false;
}

/* Returns the speed-up, 1 for a difference within the noise; NAN: no row. */
static double print_row(comparison *c, const char *shape, const char *method,
                        const json_t *base, const json_t *candidate) {
  const double old = results_number(base, "p50_us");
  const double new = results_number(candidate, "p50_us");
  const double noise = fmax(results_number(base, "noise_us"),
                            results_number(candidate, "noise_us"));
  if (!(old > 0) || !(new > 0) || isnan(noise)) return NAN;
  const bool same = fabs(new - old) <= noise;
  const double saved = same ? 0 : 100.0 * (1.0 - new / old);
  if (saved < 0) c->slower++;
  if (!strcmp(shape, "mission")) {
    c->mission = saved;
    c->mission_method = method;
  }
  fprintf(c->out,
          c->markdown ? "| %s | %s | %.2f | %.2f | %.2f |"
                      : "%-10s %-6s %10.2f %10.2f %8.2f",
          shape, method, old, new, noise);
  if (same)
    fprintf(c->out,
            c->markdown ? " no difference | |\n" : "   no difference\n");
  else
    fprintf(c->out, c->markdown ? " %.1f %% | %.2fx |\n" : " %7.1f %% %8.2fx\n",
            saved, old / new);
  return same ? 1 : old / new;
}

/* The average of the speed-ups is geometric, one a shape: by graphs where both
 * have them. */
static void print_sum(const comparison *c, double logs, int shapes,
                      const json_t *base, const json_t *candidate) {
  const char *const path = "correctness/cases";
  if (shapes)
    fprintf(c->out, "\naverage speed-up over %d shape%s: %.2fx%s", shapes,
            shapes > 1 ? "s" : "", exp(logs / shapes),
            c->markdown ? "; " : "\n");
  fprintf(c->out,
          "gates: %.0f cases passed in the base, %.0f in the candidate\n",
          results_number(base, path), results_number(candidate, path));
}

static void print_side(const comparison *c, const char *side,
                       const json_t *result) {
  fprintf(c->out,
          c->markdown ? "- %s `%s %s`, commit %s, kernel %.12s\n"
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
    fprintf(c->out,
            "- on %s; %s\n\n| shape | method | base, us | candidate, "
            "us | noise | saved | speed-up |\n|---|---|---:|---:|---:|---:|---:"
            "|\n",
            results_text(base, "build_meta/device/name"), run);
    return;
  }
  fprintf(c->out, "on         %s (%s)\n\n%-10s %-6s %10s %10s %8s %9s %9s\n",
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
  fprintf(c->out, "\ngate: %.2f %% at mission (%s), %.2f %% wanted: %s\n",
          c->mission, c->mission_method, c->gate, met ? "met" : "missed");
  if (c->slower)
    fprintf(c->out, "regression: %d row%s above %s slower than the base\n",
            c->slower, c->slower > 1 ? "s" : "", c->slower > 1 ? "are" : "is");
  return met && !c->slower ? EXIT_PASS : EXIT_FAILED;
}

/* Do the two call the same work by one name? */
static bool same_work(const comparison *c, const char *name, const json_t *base,
                      const json_t *candidate) {
  static const char *const keys[] = {"shape", "kv_heads", "causal", "flush_l2"};
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
    fprintf(c->markdown ? c->out : stderr,
            "The two results have no timed shape in common.\n");
  return common;
}

static void only_in(const comparison *c, const char *side, const json_t *perf,
                    const json_t *other) {
  const char *shape;
  json_t *timing;
  json_object_foreach((json_t *)perf, shape,
                      timing) if (!json_object_get(other, shape))
      fprintf(c->out, "%s%s: timed in the %s only%s\n", c->markdown ? "\n" : "",
              shape, side, c->markdown ? "." : "");
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
  double logs = 0;
  int averaged = 0;
  json_object_foreach((json_t *)shapes, shape, timing) {
    const json_t *other = json_object_get(others, shape);
    double last = NAN;
    for (int i = 0; i < METHODS && other; i++) {
      const double its =
          print_row(c, shape, methods[i], json_object_get(timing, methods[i]),
                    json_object_get(other, methods[i]));
      if (!isnan(its)) last = its;
    }
    if (isnan(last)) continue;
    logs += log(last);
    averaged++;
  }
  print_sum(c, logs, averaged, base, candidate);
  only_in(c, "base", shapes, others);
  only_in(c, "candidate", others, shapes);
  return verdict(c);
}

int compare_files(comparison *c, const char *base_path,
                  const char *candidate_path) {
  reason why;
  json_t *base = results_read(base_path, &why);
  json_t *candidate = base ? results_read(candidate_path, &why) : NULL;
  int status = EXIT_USAGE;
  c->mission = NAN;
  c->slower = 0;
  if (candidate && complete(base, base_path, &why) &&
      complete(candidate, candidate_path, &why))
    status = compare(c, base, candidate);
  else
    fprintf(stderr, "%s\n", why.text);
  json_decref(base);
  json_decref(candidate);
  return status;
}
