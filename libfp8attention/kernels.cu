/* The kernel of the stage that library.mk names and, beside its own entry, one that promotes sums. */

#include LIBRARY_KERNEL

extern "C" cudaError_t promoted_launch(const attention_args *args,
                                       cudaStream_t stream) {
  return start<512>(*args, stream);
}
