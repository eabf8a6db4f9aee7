/* The kernel of the stage that library.mk names, which promotes sums, and
 * beside its own entry one that does not. */

#include LIBRARY_KERNEL

extern "C" cudaError_t drifting_launch(const attention_args *args,
                                       cudaStream_t stream) {
  return start<0>(*args, stream);
}
