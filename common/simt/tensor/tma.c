/* TMA loads. Rows move when somebody waits for the phase of the mbarrier, and
 * not before: who reads early reads what was there. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"
#include "common/simt/tensor/tensor.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

enum {
  TILE_ALIGNMENT = 1024,
  CODES_ALIGNMENT = 16,
  STRIDE_UNIT = 16,
  MAX_ROWS = 256
};

enum { LOAD, FENCE };

/* What the executor keeps in a CUtensorMap: four sizes, the first of them bytes
 * of a row, and the bytes from one row, head or batch to the next. */
typedef struct {
  uint64_t mark;
  const uint8_t *codes;
  int64_t row_bytes, rows, heads, batches;
  int64_t row_stride, head_stride, batch_stride;
  int32_t tile_rows;
} tensor;

/* A load of a tile that nobody has waited for yet. */
typedef struct {
  uint8_t *tile;
  tensor from;
  int32_t row, head, batch; /* where the tile begins */
  uint64_t *mbarrier;
  uint32_t pc, engine, stamp, thread;
} tma_copy;

/* Of the block, under way. */
typedef struct {
  tma_copy *copies;
  uint32_t count, capacity;
} state;

static state *state_of(const block *b) {
  return mechanism_state(b, &tma_loads);
}

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

static void move(const tma_copy *c) {
  const tile_part tile = {{c->tile, (unsigned)c->from.row_bytes, 0}, 0};
  for (int32_t row = 0; row < c->from.tile_rows; row++) {
    const uint8_t *from = source_row(c, row);
    for (uint32_t chunk = 0; chunk < c->from.row_bytes / 16; chunk++) {
      uint8_t *to = (uint8_t *)tile_chunk(&tile, (uint32_t)row, chunk);
      if (from)
        memcpy(to, from + 16 * chunk, 16);
      else
        memset(to, 0, 16);
    }
  }
}

static uint32_t land(block *b, const uint64_t *mbarrier, uint32_t *clocks) {
  state *s = state_of(b);
  uint32_t kept = 0, bytes = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const tma_copy c = s->copies[i];
    if (c.mbarrier != mbarrier) {
      s->copies[kept++] = c;
      continue;
    }
    move(&c);
    bytes += bytes_of(&c);
    proxy_tell(b, clocks, c.engine, c.stamp);
  }
  s->count = kept;
  return bytes;
}

static void end_block(block *b) {
  state *s = state_of(b);
  const tma_copy *c = s->copies;
  if (s->count > 0 && !b->error)
    finding_report(b, SIMT_NEVER_WAITED, c->pc, 0, c->thread, c->thread,
                   "the block has ended, and nobody has waited for this TMA "
                   "load");
  s->count = 0;
}

/* ---- issue ---- */

static tma_copy *new_copy(block *b) {
  state *s = state_of(b);
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 16;
    s->copies = realloc(s->copies, s->capacity * sizeof *s->copies);
    if (!s->copies) abort();
  }
  return &s->copies[s->count++];
}

static void count(block *b, const tma_copy *c) {
  simt_counters *counters = site_counters(b, SITE_TMA, c->pc);
  if (!counters) return;
  counters->tma_loads++;
  counters->tma_bytes += bytes_of(c);
}

static bool used;
bool tma_is_used(void) { return used; }

/* The words of a row, as blocks, streams and the host share them: for programs
 * with their own main, because it takes long. */
static void read_row(block *b, const tma_copy *c, const uint8_t *from) {
  for (int32_t at = 0; at < c->from.row_bytes; at += 4) {
    const global_visit v = {.thread = c->thread,
                            .pc = c->pc,
                            .size = 4,
                            .address = (uintptr_t)from + (uintptr_t)at};
    global_access(b, &v);
    streams_access(b, v.thread, v.pc, v.address, 4, false, false);
  }
}

static void check_source(block *b, const tma_copy *c) {
  size_t bytes = 0;
  used = true;
  for (int32_t row = 0; row < c->from.tile_rows; row++) {
    const uint8_t *from = source_row(c, row);
    if (!from) continue;
    if (!bytes)
      bytes = arena_find_fresh(from, (size_t)c->from.row_bytes).bytes;
    if (b->checks & SIMT_STREAMS) read_row(b, c, from);
  }
  if (bytes)
    finding_report(b, SIMT_UNINITIALISED, c->pc, 0, c->thread, c->thread,
                   "a TMA load of global memory that nobody has written since "
                   "cudaMalloc()");
}

static void carry_out(block *b, thread *t) {
  block_make_ready(b, t);
  if (t->request.operation == FENCE) {
    proxy_fence(b, t);
    return;
  }
  tma_copy *c = new_copy(b);
  *c = *(const tma_copy *)t->request.call;
  c->engine = mbarrier_engine(b, t, c->mbarrier, c->pc);
  c->stamp = proxy_start(b, c->engine, t);
  if (b->shadow) check_source(b, c);
  if (b->shadow)
    race_tma_write(b, t, c->pc, (uintptr_t)c->tile, bytes_of(c), c->engine,
                   c->stamp);
  count(b, c);
}

mechanism tma_loads = {.name = "a TMA load",
                       .state_size = sizeof(state),
                       .carry_out = carry_out,
                       .land = land,
                       .end_block = end_block};

/* ---- what kernels call ---- */

static _Noreturn void refuse(simt_finding_kind kind, cudaError_t error,
                             uint32_t pc, const char *why) {
  block *b = simt_here;
  finding_of_running(b, kind, pc, "%s", why);
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
  block_request(b, (request){.kind = REQUEST_CARRY_OUT,
                             .pc = CALLER,
                             .to = &tma_loads,
                             .operation = LOAD,
                             .call = &c});
}

void simt_fence_async_proxy(void) {
  block *b = simt_here;
  if (b->shadow)
    block_request(b, (request){.kind = REQUEST_CARRY_OUT,
                               .pc = CALLER,
                               .to = &tma_loads,
                               .operation = FENCE});
}
