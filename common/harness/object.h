#pragma once

#include "common/device/interface/attention.h"

typedef cudaError_t launch_function(const attention_args *, cudaStream_t);

typedef struct {
  const char *stage;       /* stage1_cp_async */
  const char *arm;         /* default, or USE_CP_ASYNC-0.LOAD_BYTES-1 */
  const char *toggles;     /* read back from the kernel's own object */
  const char *kernel_hash; /* tools/results/kernel_hash.py at build time */
  const char *compiler, *flags;
  launch_function *launch;
  const attention_support *support; /* what the kernel takes */
} stage_object;

/* The kernel that is linked into this program or shared library. */
const stage_object *stage_object_get(void);
