#pragma once

#include "common/harness/launch.h"
#include "floor/items.h"

typedef struct {
  const floor_item *item;
  floor_call call;   /* in, out, span: device memory */
  void *in;          /* the inputs, on the host */
  size_t in_bytes, out_bytes;
} floor_run;

enum { SPANS = 64 }; /* room for the stopwatches of so many launches */

/* Fills and uploads the inputs for that many blocks. */
floor_run floor_run_new(const floor_item *item, int blocks,
                        floor_inputs inputs);
void floor_run_free(floor_run *run);

/* The end of the program, with one sentence. */
_Noreturn void floor_ends(int code, const char *sentence);
/* The same where there is a CUDA error, with the name of what runs now. */
void floor_must(cudaError_t status);
void floor_at(const char *name);
/* Memory of the host, or the end. */
void *floor_memory(size_t bytes);

/* ---- checks */

/* What a read of `bytes`, filled by floor_fill, adds up to, `rounds` times. */
uint32_t floor_expected_sum(int64_t bytes, int rounds);

/* A path through all nodes: next[i] comes behind i. */
void floor_shuffled_path(uint32_t *next, int64_t count);

/* All of them, a line each. Returns 0; 1 where one failed. */
int floor_check_all(void);

/* ---- of the device: gpu/ or cpu/ */

/* Before and after the checks: what the executor found, if it looks; 0 or 1. */
void floor_watch(void);
int floor_watched(void);

/* Measures everything, a line of progress each on stderr, and puts it into
 * `floor`: device, rates, beside, waits, launch, left_out. Only after
 * floor_check_all(). */
void floor_measure(json_t *floor, const device_info *device);
