/* How long the executor takes for one launch of a stage at the mission shape,
 * with all checks on where the kernel is traced: prints the seconds. */

#include "common/harness/launch.h"
#include "common/harness/object.h"
#include "common/harness/settings.h"
#include "common/simt/simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void) {
  reason why;
  attention_shape shape;
  problem p;
  upload u;
  if (!case_parse(&shape, NULL, "mission", &why) ||
      !problem_new(&p, &shape, NORMAL, 0, &why))
    return fail(why.text);
  uint16_t *o = malloc(2 * attention_shape_elements(&shape));
  if (!o || !upload_new(&u, &p, 0, &why)) return fail(why.text);
  setenv("SIMT_THREADS", "2", 1);
  simt_set_checks(SIMT_RACES | SIMT_COUNTS);
  const double start = seconds();
  const bool good = upload_run(&u, stage_object_get()->launch, o, &why);
  const double end = seconds();
  const simt_finding *found;
  const simt_line *lines;
  simt_counters total;
  simt_lines(&lines, &total);
  if (!good) return fail(why.text);
  if (simt_findings(&found)) return fail("There are findings.");
  if (simt_is_instrumented() != (total.shared_loads > 0))
    return fail("The checks were not as the program was built.");
  printf("%.3f\n", end - start);
  upload_free(&u);
  problem_free(&p);
  free(o);
  return 0;
}
