#ifndef TIMELINE_H
#define TIMELINE_H

#include <jansson.h>
#include <stdio.h>

#include "common/harness/launch.h"
#include "common/harness/object.h"
#include "common/harness/problem.h"
#include "common/harness/program.h"
#include "common/harness/stage.h"
#include "tools/timeline/phases.h"

/* One warp in one phase, in cycles since its block's first stamp. */
typedef struct {
  int phase;
  int64_t from, to;
} visit;

/* One launch: warp w of block b has counts[b * warps + w] visits, which lie end
 * to end, at visits + (b * warps + w) * room. */
typedef struct {
  int blocks, warps, room;
  block_start *starts; /* one for each block */
  visit *visits;
  int *counts; /* one for each warp */
} recording;

/* The kernel with stamps, as an arm of its own: `plain`'s with ".stamps". */
stage_object stamped_object(const stage_object *plain);

/* One case on the device, and room for the stamps of its launches. */
typedef struct {
  problem problem;
  upload upload;
  stamp_room room;
  uint32_t grid[2];
  int64_t capacity; /* stamps of a warp */
  uint16_t *output, *wanted;
  size_t output_bytes;
} session;

/* Brings the case to the device, keeps the plain kernel's output, and makes
 * room: from here to session_close, launches of the kernel with stamps write
 * them. Returns 0, or 3 with one sentence; close it either way. */
int session_open(session *s, const stage_object *plain, const check_case *c,
                 reason *why);
void session_close(session *s);

/* Launches the kernel with stamps `times` times and reads the last launch's.
 * Its output must be the plain kernel's, byte by byte. Returns 0, 1 if a check
 * failed, or 3, both with one sentence. */
int session_record(session *s, int times, recording *r, reason *why);
void recording_free(recording *r);

static inline const visit *visits_of(const recording *r, int block, int warp) {
  return r->visits + ((int64_t)block * r->warps + warp) * r->room;
}
static inline int visit_count(const recording *r, int block, int warp) {
  return r->counts[block * r->warps + warp];
}

extern const char *const phase_names[PHASE_COUNT];

/* Writes the first blocks of a recording as DIR/NAME.json, in the format that
 * Chrome and Perfetto read: a process for each block, a thread for each warp.
 * `mhz` is the multiprocessors' clock; 0 on the executor, whose steps are shown
 * as microseconds. Returns false with one sentence if it cannot be written. */
bool trace_write(const recording *r, int blocks, double mhz, const char *dir,
                 const char *name, reason *why);

typedef struct {
  stage_options stage;  /* shapes, seeds, iters, json, commit, resources */
  const char *trace;    /* folder for the traces, or NULL */
  int blocks;           /* that a trace shows */
} timeline_options;

/* As options_parse: fills the options, or ends the program. */
void timeline_options_parse(timeline_options *options, const char *name,
                            int argc, char **argv);

/* What one launch shows, by role: warps that multiply and warps that do not.
 * Cycles and shares only where `is_time`: the executor's steps are none. New
 * reference; NULL if memory is short. */
json_t *summary_json(const recording *r, bool is_time);

/* The share of the producers' working time, in percent, in which a consumer of
 * their block works too; NAN where there are no producers. */
double summary_overlap(const recording *r);

/* Two steps in the middle of the block whose time is the median: what a drawing
 * shows. New reference. */
json_t *summary_drawing(const recording *r);

bool is_waiting(int phase);
bool is_producer(const recording *r, int block, int warp);

/* A summary's entry for one shape, as a table on stdout. */
void timeline_print(const char *shape, json_t *entry);

#endif
