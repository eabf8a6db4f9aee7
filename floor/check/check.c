#include <stdio.h>
#include <stdlib.h>

#include "floor/run.h"

enum { BLOCKS = 3, ROUNDS = 3, FAILED = 1, STOPPED = 3 };

static bool compare(floor_run *run, char *why, size_t why_size) {
  const floor_item *item = run->item;
  char reason[400];
  void *out = malloc(run->out_bytes);
  if (!out) {
    snprintf(why, why_size, "%s: too little memory.", item->name);
    return false;
  }
  /* A kernel that writes nothing must not find the last one's results. */
  cudaError_t status = cudaMemset(run->call.out, 0xff, run->out_bytes);
  if (!status) status = item->kernel(&run->call, 0);
  if (!status) status = cudaDeviceSynchronize();
  if (!status)
    status = cudaMemcpy(out, run->call.out, run->out_bytes,
                        cudaMemcpyDeviceToHost);
  bool good = floor_went_well(status, item->name, why, why_size);
  if (good && !item->family->verify(item, &run->call, run->in, out, reason,
                                    sizeof reason)) {
    snprintf(why, why_size, "%s is wrong: %s.", item->name, reason);
    good = false;
  }
  free(out);
  return good;
}

bool floor_check(const floor_item *item, char *why, size_t why_size) {
  floor_run run;
  const int blocks = item->blocks ? BLOCKS : 1;
  bool good = floor_run_new(&run, item, blocks, EXACT, why, why_size);
  run.call.rounds = ROUNDS;
  run.call.count = 2; /* rounds of products beside scores */
  good = good && compare(&run, why, why_size);
  floor_run_free(&run);
  return good;
}

static int report(const char *name, bool good, const char *why) {
  if (good)
    printf("  %-28s as in plain C\n", name);
  else
    printf("  %-28s FAILED: %s\n", name, why);
  fflush(stdout);
  return good ? 0 : FAILED;
}

static int check_items(const floor_item *items, int count) {
  int code = 0;
  for (int i = 0; i < count; i++) {
    const floor_item *item = &items[i];
    /* Inputs and length do not matter here. */
    if (item->seconds > 0 || item->inputs == ZEROS) continue;
    char why[512] = "";
    if (!item->kernel)
      printf("  %-28s left out: it needs compute capability 9.0 (ARCH=90a)\n",
             item->name);
    else
      code |= report(item->name, floor_check(item, why, sizeof why), why);
  }
  return code;
}

int floor_check_all(void) {
  char why[512] = "";
  floor_watch();
  int code = report("memory", floor_check_memory(why, sizeof why), why);
  code |= check_items(floor_rates, floor_rate_count);
  code |= check_items(floor_waits, floor_wait_count);
  code |= check_items(&floor_beside_item, 1);
  return code | floor_watched();
}
