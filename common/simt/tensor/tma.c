/* TMA loads. Rows move when somebody waits for the phase of the mbarrier, and
 * not before: who reads early reads what was there. */

#include "common/simt/tensor/tma.h"
#include "common/simt/access/counting.h"
#include "common/simt/sync/mbarrier.h"
#include "common/simt/race/proxy.h"
#include "common/simt/race/race.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

enum {
  TILE_ALIGNMENT = 1024,
  CODES_ALIGNMENT = 16,
  STRIDE_UNIT = 16,
  MAX_ROWS = 256
};

static const uint64_t TENSOR_MARK = UINT64_C(0x53494d5454454e53);
_Static_assert(sizeof(tensor) <= sizeof(CUtensorMap), "a tensor fits its map");

/* As cuTensorMapEncodeTiled has it, of the rows that the kernels use. */
int simt_describe_tensor(void *map, const uint8_t *codes,
                         const uint64_t sizes[4], const uint64_t strides[3],
                         int tile_rows) {
  if ((sizes[0] != 64 && sizes[0] != 128) || tile_rows < 1 ||
      tile_rows > MAX_ROWS || (uintptr_t)codes % CODES_ALIGNMENT)
    return cudaErrorInvalidValue;
  for (int i = 1; i < 4; i++)
    if (sizes[i] < 1 || sizes[i] > UINT64_C(1) << 32 ||
        strides[i - 1] % STRIDE_UNIT || strides[i - 1] >= UINT64_C(1) << 40)
      return cudaErrorInvalidValue;
  const tensor t = {.mark = TENSOR_MARK,
                    .codes = codes,
                    .row_bytes = (int64_t)sizes[0],
                    .rows = (int64_t)sizes[1],
                    .heads = (int64_t)sizes[2],
                    .batches = (int64_t)sizes[3],
                    .row_stride = (int64_t)strides[0],
                    .head_stride = (int64_t)strides[1],
                    .batch_stride = (int64_t)strides[2],
                    .tile_rows = tile_rows};
  memset(map, 0, sizeof(CUtensorMap));
  memcpy(map, &t, sizeof t);
  return cudaSuccess;
}

/* ---- landing ---- */

static const uint8_t *source_row(const tma_copy *c, int32_t row) {
  const tensor *t = &c->from;
  const int64_t place = (int64_t)c->row + row;
  if (place < 0 || place >= t->rows || c->head < 0 || c->head >= t->heads ||
      c->batch < 0 || c->batch >= t->batches)
    return NULL;
  return t->codes + c->batch * t->batch_stride + c->head * t->head_stride +
         place * t->row_stride;
}

static uint32_t bytes_of(const tma_copy *c) {
  return (uint32_t)(c->from.tile_rows * c->from.row_bytes);
}

static void land(const tma_copy *c) {
  const proxy_part tile = {{c->tile, (unsigned)c->from.row_bytes, 0}, 0};
  for (int32_t row = 0; row < c->from.tile_rows; row++) {
    const uint8_t *from = source_row(c, row);
    for (uint32_t chunk = 0; chunk < c->from.row_bytes / 16; chunk++) {
      uint8_t *to = (uint8_t *)proxy_chunk(&tile, (uint32_t)row, chunk);
      if (from)
        memcpy(to, from + 16 * chunk, 16);
      else
        memset(to, 0, 16);
    }
  }
}

uint32_t tma_land(block *b, const uint64_t *mbarrier, uint32_t *clocks) {
  uint32_t kept = 0, bytes = 0;
  for (uint32_t i = 0; i < b->tma_count; i++) {
    const tma_copy c = b->tma[i];
    if (c.mbarrier != mbarrier) {
      b->tma[kept++] = c;
      continue;
    }
    land(&c);
    bytes += bytes_of(&c);
    proxy_tell(b, clocks, c.engine, c.stamp);
  }
  b->tma_count = kept;
  return bytes;
}

void tma_block_end(block *b) {
  if (b->tma_count == 0 || b->error) return;
  const tma_copy *c = &b->tma[0];
  flaw_report(b, SIMT_NEVER_WAITED, c->pc, 0, c->thread, c->thread,
              "the block has ended, and nobody has waited for this TMA load");
}

/* ---- issue ---- */

static tma_copy *new_copy(block *b) {
  if (b->tma_count == b->tma_capacity) {
    b->tma_capacity = b->tma_capacity ? 2 * b->tma_capacity : 16;
    b->tma = realloc(b->tma, b->tma_capacity * sizeof *b->tma);
    if (!b->tma) abort();
  }
  return &b->tma[b->tma_count++];
}

static void count(block *b, const tma_copy *c) {
  simt_counters *counters = site_counters(b, SITE_TMA, c->pc);
  if (!counters) return;
  counters->tma_loads++;
  counters->tma_bytes += bytes_of(c);
}

void tma_request(block *b, thread *t) {
  b->warps[t->id / WARP_SIZE].ready |= 1u << t->lane;
  if (t->request.kind == REQUEST_PROXY_FENCE) {
    proxy_fence(b, t);
    return;
  }
  tma_copy *c = new_copy(b);
  *c = *t->request.copy;
  c->engine = mbarrier_engine(b, t, c->mbarrier, c->pc);
  c->stamp = proxy_start(b, c->engine, t);
  if (b->shadow)
    race_tma_write(b, t, c->pc, (uintptr_t)c->tile, bytes_of(c), c->engine,
                   c->stamp);
  count(b, c);
}

/* ---- what kernels call ---- */

static _Noreturn void refuse(simt_finding_kind kind, cudaError_t error,
                             uint32_t pc, const char *why) {
  block *b = simt_here;
  flaw_report(b, kind, pc, 0, b->running->id, b->running->id, "%s", why);
  block_abort(b, error);
}

static bool source_is_allocated(const tma_copy *c) {
  for (int32_t row = 0; row < c->from.tile_rows; row++) {
    const uint8_t *from = source_row(c, row);
    if (from && !arena_contains(from, (size_t)c->from.row_bytes)) return false;
  }
  return true;
}

void simt_tma_load(void *tile, const void *map, uint64_t *barrier, int row,
                   int head, int batch) {
  block *b = simt_here;
  tensor t;
  memcpy(&t, map, sizeof t);
  if (t.mark != TENSOR_MARK)
    refuse(SIMT_USAGE, cudaErrorIllegalInstruction, CALLER,
           "a TMA load takes a map that tensor_map() has filled");
  if ((uintptr_t)tile % TILE_ALIGNMENT)
    refuse(SIMT_USAGE, cudaErrorMisalignedAddress, CALLER,
           "a TMA load writes a tile that is aligned to 1024 bytes");
  if (!shared_allows(b, tile, (size_t)(t.tile_rows * t.row_bytes)))
    refuse(SIMT_OUTSIDE_SHARED, cudaErrorIllegalAddress, CALLER,
           "a TMA load writes a tile that does not lie in shared memory");
  const tma_copy c = {.tile = tile,
                      .from = t,
                      .row = row,
                      .head = head,
                      .batch = batch,
                      .mbarrier = barrier,
                      .pc = CALLER,
                      .thread = b->running->id};
  if (!source_is_allocated(&c))
    refuse(SIMT_OUTSIDE_GLOBAL, cudaErrorIllegalAddress, CALLER,
           "a TMA load reads rows that are in no allocation of this device");
  mbarrier_check(barrier, CALLER);
  block_request(b, (request){.kind = REQUEST_TMA, .pc = CALLER, .copy = &c});
}

void simt_fence_async_proxy(void) {
  block *b = simt_here;
  if (b->shadow)
    block_request(b, (request){.kind = REQUEST_PROXY_FENCE, .pc = CALLER});
}
