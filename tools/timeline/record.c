/* The program behind `make stage2 timeline`: a stage's driver with this
 * main in place of the harness's, and both kernels, with and without
 * stamps: gates on both, on a GPU timings, and one launch of each shape, whose
 * stamps it leaves for timeline.py: `bench --json DIR`. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/judge/judge.h"
#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "common/harness/results.h"
#include "common/harness/stage.h"
#include "common/harness/timing.h"
#include "tools/timeline/phases.h"

enum { STAMPS_PER_STEP = 16, STEP_LEAST = 16, ROWS_LEAST = 64,
       STAMPS_MAX = 1 << 28, WARM_LAUNCHES = 20 };

/* In the kernel with stamps. */
cudaError_t stamped_launch(const attention_args *args, cudaStream_t stream);
cudaError_t stamped_use(const stamp_room *host);
extern const uint32_t stamped_phases; /* bit PHASE_x: x is in its list */

/* One case on the device, and room for the stamps of its launches. */
typedef struct {
  problem problem;
  upload upload;
  stamp_room room;
  uint32_t grid[2];
  uint16_t *output, *wanted;
  size_t output_bytes;
} session;

typedef struct {
  stage_options options;
  device_info device;
  stage_object stamped;
  const stage_object *objects[2]; /* without stamps, with */
  json_t *shapes;
  char run[64];
  reason why;
} timeline_run;

static int fail(const timeline_run *t, int code) {
  return give_up("timeline", code, t->why.text);
}

/* The kernel with stamps, as an arm of its own. */
static stage_object stamped_object(const stage_object *plain) {
  static char arm[256];
  stage_object object = *plain;
  const bool is_default = !strcmp(plain->arm, "default");
  snprintf(arm, sizeof arm, "%s%sstamps", is_default ? "" : plain->arm,
           is_default ? "" : ".");
  object.arm = arm;
  object.launch = stamped_launch;
  return object;
}

/* Twice as many as any stage needs: a step is STEP_LEAST keys or more, and of
 * tiles of ROWS_LEAST rows or more a block that stays takes several. */
static uint64_t stamps_of_a_warp(const attention_shape *shape, int64_t blocks) {
  const int64_t heads = (int64_t)shape->batch * shape->heads;
  const int64_t tiles = (shape->seq_len / ROWS_LEAST + 1) * heads;
  const int64_t turns = (tiles + blocks - 1) / blocks;
  return (uint64_t)(turns * (shape->seq_len / STEP_LEAST + 4) *
                    STAMPS_PER_STEP);
}

/* The kernel itself says how large its grid is, in a launch without room; with
 * room, launches write stamps. */
static bool make_room(session *s, reason *why) {
  stamp_room *room = &s->room;
  uint64_t stamps = 0;
  cudaError_t status = cudaMalloc((void **)&room->grid, sizeof s->grid);
  if (!status) status = stamped_use(room);
  if (!status && !upload_run(&s->upload, stamped_launch, s->output, why))
    return false;
  if (!status)
    status = cudaMemcpy(s->grid, room->grid, sizeof s->grid,
                        cudaMemcpyDeviceToHost);
  if (!status) {
    room->warps = s->grid[0] * s->grid[1];
    stamps = room->warps * stamps_of_a_warp(&s->problem.shape, s->grid[0]);
    room->size = (uint32_t)stamps;
    status = stamps > STAMPS_MAX
                 ? cudaErrorMemoryAllocation
                 : cudaMalloc((void **)&room->stamps, 4 * stamps);
  }
  if (!status)
    status = cudaMalloc((void **)&room->starts,
                        s->grid[0] * sizeof *room->starts);
  if (!status) status = stamped_use(room);
  return !status || refuse(why, "There is no room for %llu million stamps: %s.",
                           (unsigned long long)(stamps / 1000000 + 1),
                           cudaGetErrorString(status));
}

/* Brings the case to the device, keeps the plain kernel's output, and makes
 * room: from here on launches of the kernel with stamps write them. */
static bool session_open(session *s, const stage_object *plain,
                         const check_case *c, reason *why) {
  if (!problem_new(&s->problem, &c->shape, c->distribution, c->seed, why))
    return false;
  s->output_bytes = 2 * attention_shape_elements(&c->shape);
  s->output = malloc(s->output_bytes);
  s->wanted = malloc(s->output_bytes);
  if (!s->output || !s->wanted)
    return refuse(why, "Too little memory for the output.");
  return upload_new(&s->upload, &s->problem, 0, why) &&
         upload_run(&s->upload, plain->launch, s->wanted, why) &&
         make_room(s, why);
}

static void session_close(session *s) {
  cudaFree(s->room.stamps);
  cudaFree(s->room.starts);
  cudaFree(s->room.grid);
  upload_free(&s->upload);
  problem_free(&s->problem);
  free(s->output);
  free(s->wanted);
}

/* DIR/NUMBER.stamps: each block's start, then all stamps. */
static bool write_stamps(const session *s, const char *dir, size_t number) {
  char path[512];
  const size_t starts = s->grid[0] * sizeof *s->room.starts;
  const size_t stamps = 4ul * s->room.size;
  char *bytes = malloc(starts + stamps);
  snprintf(path, sizeof path, "%s/%zu.stamps", dir, number);
  FILE *file = fopen(path, "wb");
  bool good = bytes && file &&
              !cudaMemcpy(bytes, s->room.starts, starts,
                          cudaMemcpyDeviceToHost) &&
              !cudaMemcpy(bytes + starts, s->room.stamps, stamps,
                          cudaMemcpyDeviceToHost) &&
              fwrite(bytes, 1, starts + stamps, file) == starts + stamps;
  if (file) good = !fclose(file) && good;
  free(bytes);
  return good;
}

/* One launch is kept, after as many as bring caches and clock to a steady
 * state. Its output must be the plain kernel's, byte by byte. */
static int run_recording(timeline_run *t, session *s) {
  for (int i = t->device.is_gpu ? WARM_LAUNCHES : 1; i > 0; i--)
    if (cudaMemset(s->room.stamps, 0, 4ul * s->room.size) ||
        !upload_run(&s->upload, stamped_launch, s->output, &t->why))
      return fail(t, EXIT_IMPOSSIBLE);
  if (memcmp(s->output, s->wanted, s->output_bytes)) {
    refuse(&t->why, "With stamps the kernel computes something else.");
    return fail(t, EXIT_FAILED);
  }
  if (write_stamps(s, t->options.json, json_array_size(t->shapes)))
    return EXIT_PASS;
  refuse(&t->why, "The stamps could not be read back.");
  return fail(t, EXIT_IMPOSSIBLE);
}

/* The gates, on both kernels; the one with stamps has room to write them. */
static int run_gates(timeline_run *t, const case_list *one) {
  check_result results[2];
  const int code =
      check_case_run(t->objects, 2, one->cases, results, &t->why);
  if (code) return fail(t, code);
  int failed = 0;
  for (int i = 0; i < 2; i++) {
    printf("%s, %s\n", t->objects[0]->stage, i ? "with stamps" : "as it is");
    failed += check_print(one, &results[i]);
  }
  if (!failed) return EXIT_PASS;
  fprintf(stderr, "timeline: nothing was recorded, because a gate failed.\n");
  return EXIT_FAILED;
}

/* Both kernels timed in turn, as bench times arms. */
static int run_times(timeline_run *t, const case_list *one, json_t *entry) {
  json_t *perf[2] = {json_object(), json_object()};
  const int code = bench_run(t->objects, 2, one, t->options.iters,
                             t->options.flush_l2, perf, &t->why);
  json_t *both = json_array();
  for (int i = 0; i < 2; i++) {
    if (!code)
      json_array_append(both, json_object_get(perf[i], one->cases[0].name));
    json_decref(perf[i]);
  }
  json_object_set_new(entry, "perf", both);
  return code ? fail(t, code) : EXIT_PASS;
}

static int run_case(timeline_run *t, check_case *c) {
  session s = {0};
  const case_list one = {.cases = c, .count = 1};
  int code = EXIT_PASS;
  if (!session_open(&s, t->objects[0], c, &t->why))
    code = fail(t, EXIT_IMPOSSIBLE);
  json_t *entry = json_pack("{s:s, s:[i,i]}", "shape", c->name, "grid",
                            (int)s.grid[0], (int)s.grid[1]);
  if (!code) code = run_gates(t, &one);
  if (!code && t->device.is_gpu) code = run_times(t, &one, entry);
  if (!code) code = run_recording(t, &s);
  json_array_append_new(t->shapes, entry);
  session_close(&s);
  return code;
}

#define NAME_TEXT(name) json_array_append_new(phases, json_string(#name));
/* DIR/launches.json: all that is not a stamp. */
static int write_launches(timeline_run *t) {
  json_t *phases = json_array();
  PHASES(NAME_TEXT)
  json_t *result = json_pack(
      "{s:o, s:o, s:i, s:O}", "build_meta",
      meta_json(t->objects[0], &t->device, t->options.commit,
                t->options.resources.texts[0], t->run),
      "phases", phases, "due", (int)stamped_phases, "shapes", t->shapes);
  const bool written =
      results_write(result, t->options.json, "launches", &t->why);
  json_decref(result);
  return written ? EXIT_PASS : fail(t, EXIT_IMPOSSIBLE);
}

int main(int argc, char **argv) {
  timeline_run t = {.shapes = json_array()};
  case_list list = {0};
  t.objects[0] = stage_object_get();
  options_parse(&t.options, t.objects[0]->stage, this_stage.summary, argc,
                argv);
  meta_run_name(t.run, sizeof t.run);
  t.stamped = stamped_object(t.objects[0]);
  t.objects[1] = &t.stamped;
  if (!t.options.json) {
    refuse(&t.why, "timeline.py runs this, with --json DIR.");
    return fail(&t, EXIT_USAGE);
  }
  if (!device_open(&t.device, &t.why)) return fail(&t, EXIT_IMPOSSIBLE);
  int code = cases_list(&list, &t.options, t.device.is_gpu, t.objects[0],
                        &this_stage, &t.why);
  if (code) return fail(&t, code);
  for (int i = 0; i < list.count && !code; i++)
    code = run_case(&t, &list.cases[i]);
  if (!code) code = write_launches(&t);
  json_decref(t.shapes);
  free(list.cases);
  return code;
}
