#ifndef UPLOAD_H
#define UPLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/device/interface/attention.h"
#include "common/harness/problem/problem.h"
#include "common/harness/program/reason.h"

/* A problem's inputs and its output in device memory. */
typedef struct {
  attention_args args; /* every pointer here is owned by the upload */
  size_t output_bytes;
} upload;

/* Allocates and copies. On failure returns false with one sentence, and
 * nothing stays allocated. */
bool upload_new(upload *u, const problem *p, reason *why);
void upload_free(upload *u);

/* Fills the output with 0xFF bytes, every fp16 a NaN, launches the kernel,
 * waits for it and copies the output to `o` (host, [B][H][S][D] fp16 bits).
 * `launch` is a stage_object's. Returns false with one sentence if the launch
 * or the kernel failed. */
bool upload_run(const upload *u,
                cudaError_t (*launch)(const attention_args *, cudaStream_t),
                uint16_t *o, reason *why);

#endif
