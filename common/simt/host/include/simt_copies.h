#ifndef SIMT_COPIES_H
#define SIMT_COPIES_H

/* memcpy_async of groups, of cuda::barrier and of cuda::pipeline. */

#include <cstddef>
#include <utility>

namespace cuda {
namespace std {
using ::std::move;
using ::std::ptrdiff_t;
using ::std::size_t;
} // namespace std
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t size) : value(size) {}
  constexpr operator size_t() const { return value; }
};
} // namespace cuda

namespace simt {

struct one_thread {
  static constexpr unsigned thread_rank() { return 0; }
  static constexpr unsigned size() { return 1; }
  static void sync() {}
};

/* What the types promise, as nvcc takes it. */
template <class T> constexpr size_t align_of = alignof(T);
template <> inline constexpr size_t align_of<void> = 1;
template <class T, class Size> constexpr size_t alignment = align_of<T>;
template <class T, size_t N>
constexpr size_t alignment<T, cuda::aligned_size_t<N>> =
    align_of<T> > N ? align_of<T> : N;

/* By cp.async where that can be; else at once, a byte at a time. */
template <size_t Alignment, class Group>
SIMT_INLINE void copy_slices(const Group &g, void *to, const void *from,
                             size_t size) {
  const size_t step = Alignment < 16 ? Alignment : 16;
  char *const target = static_cast<char *>(to);
  const char *const source = static_cast<const char *>(from);
  const bool async = step >= 4 && size % step == 0 && simt_is_shared(to) &&
                     !simt_is_shared(from);
  if (async)
    for (size_t at = g.thread_rank() * step; at < size; at += g.size() * step)
      simt_async_copy(target + at, source + at, step, step);
  else
    for (size_t at = g.thread_rank(); at < size; at += g.size())
      target[at] = source[at];
}

} // namespace simt

#endif
