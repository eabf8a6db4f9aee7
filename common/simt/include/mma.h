#pragma once

/* nvcuda::wmma for 16x16x16 tiles of halves with float accumulators. Which
 * element a lane holds, and the instructions that memory sees, are those of
 * nvcc 13.0 for sm_80 and later: a load is one ldmatrix.x4, a store is four
 * 8-byte stores, a product is two HMMA. */

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static_assert(!M, "the executor has fragments of 16 x 16 x 16: __half in "
                    "matrix_a and matrix_b, float in the accumulator");
};

/* The second eight elements repeat the first, as on the GPU. What nobody has
 * filled or loaded are NaNs. */
template <class Use, class Layout>
class fragment<Use, 16, 16, 16, __half, Layout> {
public:
  static_assert(!std::is_void_v<Layout>,
                "matrix_a or matrix_b has a layout, row_major or col_major; an "
                "accumulator is of float here");
  static constexpr int num_elements = 16;
  __half x[num_elements];
  __device__ fragment() { __builtin_memset((void *)x, 0xff, sizeof x); }
};
template <> class fragment<accumulator, 16, 16, 16, float> {
public:
  static constexpr int num_elements = 8;
  float x[num_elements];
  __device__ fragment() { __builtin_memset((void *)x, 0xff, sizeof x); }
};

namespace simt_detail {

/* Row and column of element i of this lane's accumulator. */
SIMT_INLINE unsigned row(int i) { return simt_lane() / 4 + (i & 2 ? 8 : 0); }
SIMT_INLINE unsigned column(int i) {
  return simt_lane() % 4 * 2 + (i & 1) + (i & 4 ? 8 : 0);
}

template <simt_operand operand, class Layout>
SIMT_INLINE void load(__half *x, const __half *source, unsigned stride) {
  constexpr bool rows = std::is_same_v<Layout, row_major>;
  simt_check_matrix_address(source, stride * sizeof(__half));
  simt_load_matrix(reinterpret_cast<uint16_t *>(x), source, stride, operand,
                   rows ? SIMT_LINES_ARE_ROWS : SIMT_LINES_ARE_COLUMNS);
  for (int i = 0; i < 8; i++) x[8 + i] = x[i];
}

} // namespace simt_detail

template <class Use, class Layout>
SIMT_INLINE void load_matrix_sync(fragment<Use, 16, 16, 16, __half, Layout> &f,
                                  const __half *source, unsigned stride) {
  constexpr bool is_a = std::is_same_v<Use, matrix_a>;
  simt_detail::load<is_a ? SIMT_MATRIX_A : SIMT_MATRIX_B, Layout>(f.x, source,
                                                                  stride);
}

SIMT_INLINE void load_matrix_sync(fragment<accumulator, 16, 16, 16, float> &f,
                                  const float *source, unsigned stride,
                                  layout_t layout) {
  using namespace simt_detail;
  simt_check_matrix_address(source, stride * sizeof(float));
  if (layout == mem_row_major)
    for (int i = 0; i < 8; i += 2)
      *reinterpret_cast<float2 *>(&f.x[i]) = *reinterpret_cast<const float2 *>(
          &source[row(i) * stride + column(i)]);
  else
    for (int i = 0; i < 8; i++)
      f.x[i] = source[column(i) * stride + row(i)];
}

SIMT_INLINE void
store_matrix_sync(float *destination,
                  const fragment<accumulator, 16, 16, 16, float> &f,
                  unsigned stride, layout_t layout) {
  using namespace simt_detail;
  simt_check_matrix_address(destination, stride * sizeof(float));
  if (layout == mem_row_major)
    for (int i = 0; i < 8; i += 2)
      *reinterpret_cast<float2 *>(&destination[row(i) * stride + column(i)]) =
          *reinterpret_cast<const float2 *>(&f.x[i]);
  else
    for (int i = 0; i < 8; i++)
      destination[column(i) * stride + row(i)] = f.x[i];
}

template <class Fragment, class T>
SIMT_INLINE void fill_fragment(Fragment &f, T value) {
  for (auto &element : f.x) element = value;
}

template <class LayoutA, class LayoutB>
SIMT_INLINE void
mma_sync(fragment<accumulator, 16, 16, 16, float> &d,
         const fragment<matrix_a, 16, 16, 16, __half, LayoutA> &a,
         const fragment<matrix_b, 16, 16, 16, __half, LayoutB> &b,
         const fragment<accumulator, 16, 16, 16, float> &c) {
  simt_matrix_multiply(d.x, reinterpret_cast<const uint16_t *>(a.x),
                       reinterpret_cast<const uint16_t *>(b.x), c.x);
}

} // namespace wmma
} // namespace nvcuda
