#include "common/harness/judge/check.h"

#include <stdlib.h>
#include <sys/sysinfo.h>

#include "common/harness/device/device.h"
#include "common/harness/launch/upload.h"
#include "common/harness/program/reason.h"

/* Of a float a row. */
static size_t rows_bytes(const attention_shape *s) {
  return (size_t)(s->batch * s->heads * s->seq_len) * sizeof(float);
}

size_t check_host_bytes(const attention_shape *shape) {
  return problem_bytes(shape) + 2 * attention_shape_elements(shape) +
         references_bytes(shape) + rows_bytes(shape) + lse_bytes(shape);
}

static double gib(size_t bytes) { return (double)bytes / (1 << 30); }

/* Asked before anything is allocated: an allocation that the system grants and
 * then cannot back would end the program without a word. */
static bool memory_suffices(const check_case *c, reason *why) {
  const size_t host = check_host_bytes(&c->shape);
  const size_t device = attention_shape_device_bytes(&c->shape);
  struct sysinfo system;
  size_t free_device = 0, total_device = 0;
  const bool known = sysinfo(&system) == 0;
  const size_t free_host =
      known ? (system.freeram + system.bufferram) * system.mem_unit +
                  system.totalram * system.mem_unit / 4
            : host;
  if (host > free_host)
    return refuse(why,
                  "Shape %s needs %.1f GiB of memory; about %.1f GiB are free.",
                  c->name, gib(host), gib(free_host));
  if (!cudaMemGetInfo(&free_device, &total_device) && device > free_device)
    return refuse(why,
                  "Shape %s needs %.1f GiB on the device; %.1f GiB are free "
                  "there.",
                  c->name, gib(device), gib(free_device));
  return true;
}

static void judge(const stage_object *object, upload *u, const problem *p,
                  const references *r, uint16_t *o, float *lse,
                  check_result *result) {
  upload_ask(u, object->support);
  result->ran = upload_run(u, object->launch, o, &result->why) &&
                (!u->args.lse || upload_lse(u, lse, &result->why));
  if (!result->ran) return;
  phase_begin("gates", 0);
  if (!gates_judge(&result->gates, o, p, r) ||
      (u->args.lse && !lse_judge(&result->lse, lse, p, r))) {
    refuse(&result->why, "Too little memory to judge.");
    result->ran = false;
  } else if (!gates_passed(&result->gates)) {
    where_wrong(result->where, sizeof result->where, o, p, r);
  }
  phase_end();
}

int check_case_run(const stage_object *const *objects, int object_count,
                   const check_case *c, check_result *results, reason *why) {
  problem p;
  references r[P_ROUNDINGS] = {{0}}; /* one for each rounding of P */
  upload u = {0};
  if (!memory_suffices(c, why) ||
      !problem_new(&p, &c->shape, c->distribution, c->seed, why))
    return EXIT_IMPOSSIBLE;
  uint16_t *o = malloc(2 * attention_shape_elements(&c->shape));
  float *lse = malloc(rows_bytes(&c->shape));
  bool good = o && lse;
  if (!good) refuse(why, "Too little memory for the output.");
  good = good && upload_new(&u, &p, why);
  for (int i = 0; i < object_count && good; i++) {
    const p_rounding rounding = objects[i]->support->rounds_p_to;
    references *mine = &r[rounding];
    results[i] = (check_result){0};
    if (!mine->exact) good = references_new(mine, &p, rounding, why);
    if (good) judge(objects[i], &u, &p, mine, o, lse, &results[i]);
  }
  upload_free(&u);
  for (int i = 0; i < P_ROUNDINGS; i++) references_free(&r[i]);
  problem_free(&p);
  free(o);
  free(lse);
  return good ? EXIT_PASS : EXIT_IMPOSSIBLE;
}

bool check_passed(const check_result *result) {
  return result->ran && gates_passed(&result->gates) &&
         lse_passed(&result->lse);
}
