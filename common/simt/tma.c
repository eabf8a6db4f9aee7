/* TMA loads. Rows move when somebody waits for the phase of the mbarrier, and
 * not before: who reads early reads what was there. */

#include "common/simt/tma.h"
#include "common/simt/counting.h"
#include "common/simt/mbarrier.h"
#include "common/simt/proxy.h"
#include "common/simt/race.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_ALIGNMENT = 1024, CODES_ALIGNMENT = 16, MAX_ROWS = 256 };

/* What the executor keeps in a CUtensorMap. */
typedef struct {
  uint64_t mark;
  const uint8_t *codes;
  int64_t row_bytes, rows, heads;
  int32_t tile_rows;
} tensor;
static const uint64_t TENSOR_MARK = UINT64_C(0x53494d5454454e53);
_Static_assert(sizeof(tensor) <= sizeof(CUtensorMap), "a tensor fits its map");

int simt_describe_tensor(void *map, const uint8_t *codes, int64_t row_bytes,
                         int64_t rows, int64_t heads, int tile_rows) {
  const int64_t limit = INT64_C(1) << 32;
  if ((row_bytes != 64 && row_bytes != 128) || rows < 1 || rows > limit ||
      heads < 1 || heads > limit || tile_rows < 1 || tile_rows > MAX_ROWS ||
      (uintptr_t)codes % CODES_ALIGNMENT)
    return cudaErrorInvalidValue;
  const tensor t = {TENSOR_MARK, codes, row_bytes, rows, heads, tile_rows};
  memset(map, 0, sizeof(CUtensorMap));
  memcpy(map, &t, sizeof t);
  return cudaSuccess;
}

/* ---- landing ---- */

static const uint8_t *source_row(const tma_copy *c, int32_t row) {
  const int64_t place = (int64_t)c->row + row;
  if (place < 0 || place >= c->rows || c->head < 0 || c->head >= c->heads)
    return NULL;
  return c->codes + (c->head * c->rows + place) * c->row_bytes;
}

static uint32_t bytes_of(const tma_copy *c) {
  return (uint32_t)(c->tile_rows * c->row_bytes);
}

static void land(const tma_copy *c) {
  const proxy_part tile = {{c->tile, (unsigned)c->row_bytes, 0}, 0};
  for (int32_t row = 0; row < c->tile_rows; row++) {
    const uint8_t *from = source_row(c, row);
    for (uint32_t chunk = 0; chunk < c->row_bytes / 16; chunk++) {
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
  int32_t first = 0, last = c->tile_rows - 1;
  while (first <= last && !source_row(c, first)) first++;
  while (last >= first && !source_row(c, last)) last--;
  return first > last ||
         arena_contains(source_row(c, first),
                        (size_t)((last - first + 1) * c->row_bytes));
}

void simt_tma_load(void *tile, const void *map, uint64_t *barrier, int row,
                   int head) {
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
                      .codes = t.codes,
                      .row_bytes = t.row_bytes,
                      .rows = t.rows,
                      .heads = t.heads,
                      .tile_rows = t.tile_rows,
                      .row = row,
                      .head = head,
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
