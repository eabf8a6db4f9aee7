/* Two recorded results beside each other, shape by shape:
 *   compare BASE.json CANDIDATE.json
 * `saved` is 1 - candidate/base, `speed-up` is base/candidate, of the medians.
 * A difference within the noise of either run is printed as no difference. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/results.h"

enum { REFUSED = 2 };

/* Results compare only where all of this is the same. */
static const char *const must_match[] = {"build_meta/device/name",
                                         "build_meta/device/driver",
                                         "build_meta/compiler"};

static int refuse(const char *what, const char *a, const char *b) {
  fprintf(stderr, "These results do not compare: %s is '%s' in one and '%s' in "
                  "the other.\n", what, a, b);
  return REFUSED;
}

static void print_row(const char *shape, const char *method,
                      const json_t *base, const json_t *candidate) {
  const double old = results_number(base, "p50_us");
  const double new = results_number(candidate, "p50_us");
  const double noise = fmax(results_number(base, "noise_us"),
                            results_number(candidate, "noise_us"));
  if (isnan(old) || isnan(new)) return;
  printf("%-10s %-6s %10.2f %10.2f %8.2f", shape, method, old, new, noise);
  if (fabs(new - old) <= noise)
    printf("   no difference\n");
  else
    printf(" %7.1f %% %8.2fx\n", 100.0 * (1.0 - new / old), old / new);
}

static int compare(json_t *base, json_t *candidate) {
  for (size_t i = 0; i < sizeof must_match / sizeof *must_match; i++) {
    const char *a = results_text(base, must_match[i]);
    const char *b = results_text(candidate, must_match[i]);
    if (strcmp(a, b)) return refuse(strrchr(must_match[i], '/') + 1, a, b);
  }
  const char *a = results_text(base, "build_meta/run");
  const char *b = results_text(candidate, "build_meta/run");
  printf("base       %s %s\ncandidate  %s %s\non         %s%s\n\n",
         results_text(base, "build_meta/stage"),
         results_text(base, "build_meta/arm"),
         results_text(candidate, "build_meta/stage"),
         results_text(candidate, "build_meta/arm"),
         results_text(base, "build_meta/device/name"),
         strcmp(a, b) ? " (two runs: the clocks may have differed)"
                      : " (one run, timed in turn)");
  printf("%-10s %-6s %10s %10s %8s %9s %9s\n", "shape", "method", "base us",
         "cand. us", "noise", "saved", "speed-up");
  const json_t *shapes = json_object_get(base, "perf");
  const json_t *others = json_object_get(candidate, "perf");
  const char *shape;
  json_t *timing;
  int rows = 0;
  json_object_foreach((json_t *)shapes, shape, timing) {
    const json_t *other = json_object_get(others, shape);
    if (!other) {
      fprintf(stderr, "Shape %s is in one result only.\n", shape);
      continue;
    }
    static const char *const methods[] = {"event", "graph"};
    for (int i = 0; i < 2; i++)
      print_row(shape, methods[i], json_object_get(timing, methods[i]),
                json_object_get(other, methods[i]));
    rows++;
  }
  if (rows) return 0;
  fprintf(stderr, "The two results have no timed shape in common.\n");
  return REFUSED;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: compare BASE.json CANDIDATE.json\n");
    return REFUSED;
  }
  char why[512];
  json_t *base = results_read(argv[1], why, sizeof why);
  json_t *candidate = base ? results_read(argv[2], why, sizeof why) : NULL;
  int status = REFUSED;
  if (candidate)
    status = compare(base, candidate);
  else
    fprintf(stderr, "%s\n", why);
  json_decref(base);
  json_decref(candidate);
  return status;
}
