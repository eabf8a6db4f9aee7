#ifndef TIMELINE_RECORD_H
#define TIMELINE_RECORD_H

#include "common/harness/launch/upload.h"
#include "common/harness/object/object.h"
#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"
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

#endif
