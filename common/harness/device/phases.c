#include "common/harness/device/device.h"

#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 8, WIDTH = 60 };

static struct {
  const char *name;
  long total, done;
} open_phases[DEPTH];
static int depth;
static bool shown;
static double started, last_shown;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The outermost phase that counts its steps is what a reader waits for. */
static void show(void) {
  const double t = now();
  if (!isatty(2) || t - started < 1.0 || t - last_shown < 0.1) return;
  int outer = 0;
  while (outer < depth - 1 && open_phases[outer].total == 0) outer++;
  char line[WIDTH + 1];
  if (open_phases[outer].total)
    snprintf(line, sizeof line, "%s: %ld of %ld", open_phases[outer].name,
             open_phases[outer].done, open_phases[outer].total);
  else
    snprintf(line, sizeof line, "%s", open_phases[outer].name);
  fprintf(stderr, "\r%-*s", WIDTH, line);
  shown = true;
  last_shown = t;
}

void phase_begin(const char *name, long total) {
  if (depth == 0) started = now();
  if (depth < DEPTH) {
    open_phases[depth].name = name;
    open_phases[depth].total = total;
    open_phases[depth].done = 0;
  }
  depth++;
  nvtxRangePushA(name);
  if (depth <= DEPTH) show();
}

void phase_step(void) {
  if (depth == 0 || depth > DEPTH) return;
  open_phases[depth - 1].done++;
  show();
}

void phase_end(void) {
  nvtxRangePop();
  if (--depth > 0 || !shown) return;
  fprintf(stderr, "\r%*s\r", WIDTH, "");
  shown = false;
}
