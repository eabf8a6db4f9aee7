#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

/* LAUNCH and DYNAMIC_SHARED: the executor's spelling of what
 * common/device/interface/launch.cuh spells for nvcc. */

namespace simt {

inline uint3 extent(dim3 d) { return uint3{d.x, d.y, d.z}; }

/* Each fibre calls the kernel with its own copy of the arguments. */
template <class... Parameters> struct Call {
  static void run(void *kernel, void *arguments) {
    std::apply(reinterpret_cast<void (*)(Parameters...)>(kernel),
               *static_cast<std::tuple<std::decay_t<Parameters>...> *>(
                   arguments));
  }
};

/* Inlined, so that an error names the line of the launch. */
template <class... Parameters, class... Arguments>
SIMT_INLINE void launch(const char *name, void (*kernel)(Parameters...),
                        dim3 grid, dim3 block, size_t dynamic_shared,
                        cudaStream_t stream, Arguments... arguments) {
  std::tuple<std::decay_t<Parameters>...> values(
      static_cast<Parameters>(arguments)...);
  const simt_kernel_launch what = {name,
                                   reinterpret_cast<void *>(kernel),
                                   Call<Parameters...>::run,
                                   &values,
                                   sizeof values,
                                   extent(grid),
                                   extent(block),
                                   dynamic_shared,
                                   stream};
  simt_launch(&what);
}

} // namespace simt

/* nvcc lets a kernel stand where the function takes a pointer to void. */
template <class... Parameters>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...),
                                        cudaFuncAttribute attribute,
                                        int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                              attribute, value);
}

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                 \
  ::simt::launch(#kernel, kernel, grid, block, shared_bytes, stream,           \
                 ##__VA_ARGS__)

#define DYNAMIC_SHARED(type, name)                                             \
  type *const name = static_cast<type *>(simt_dynamic_shared())

#endif
