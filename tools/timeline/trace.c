#include "tools/timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/results.h"

typedef struct {
  FILE *file;
  const char *gap; /* before the next event */
} writer;

static void name_it(writer *w, const char *what, int block, int warp,
                    const char *name) {
  fprintf(w->file, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
          "\"args\":{\"name\":\"%s\"}}", w->gap, what, block, warp, name);
  w->gap = ",\n";
}

/* Blocks on different multiprocessors meet on the clock that all share; within
 * a block the multiprocessor's own counts, which is finer. */
static void write_block(writer *w, const recording *r, int block, double mhz,
                        uint64_t origin) {
  char name[64];
  const double rate = mhz > 0 ? mhz : 1;
  /* From 1 on, as a warp may begin shortly before its block's clock is read. */
  const double start =
      1 + (mhz > 0 ? (double)(r->starts[block].nanoseconds - origin) / 1000
                   : 0);
  snprintf(name, sizeof name, "block %d on SM %u", block, r->starts[block].sm);
  name_it(w, "process_name", block, 0, name);
  for (int warp = 0; warp < r->warps; warp++) {
    snprintf(name, sizeof name, "warp %d", warp);
    name_it(w, "thread_name", block, warp, name);
    for (int i = 0; i < visit_count(r, block, warp); i++) {
      const visit *v = &visits_of(r, block, warp)[i];
      fprintf(w->file, "%s{\"ph\":\"B\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
              "\"ts\":%.4f}", w->gap, phase_names[v->phase], block, warp,
              start + (double)v->from / rate);
      fprintf(w->file, "%s{\"ph\":\"E\",\"pid\":%d,\"tid\":%d,\"ts\":%.4f}",
              w->gap, block, warp, start + (double)v->to / rate);
    }
  }
}

bool trace_write(const recording *r, int blocks, double mhz, const char *dir,
                 const char *name, reason *why) {
  char path[512], aside[520];
  snprintf(path, sizeof path, "%s/%s.json", dir, name);
  snprintf(aside, sizeof aside, "%s.new", path);
  writer w = {results_folder(dir) ? fopen(aside, "w") : NULL, ""};
  if (!w.file)
    return refuse(why, "Cannot write %s: %s.", path, strerror(errno));
  if (blocks > r->blocks) blocks = r->blocks;
  uint64_t origin = UINT64_MAX;
  for (int b = 0; b < blocks; b++)
    if (r->starts[b].nanoseconds < origin) origin = r->starts[b].nanoseconds;
  fprintf(w.file, "{\"displayTimeUnit\":\"ns\",\"otherData\":"
          "{\"clock_mhz\":%.1f,\"unit\":\"%s\"},\"traceEvents\":[\n", mhz,
          mhz > 0 ? "microseconds" : "executor steps, which are no time");
  for (int b = 0; b < blocks; b++) write_block(&w, r, b, mhz, origin);
  fprintf(w.file, "\n]}\n");
  const bool written = !ferror(w.file);
  if (fclose(w.file) || !written || rename(aside, path)) {
    refuse(why, "Cannot write %s: %s.", path, strerror(errno));
    remove(aside);
    return false;
  }
  return true;
}
