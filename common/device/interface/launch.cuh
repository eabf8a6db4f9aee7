#ifndef LAUNCH_CUH
#define LAUNCH_CUH

/* One spelling of a kernel launch for both compilers: nvcc reads <<<...>>>,
 * and the CPU executor's prelude, included before this file, has its own. */
#ifndef SIMT
#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                 \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#define DYNAMIC_SHARED(type, name)                                             \
  extern __shared__ __align__(1024) type name[]
#endif

#endif
