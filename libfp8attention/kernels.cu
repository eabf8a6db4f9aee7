/* The kernel of stage 7 and, beside its own entry, one that promotes sums. */

#include "stage7_hopper/kernel.cu"

extern "C" cudaError_t promoted_launch(const attention_args *args,
                                       cudaStream_t stream) {
  return start<512>(*args, stream);
}
