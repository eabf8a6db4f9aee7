#include "common/harness/launch.h"

#include "common/harness/timing.h"
#include "common/simt/simt.h"

/* Seconds that a thread may go on without meeting another. */
enum { PATIENCE = 5 };

bool device_open(device_info *info, reason *why) {
  *info = (device_info){.is_gpu = false};
  snprintf(info->name, sizeof info->name, "CPU executor");
  snprintf(info->folder, sizeof info->folder, "cpu-executor");
  simt_set_patience(PATIENCE, 0);
  if (cudaMemGetInfo(&info->free_bytes, &info->total_bytes))
    return refuse(why, "The executor cannot read the free memory.");
  return true;
}

void device_set_multiprocessors(int count) {
  simt_set_multiprocessors(count);
}

void device_input(const void *memory) { simt_input(memory, true); }

bool device_multiprocessors_asked(void) {
  return simt_multiprocessors_asked();
}

void device_explain(void) {
  const simt_finding *found;
  if (simt_findings(&found)) simt_print_findings(stdout);
}

int bench_run(const stage_object *const *objects, int object_count,
              const case_list *list, int iters, bool flush_l2, json_t **perf,
              reason *why) {
  (void)objects, (void)object_count, (void)list, (void)iters, (void)flush_l2;
  (void)perf, (void)why;
  return EXIT_IMPOSSIBLE;
}

void clocks_begin(void) {}
void clocks_end(clock_log *log) { *log = (clock_log){0}; }
