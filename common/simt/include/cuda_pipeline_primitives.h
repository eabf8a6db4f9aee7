#pragma once

/* cp.async as CUDA's C interface spells it. The last `zero_fill` bytes of the
 * destination become zeros in place of bytes of the source. */
SIMT_INLINE void __pipeline_memcpy_async(void *__restrict__ destination,
                                         const void *__restrict__ source,
                                         size_t size, size_t zero_fill = 0) {
  simt_async_copy(destination, source, size, size - zero_fill);
}
SIMT_INLINE void __pipeline_commit() { simt_async_commit(); }
SIMT_INLINE void __pipeline_wait_prior(size_t groups_left) {
  simt_async_wait(groups_left);
}
