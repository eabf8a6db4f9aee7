#pragma once

#include "common/harness/object.h"
#include "common/harness/problem.h"

/* The machine that runs the kernels: a GPU, or the CPU executor. The two
 * implementations live in gpu/ and cpu/; a program is linked with one. */
typedef struct {
  bool is_gpu;
  char name[128];      /* "NVIDIA H200" */
  char folder[64];     /* "nvidia-h200": its folder under results/ */
  int capability;      /* 90 means 9.0; 0 on the executor */
  int multiprocessors; /* 0 on the executor */
  int driver, runtime; /* CUDA versions, 13000 means 13.0 */
  size_t free_bytes, total_bytes;
} device_info;

bool device_open(device_info *info, reason *why);

/* That the executor's device has; and whether a kernel's launch has asked for
 * the number since. A GPU has its own. */
void device_set_multiprocessors(int count);
bool device_multiprocessors_asked(void);

/* Kernels may only read it, all of its allocation. The executor sees to it; on
 * a GPU nothing happens. */
void device_input(const void *memory);

/* Did a kernel fail so that nothing more can run in this process? */
bool device_is_lost(void);
void device_explain(void); /* on the executor, prints the line */

typedef struct {
  uint8_t *base, *memory; /* the allocation; where in it the tensor begins */
  size_t element;         /* bytes */
  int64_t batch, heads, rows, width;
  tensor_strides strides;
} placed;

/* A problem's inputs and its outputs in device memory. Once made it stays where
 * it is: args point into it. */
typedef struct {
  const problem *problem;
  attention_args args; /* every pointer here is owned by the upload */
  placed tensors[8]; /* q, k, v, o, the scales of q, k, v, and the lse */
  attention_strides strides;
  uint64_t drawn;
} upload;

/* Allocates and copies, with the strides that the shape's layout says; `p` must
 * live as long. With a `drawn` number tensors may begin wherever the interface
 * lets them, codes or NaN lie between rows, and outputs are no longer always
 * NaN before a launch. With 0 each begins at a multiple of 256 bytes. */
bool upload_new(upload *u, const problem *p, uint64_t drawn, reason *why);
void upload_free(upload *u);

/* The log-sum-exp is asked for of a kernel that returns it, and of no other:
 * from here on, for upload_run. */
void upload_ask(upload *u, const attention_support *support);

/* Fills the output with one byte, 0xFF and so NaN unless another was drawn,
 * launches the kernel, waits for it and copies the output to `o` (host,
 * [B][H][S][D] fp16 bits). False where the inputs are not what they were, too,
 * or something was written between the rows of O or before an output. With `o`
 * NULL the output stays as it was allocated, so that the executor knows who
 * reads it before it is written. */
bool upload_run(const upload *u,
                cudaError_t (*launch)(const attention_args *, cudaStream_t),
                uint16_t *o, reason *why);

/* After upload_run: copies the log-sum-exp, which was filled as the output
 * was, to `lse` (host, [B][H][S]). */
bool upload_lse(const upload *u, float *lse, reason *why);

/* The executor's instruments: not in a GPU program, or one built without
 * instrumentation. */
bool instruments_ready(reason *why);

/* Runs the kernel on each case with the counters on, prints them by source line
 * and adds an entry to `counters`. Where that is NULL: with the race checks on,
 * in one order of warps and blocks after another, or only in `order` where that
 * is not NULL: "forward", "backward" or a seed; and where the case names no
 * number of multiprocessors and the kernel asks for it, with one of
 * settings.json's after another; until there are findings. Prints each with its
 * source lines, and at the end what was not looked at. 1: there was a finding.
 */
int instruments_run(const stage_object *object, const case_list *list,
                    const char *order, json_t *counters, reason *why);
