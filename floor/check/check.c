#include <stdio.h>
#include <stdlib.h>

#include "common/harness/program.h"
#include "floor/run.h"

enum { BLOCKS = 3, ROUNDS = 3 };

static bool compare(floor_run *run, reason *why) {
  const floor_item *item = run->item;
  reason difference;
  void *out = malloc(run->out_bytes);
  if (!out) return refuse(why, "%s: too little memory.", item->name);
  /* A kernel that writes nothing must not find the last one's results. */
  cudaError_t status = cudaMemset(run->call.out, 0xff, run->out_bytes);
  if (!status) status = item->kernel(&run->call, 0);
  if (!status) status = cudaDeviceSynchronize();
  if (!status)
    status = cudaMemcpy(out, run->call.out, run->out_bytes,
                        cudaMemcpyDeviceToHost);
  bool good = floor_went_well(status, item->name, why);
  if (good && !item->family->verify(item, &run->call, run->in, out,
                                    &difference))
    good = refuse(why, "%s is wrong: %s.", item->name, difference.text);
  free(out);
  return good;
}

bool floor_check(const floor_item *item, reason *why) {
  floor_run run;
  const int blocks = item->blocks ? BLOCKS : 1;
  bool good = floor_run_new(&run, item, blocks, EXACT, why);
  run.call.rounds = ROUNDS;
  run.call.count = 2; /* rounds of products beside scores */
  good = good && compare(&run, why);
  floor_run_free(&run);
  return good;
}

static int report(const char *name, bool good, const reason *why) {
  if (good)
    printf("  %-28s as in plain C\n", name);
  else
    printf("  %-28s FAILED: %s\n", name, why->text);
  fflush(stdout);
  return good ? 0 : EXIT_FAILED;
}

static int check_items(const floor_item *items, int count) {
  int code = 0;
  for (int i = 0; i < count; i++) {
    const floor_item *item = &items[i];
    /* Inputs and length do not matter here. */
    if (item->seconds > 0 || item->inputs == ZEROS) continue;
    reason why = {""};
    if (!item->kernel)
      printf("  %-28s left out: it needs compute capability 9.0 (ARCH=90a)\n",
             item->name);
    else
      code |= report(item->name, floor_check(item, &why), &why);
  }
  return code;
}

int floor_check_all(void) {
  reason why = {""};
  floor_watch();
  int code = report("memory", floor_check_memory(&why), &why);
  code |= check_items(floor_rates, floor_rate_count);
  code |= check_items(floor_waits, floor_wait_count);
  code |= check_items(&floor_beside_item, 1);
  return code | floor_watched();
}
