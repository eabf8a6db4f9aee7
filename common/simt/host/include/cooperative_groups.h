#pragma once

/* cooperative_groups of the executor: grids, blocks, tiles of a warp, and the
 * lanes that happen to be together. */

namespace cooperative_groups {

namespace detail {
using simt::ptx::thread_number;
using simt::ptx::threads;
SIMT_INLINE unsigned nth_lane(unsigned mask, unsigned n) {
  while (n--) mask &= mask - 1;
  return mask ? __builtin_ctz(mask) : 32;
}
/* Of any size, 8 bytes at a time. */
template <class T> SIMT_INLINE T shuffle(unsigned mask, T x, unsigned lane) {
  uint64_t words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, &x, sizeof x);
  for (uint64_t &word : words) word = simt_shuffle(mask, word, lane, SIMT_FROM);
  __builtin_memcpy((void *)&x, words, sizeof x);
  return x;
}
} // namespace detail

class thread_block {
public:
  SIMT_INLINE_MEMBER static void sync() { __syncthreads(); }
  SIMT_INLINE_MEMBER static unsigned thread_rank() {
    return detail::thread_number();
  }
  SIMT_INLINE_MEMBER static unsigned size() { return detail::threads(); }
  SIMT_INLINE_MEMBER static unsigned num_threads() { return size(); }
  SIMT_INLINE_MEMBER static dim3 group_index() { return blockIdx; }
  SIMT_INLINE_MEMBER static dim3 thread_index() { return threadIdx; }
  SIMT_INLINE_MEMBER static dim3 group_dim() { return blockDim; }
  SIMT_INLINE_MEMBER static dim3 dim_threads() { return blockDim; }
};
SIMT_INLINE thread_block this_thread_block() { return {}; }

using thread = simt::one_thread;
SIMT_INLINE thread this_thread() { return {}; }

class grid_group {
public:
  /* Of a cooperative launch: all its blocks run at once. */
  SIMT_INLINE_MEMBER static void sync() {
    unsigned *const arrived = simt_grid_arrivals();
    const unsigned blocks = num_blocks();
    __syncthreads();
    if (detail::thread_number() == 0) {
      __threadfence();
      const unsigned round = atomicAdd(arrived, 1u) / blocks;
      while (atomicAdd(arrived, 0u) / blocks == round) continue;
      __threadfence();
    }
    __syncthreads();
  }
  SIMT_INLINE_MEMBER static bool is_valid() { return true; }
  SIMT_INLINE_MEMBER static unsigned num_blocks() {
    return gridDim.x * gridDim.y * gridDim.z;
  }
  SIMT_INLINE_MEMBER static unsigned block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  }
  SIMT_INLINE_MEMBER static unsigned long long thread_rank() {
    return (unsigned long long)block_rank() * detail::threads() +
           detail::thread_number();
  }
  SIMT_INLINE_MEMBER static unsigned long long size() {
    return (unsigned long long)num_blocks() * detail::threads();
  }
  SIMT_INLINE_MEMBER static unsigned long long num_threads() { return size(); }
  SIMT_INLINE_MEMBER static dim3 group_dim() { return gridDim; }
};
SIMT_INLINE grid_group this_grid() { return {}; }

/* Lanes of one warp. A lane's rank counts those before it. */
class coalesced_group {
protected:
  unsigned mask;
  SIMT_INLINE_MEMBER unsigned lane_of(unsigned rank) const {
    return detail::nth_lane(mask, rank);
  }
  template <class T>
  SIMT_INLINE_MEMBER T from(T x, unsigned rank, bool there) const {
    return detail::shuffle(mask, x, there ? lane_of(rank) : simt_lane());
  }

public:
  SIMT_INLINE_MEMBER explicit coalesced_group(unsigned lanes) : mask(lanes) {}
  SIMT_INLINE_MEMBER void sync() const { __syncwarp(mask); }
  SIMT_INLINE_MEMBER unsigned size() const { return __popc(mask); }
  SIMT_INLINE_MEMBER unsigned num_threads() const { return size(); }
  SIMT_INLINE_MEMBER unsigned thread_rank() const {
    return __popc(mask & ((1u << simt_lane()) - 1));
  }
  template <class T> SIMT_INLINE_MEMBER T shfl(T x, unsigned rank) const {
    return from(x, rank, rank < size());
  }
  template <class T> SIMT_INLINE_MEMBER T shfl_up(T x, unsigned n) const {
    return from(x, thread_rank() - n, thread_rank() >= n);
  }
  template <class T> SIMT_INLINE_MEMBER T shfl_down(T x, unsigned n) const {
    return from(x, thread_rank() + n, thread_rank() + n < size());
  }
  template <class T> SIMT_INLINE_MEMBER T shfl_xor(T x, unsigned n) const {
    return from(x, thread_rank() ^ n, (thread_rank() ^ n) < size());
  }
  SIMT_INLINE_MEMBER unsigned ballot(int predicate) const {
    const unsigned votes = __ballot_sync(mask, predicate);
    unsigned packed = 0;
    for (unsigned rank = 0; rank < size(); rank++)
      packed |= (votes >> lane_of(rank) & 1) << rank;
    return packed;
  }
  SIMT_INLINE_MEMBER int any(int predicate) const {
    return __any_sync(mask, predicate);
  }
  SIMT_INLINE_MEMBER int all(int predicate) const {
    return __all_sync(mask, predicate);
  }
  SIMT_INLINE_MEMBER unsigned lanes() const { return mask; }
  SIMT_INLINE_MEMBER unsigned meta_group_rank() const { return 0; }
  SIMT_INLINE_MEMBER unsigned meta_group_size() const { return 1; }
};
SIMT_INLINE coalesced_group coalesced_threads() {
  return coalesced_group(simt_active_lanes());
}
template <class T>
SIMT_INLINE coalesced_group labeled_partition(const coalesced_group &g, T x) {
  return coalesced_group(__match_any_sync(g.lanes(), x));
}
SIMT_INLINE coalesced_group binary_partition(const coalesced_group &g, bool x) {
  return labeled_partition(g, (int)x);
}

template <unsigned N, class Parent = void>
class thread_block_tile : public coalesced_group {
  static_assert(N <= 32 && (N & (N - 1)) == 0,
                "the executor has tiles of 1, 2, 4, 8, 16 or 32 threads");

public:
  SIMT_INLINE_MEMBER thread_block_tile()
      : coalesced_group((N == 32 ? ~0u : (1u << N % 32) - 1)
                        << (simt_lane() & ~(N - 1))) {}
  template <class Other>
  SIMT_INLINE_MEMBER thread_block_tile(const thread_block_tile<N, Other> &g)
      : coalesced_group(g) {}
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  SIMT_INLINE_MEMBER static unsigned thread_rank() {
    return simt_lane() & (N - 1);
  }
  SIMT_INLINE_MEMBER static unsigned meta_group_rank() {
    return detail::thread_number() / N;
  }
  SIMT_INLINE_MEMBER static unsigned meta_group_size() {
    return (detail::threads() + N - 1) / N;
  }
  template <class T> SIMT_INLINE_MEMBER T shfl(T x, int rank) const {
    return detail::shuffle(mask, x, simt_lane() - thread_rank() +
                                        (rank & (N - 1)));
  }
  template <class T> SIMT_INLINE_MEMBER unsigned match_any(T x) const {
    return __match_any_sync(mask, x) >> (simt_lane() & ~(N - 1));
  }
};
template <unsigned N, class Group>
SIMT_INLINE thread_block_tile<N, Group> tiled_partition(const Group &) {
  return {};
}

/* Of a size that only the program knows. */
class thread_group : public coalesced_group {
  bool block;

public:
  SIMT_INLINE_MEMBER thread_group(const thread_block &)
      : coalesced_group(~0u), block(true) {}
  SIMT_INLINE_MEMBER thread_group(const coalesced_group &g)
      : coalesced_group(g), block(false) {}
  SIMT_INLINE_MEMBER void sync() const {
    block ? __syncthreads() : coalesced_group::sync();
  }
  SIMT_INLINE_MEMBER unsigned size() const {
    return block ? detail::threads() : coalesced_group::size();
  }
  SIMT_INLINE_MEMBER unsigned num_threads() const { return size(); }
  SIMT_INLINE_MEMBER unsigned thread_rank() const {
    return block ? detail::thread_number() : coalesced_group::thread_rank();
  }
};
SIMT_INLINE thread_group tiled_partition(const thread_group &, unsigned n) {
  return coalesced_group((n == 32 ? ~0u : (1u << n) - 1)
                         << (simt_lane() & ~(n - 1)));
}

template <class Group> SIMT_INLINE void sync(const Group &g) { g.sync(); }

/* ---- reduce.h and scan.h ---- */

#define SIMT_FUNCTION(name, result)                                            \
  template <class T = void> struct name {                                      \
    template <class A> constexpr A operator()(A a, A b) const {                \
      return result;                                                           \
    }                                                                          \
  };
SIMT_FUNCTION(plus, a + b)
SIMT_FUNCTION(less, b < a ? b : a)
SIMT_FUNCTION(greater, a < b ? b : a)
SIMT_FUNCTION(bit_and, a & b)
SIMT_FUNCTION(bit_or, a | b)
SIMT_FUNCTION(bit_xor, a ^ b)

template <unsigned N, class Parent, class T, class Operation>
SIMT_INLINE T reduce(const thread_block_tile<N, Parent> &g, T x,
                     Operation operation) {
  for (unsigned n = N / 2; n > 0; n /= 2)
    x = operation(x, g.shfl_xor(x, n));
  return x;
}
template <class T, class Operation>
SIMT_INLINE T reduce(const coalesced_group &g, T x, Operation operation) {
  T sum = g.shfl(x, 0);
  for (unsigned rank = 1; rank < g.size(); rank++)
    sum = operation(sum, g.shfl(x, rank));
  return sum;
}
template <class Group, class T, class Operation = plus<T>>
SIMT_INLINE T inclusive_scan(const Group &g, T x, Operation operation = {}) {
  for (unsigned n = 1; n < g.size(); n *= 2) {
    const T before = g.shfl_up(x, n);
    if (g.thread_rank() >= n) x = operation(before, x);
  }
  return x;
}
template <class Group, class T, class Operation = plus<T>>
SIMT_INLINE T exclusive_scan(const Group &g, T x, Operation operation = {}) {
  const T before = g.shfl_up(inclusive_scan(g, x, operation), 1);
  return g.thread_rank() == 0 ? T() : before;
}

/* ---- memcpy_async.h ---- */

/* By the addresses' own alignment. */
template <class Group, class Size>
SIMT_INLINE void memcpy_async(const Group &g, void *to, const void *from,
                              Size size) {
  const size_t all = (uintptr_t)to | (uintptr_t)from | size;
  simt::copy_slices(g, to, from, size, all & -all); /* its lowest bit */
  simt_async_commit();
}
template <class Group> SIMT_INLINE void wait(const Group &g) {
  simt_async_wait(0);
  g.sync();
}
template <unsigned LEFT, class Group>
SIMT_INLINE void wait_prior(const Group &g) {
  simt_async_wait(LEFT);
  g.sync();
}

} // namespace cooperative_groups
