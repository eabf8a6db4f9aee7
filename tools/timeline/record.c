#include "tools/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program.h"

enum { STAMPS_PER_STEP = 16, STEP_LEAST = 16, ROWS_LEAST = 64,
       STAMPS_MAX = 1 << 28 };

/* In the kernel with stamps. */
cudaError_t stamped_launch(const attention_args *args, cudaStream_t stream);
cudaError_t stamped_use(const stamp_room *host);
extern const uint32_t stamped_phases; /* bit PHASE_x: x is in its list */

#define NAME_TEXT(name) #name,
const char *const phase_names[PHASE_COUNT] = {"none", PHASES(NAME_TEXT) "end"};

stage_object stamped_object(const stage_object *plain) {
  static char arm[256];
  stage_object object = *plain;
  if (strcmp(plain->arm, "default"))
    snprintf(arm, sizeof arm, "%s.stamps", plain->arm);
  else
    snprintf(arm, sizeof arm, "stamps");
  object.arm = arm;
  object.launch = stamped_launch;
  return object;
}

/* Twice as many as any stage needs: a step is STEP_LEAST keys or more, and of
 * tiles of ROWS_LEAST rows or more a block that stays takes several. */
static int64_t stamps_of_a_warp(const attention_shape *shape, int64_t blocks) {
  const int64_t heads = (int64_t)shape->batch * shape->heads;
  const int64_t tiles = (shape->seq_len / ROWS_LEAST + 1) * heads;
  const int64_t turns = (tiles + blocks - 1) / blocks;
  return turns * (shape->seq_len / STEP_LEAST + 4) * STAMPS_PER_STEP;
}

/* The kernel itself says how large its grid is, in a launch without room. */
static bool ask_grid(session *s, reason *why) {
  cudaError_t status = cudaMalloc((void **)&s->room.grid, sizeof s->grid);
  if (!status) status = stamped_use(&s->room);
  if (!status && !upload_run(&s->upload, stamped_launch, s->output, why))
    return false;
  if (!status)
    status = cudaMemcpy(s->grid, s->room.grid, sizeof s->grid,
                        cudaMemcpyDeviceToHost);
  if (status)
    refuse(why, "The grid is not known: %s.", cudaGetErrorString(status));
  return !status;
}

static bool make_room(session *s, reason *why) {
  stamp_room *room = &s->room;
  s->capacity = stamps_of_a_warp(&s->problem.shape, s->grid[0]);
  const uint64_t warps = (uint64_t)s->grid[0] * s->grid[1];
  const uint64_t stamps = warps * (uint64_t)s->capacity;
  cudaError_t status = cudaErrorMemoryAllocation;
  if (stamps <= STAMPS_MAX) {
    room->warps = (uint32_t)warps;
    room->size = (uint32_t)stamps;
    status = cudaMalloc((void **)&room->stamps, 4 * stamps);
  }
  if (!status)
    status = cudaMalloc((void **)&room->starts,
                        s->grid[0] * sizeof *room->starts);
  if (!status) status = stamped_use(room);
  if (!status) return true;
  return refuse(why, "There is no room for %llu million stamps.",
                (unsigned long long)(stamps / 1000000 + 1));
}

int session_open(session *s, const stage_object *plain, const check_case *c,
                 reason *why) {
  *s = (session){0};
  if (!problem_new(&s->problem, &c->shape, c->distribution, c->seed, why))
    return EXIT_IMPOSSIBLE;
  s->output_bytes = 2 * attention_shape_elements(&c->shape);
  s->output = malloc(s->output_bytes);
  s->wanted = malloc(s->output_bytes);
  if (!s->output || !s->wanted) {
    refuse(why, "Too little memory for the output.");
    return EXIT_IMPOSSIBLE;
  }
  if (!upload_new(&s->upload, &s->problem, why) ||
      !upload_run(&s->upload, plain->launch, s->wanted, why) ||
      !ask_grid(s, why) || !make_room(s, why))
    return EXIT_IMPOSSIBLE;
  return 0;
}

void session_close(session *s) {
  cudaFree(s->room.stamps);
  cudaFree(s->room.starts);
  cudaFree(s->room.grid);
  upload_free(&s->upload);
  problem_free(&s->problem);
  free(s->output);
  free(s->wanted);
  *s = (session){0};
}

/* The low bits of a clock, as the distance from another one's. */
static int64_t since(uint32_t clock, uint32_t start) {
  return (int32_t)((clock - start) << PHASE_BITS) >> PHASE_BITS;
}

/* One warp's stamps as visits. */
static bool read_warp(recording *r, int64_t warp, const uint32_t *stamps,
                      int64_t capacity, reason *why) {
  const int64_t warps = (int64_t)r->blocks * r->warps;
  visit *v = r->visits + warp * r->room;
  int64_t now = 0;
  int n = 0;
  for (; n < capacity; n++) {
    const uint32_t stamp = stamps[n * warps + warp];
    const int phase = (int)(stamp & ((1u << PHASE_BITS) - 1));
    const uint32_t clock = stamp >> PHASE_BITS;
    if (phase == PHASE_none || phase > PHASE_end) break;
    const uint32_t start = r->starts[warp / r->warps].clock;
    const int64_t passed =
        n == 0 ? since(clock, start)
               : since(clock, (uint32_t)(now + (int64_t)start));
    if (n > 0 && passed < 0)
      return refuse(why, "Stamp %d of warp %lld is older than the one before.",
                    n, (long long)warp);
    now += passed;
    if (n > 0) v[n - 1].to = now;
    if (phase == PHASE_end) {
      r->counts[warp] = n;
      return true;
    }
    v[n] = (visit){.phase = phase, .from = now};
  }
  return refuse(why,
                n == capacity ? "Warp %lld has more stamps than there is room "
                                "for."
                              : "Warp %lld never said that it ended.",
                (long long)warp);
}

/* Every kernel has all phases but three, which its list may name. */
static bool is_due(int phase) {
  return (phase != PHASE_dequant && phase != PHASE_V_turn &&
          phase != PHASE_wait_product) || stamped_phases >> phase & 1;
}

/* A phase that no warp of a block was in: the list does not fit this arm. */
static bool all_phases(const recording *r, reason *why) {
  for (int b = 0; b < r->blocks; b++) {
    bool seen[PHASE_COUNT] = {false};
    for (int w = 0; w < r->warps; w++)
      for (int i = 0; i < visit_count(r, b, w); i++)
        seen[visits_of(r, b, w)[i].phase] = true;
    for (int p = PHASE_none + 1; p < PHASE_end; p++)
      if (!seen[p] && is_due(p))
        return refuse(why,
                      "Block %d was never in %s: the list of phases does not "
                      "fit this arm.",
                      b, phase_names[p]);
  }
  return true;
}

/* The stamps of all warps from the device. NULL if memory is short. */
static uint32_t *fetch(const session *s, recording *r) {
  const size_t warps = s->room.warps;
  const size_t start_bytes = (size_t)r->blocks * sizeof *r->starts;
  uint32_t *stamps = malloc(4ul * s->room.size);
  r->starts = malloc(start_bytes);
  r->visits = malloc(s->room.size * sizeof *r->visits);
  r->counts = calloc(warps, sizeof *r->counts);
  if (stamps && r->starts && r->visits && r->counts &&
      !cudaMemcpy(stamps, s->room.stamps, 4ul * s->room.size,
                  cudaMemcpyDeviceToHost) &&
      !cudaMemcpy(r->starts, s->room.starts, start_bytes,
                  cudaMemcpyDeviceToHost))
    return stamps;
  free(stamps);
  return NULL;
}

int session_record(session *s, int times, recording *r, reason *why) {
  *r = (recording){.blocks = (int)s->grid[0], .warps = (int)s->grid[1],
                   .room = (int)s->capacity};
  for (int i = 0; i < times; i++)
    if (cudaMemset(s->room.stamps, 0, 4ul * s->room.size) ||
        !upload_run(&s->upload, stamped_launch, s->output, why))
      return EXIT_IMPOSSIBLE;
  if (memcmp(s->output, s->wanted, s->output_bytes)) {
    refuse(why, "With stamps the kernel computes something else.");
    return EXIT_FAILED;
  }
  uint32_t *stamps = fetch(s, r);
  if (!stamps) {
    refuse(why, "The stamps could not be read back.");
    return EXIT_IMPOSSIBLE;
  }
  bool good = true;
  for (uint32_t w = 0; w < s->room.warps && good; w++)
    good = read_warp(r, w, stamps, s->capacity, why);
  free(stamps);
  return good && all_phases(r, why) ? 0 : EXIT_FAILED;
}

void recording_free(recording *r) {
  free(r->starts);
  free(r->visits);
  free(r->counts);
  *r = (recording){0};
}
