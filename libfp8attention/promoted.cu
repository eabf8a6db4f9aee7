/* The kernel of stage 7 once more, with promoted sums: all of it lies in a
 * namespace, and what it exports has other names. Its headers come first, so
 * that they stay outside. */

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "common/device/interface/attention_strides.h"
#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"

#define PROMOTE_KEYS 512
#define strided_launch promoted_launch
#define stage_launch promoted_stage_launch
#define stage_takes promoted_stage_takes
#define stage_toggles promoted_stage_toggles

namespace promoted {
#include "stage7_hopper/kernel.cu"
}
