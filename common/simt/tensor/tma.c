/* TMA, loads and stores. Bytes move when somebody waits for them, and not
 * before: who reads early reads what was there. */

#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"
#include "common/simt/tensor/tensor.h"

#include <cuda.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum {
  TILE_ALIGNMENT = 1024,
  MAP_ALIGNMENT = 64,
  STRIDE_UNIT = 16,
  MAX_BOX = 256
};

enum { LOAD, FENCE, STORE };

/* What the executor keeps in a CUtensorMap. Sizes and box are in elements, the
 * innermost dimension first; strides are the bytes of dimensions 1 and on. */
typedef struct {
  uint64_t mark;
  uint8_t *memory;
  uint64_t strides[4];
  int64_t sizes[5];
  uint32_t box[5];
  uint8_t element, dimensions; /* element: bytes */
  uint16_t row_bytes; /* of the swizzle, 16 for none */
} tensor;

/* A copy of a tile that nobody has waited for yet. */
typedef struct {
  uint8_t *tile;
  tensor of;
  int32_t at[5]; /* where the tile begins */
  uint64_t *mbarrier; /* null: a store, */
  uint32_t group;     /* of its thread */
  uint32_t pc, engine, stamp, thread;
} tma_copy;

typedef struct {
  tma_copy *copies;
  uint32_t count, capacity;
  uint32_t committed[MAX_THREADS]; /* groups of stores */
  uint32_t engines[MAX_WARPS];     /* of a warp's stores; 0: none so far */
} state;

static state *state_of(const block *b) {
  return mechanism_state(b, &tma_loads);
}

static const uint64_t TENSOR_MARK = UINT64_C(0x53494d5454454e53);
_Static_assert(sizeof(tensor) <= sizeof(CUtensorMap), "a tensor fits its map");

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t dimensions,
    void *memory, const cuuint64_t *sizes, const cuuint64_t *strides,
    const cuuint32_t *box, const cuuint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  static const uint8_t rows[] = {16, 32, 64, 128};
  if (type >= sizeof bytes || swizzle >= sizeof rows || dimensions - 1 > 4 ||
      interleave || fill)
    return CUDA_ERROR_INVALID_VALUE;
  tensor t = {.mark = TENSOR_MARK,
              .memory = memory,
              .element = bytes[type],
              .dimensions = (uint8_t)dimensions,
              .row_bytes = rows[swizzle]};
  const uint64_t inner = (uint64_t)box[0] * t.element;
  bool good = (uintptr_t)memory % STRIDE_UNIT == 0 && inner % 16 == 0 &&
              (t.row_bytes == 16 || inner <= t.row_bytes);
  for (unsigned i = 0; i < 5; i++) {
    const bool there = i < dimensions;
    t.sizes[i] = there ? (int64_t)sizes[i] : 1;
    t.box[i] = there ? box[i] : 1;
    good = good && t.box[i] >= 1 && t.box[i] <= MAX_BOX && t.sizes[i] >= 1 &&
           t.sizes[i] <= INT64_C(1) << 32 && (!there || steps[i] == 1);
    if (i == 0 || !there) continue;
    t.strides[i - 1] = strides[i - 1];
    good = good && strides[i - 1] % STRIDE_UNIT == 0 &&
           strides[i - 1] < UINT64_C(1) << 40;
  }
  memset(map, 0, sizeof *map);
  memcpy(map, &t, sizeof t);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Of the rows that the kernels use. */
cudaError_t simt_tensor_map(void *map, const uint8_t *codes,
                            const uint64_t sizes[4], const uint64_t strides[3],
                            int tile_rows) {
  const uint32_t box[] = {(uint32_t)sizes[0], (uint32_t)tile_rows, 1, 1};
  const uint32_t steps[] = {1, 1, 1, 1};
  return (sizes[0] == 64 || sizes[0] == 128) && tile_rows > 0 &&
                 !cuTensorMapEncodeTiled(
                     map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 4, (void *)codes,
                     sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                     sizes[0] == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                    : CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

/* A row of the tile in global memory: its bytes from `first` to `end` are in
 * the tensor, and what it has beside them is not. */
typedef struct {
  uint8_t *row;
  int64_t first, end;
} piece;

static uint32_t inner_of(const tma_copy *c) {
  return c->of.box[0] * c->of.element;
}

static uint32_t rows_of(const tma_copy *c) {
  return c->of.box[1] * c->of.box[2] * c->of.box[3] * c->of.box[4];
}

static uint32_t bytes_of(const tma_copy *c) {
  return rows_of(c) * inner_of(c);
}

static piece piece_of(const tma_copy *c, uint32_t row) {
  const tensor *t = &c->of;
  const int64_t left = t->sizes[0] - c->at[0], inner = t->box[0];
  piece p = {t->memory + (int64_t)c->at[0] * t->element, 0, 0};
  if (c->at[0] < 0) p.first = -(int64_t)c->at[0] * t->element;
  p.end = (left < inner ? left : inner) * t->element;
  for (unsigned i = 1; i < t->dimensions; i++) {
    const int64_t place = c->at[i] + (int64_t)(row % t->box[i]);
    row /= t->box[i];
    p.row += place * (int64_t)t->strides[i - 1];
    if (place < 0 || place >= t->sizes[i]) p.end = 0;
  }
  if (p.end < p.first) p.end = p.first;
  return p;
}

static void move(const tma_copy *c) {
  for (uint32_t row = 0; row < rows_of(c); row++) {
    const piece p = piece_of(c, row);
    for (int64_t at = 0; at < inner_of(c); at += 16) {
      uint8_t *tile = (uint8_t *)swizzled(
          (uintptr_t)c->tile + row * inner_of(c) + (size_t)at, c->of.row_bytes);
      const int64_t first = p.first > at ? p.first : at;
      const int64_t end = p.end < at + 16 ? p.end : at + 16;
      if (c->mbarrier) memset(tile, 0, 16);
      if (first >= end) continue;
      if (c->mbarrier)
        memcpy(tile + (first - at), p.row + first, (size_t)(end - first));
      else
        memcpy(p.row + first, tile + (first - at), (size_t)(end - first));
    }
  }
}

/* Loads that count at an mbarrier; or, with none, a thread's stores but for its
 * latest groups. Returns their bytes; the clocks learn what they tell. */
static uint32_t finish(block *b, const uint64_t *mbarrier, uint32_t thread,
                       uint32_t groups_left, uint32_t *clocks) {
  state *s = state_of(b);
  uint32_t kept = 0, bytes = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const tma_copy c = s->copies[i];
    if (c.mbarrier != mbarrier ||
        (!mbarrier && (c.thread != thread ||
                       c.group + groups_left >= s->committed[thread]))) {
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

static uint32_t land(block *b, const uint64_t *mbarrier, uint32_t *clocks) {
  return finish(b, mbarrier, 0, 0, clocks);
}

static void end_stores(block *b, const thread *t, uint32_t groups_left) {
  finish(b, NULL, t->id, groups_left,
         b->shadow ? shadow_clocks(b->shadow, t->id) : NULL);
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

bool tma_is_used;

/* The words of a row, as blocks, streams and the host share them: for programs
 * with their own main, because it takes long. */
static void visit_row(block *b, const tma_copy *c, const piece *p) {
  for (int64_t at = p->first & ~INT64_C(3); at < p->end; at += 4) {
    const global_visit v = {.thread = c->thread,
                            .pc = c->pc,
                            .size = 4,
                            .writes = !c->mbarrier,
                            .address = (uintptr_t)(p->row + at)};
    global_access(b, &v);
    if (v.address - arena_low < arena_size)
      streams_access(b, v.thread, v.pc, v.address, 4, v.writes, false);
  }
}

static void check_global(block *b, const tma_copy *c) {
  size_t fresh = 0;
  tma_is_used = true;
  for (uint32_t row = 0; row < rows_of(c); row++) {
    const piece p = piece_of(c, row);
    const size_t bytes = (size_t)(p.end - p.first);
    if (!bytes) continue;
    if (!c->mbarrier)
      simt_written(p.row + p.first, bytes);
    else if (!fresh)
      fresh = arena_find_fresh(p.row + p.first, bytes).bytes;
    if (b->checks & SIMT_STREAMS) visit_row(b, c, &p);
  }
  if (fresh)
    finding_report(b, SIMT_UNINITIALISED, c->pc, 0, c->thread, c->thread,
                   "a TMA load of global memory that nobody has written since "
                   "cudaMalloc()");
}

static void start(block *b, thread *t, bool stores) {
  state *s = state_of(b);
  MAKE_ROOM(s->copies, s->count, s->capacity);
  tma_copy *c = &s->copies[s->count++];
  *c = *(const tma_copy *)t->request.call;
  uint32_t *engine = &s->engines[t->id / WARP_SIZE];
  if (stores && !*engine) *engine = mbarrier_new_engine(b, t);
  c->group = s->committed[t->id];
  c->engine = stores ? *engine : mbarrier_engine(b, t, c->mbarrier, c->pc);
  c->stamp = proxy_start(b, c->engine, t);
  if (b->shadow) check_global(b, c);
  if (stores)
    store_reads(b, t, c->pc, c->engine, c->stamp, (uintptr_t)c->tile,
                bytes_of(c), true);
  else if (b->shadow)
    race_tma_write(b, t, c->pc, (uintptr_t)c->tile, bytes_of(c), c->engine,
                   c->stamp);
  if (stores) return;
  simt_counters *counters = site_counters(b, "TMA load", c->pc);
  counters->tma_loads++;
  counters->tma_bytes += bytes_of(c);
}

static void carry_out(block *b, thread *t) {
  block_make_ready(b, t);
  if (t->request.operation == FENCE)
    proxy_fence(b, t);
  else
    start(b, t, t->request.operation == STORE);
}

static void thread_exit(block *b, thread *t) {
  state *s = state_of(b);
  for (uint32_t i = 0; i < s->count; i++)
    if (!s->copies[i].mbarrier && s->copies[i].thread == t->id) {
      finding_report(b, SIMT_NEVER_WAITED, s->copies[i].pc, 0, t->id, t->id,
                     "the thread returned without waiting for its TMA store");
      s->committed[t->id]++;
      end_stores(b, t, 0);
      return;
    }
}

static void start_block(block *b) {
  state *s = state_of(b);
  memset(s->committed, 0, sizeof s->committed);
  memset(s->engines, 0, sizeof s->engines);
}

/* Stores under way still read. */
static void block_barrier(block *b) {
  state *s = state_of(b);
  for (uint32_t i = 0; i < s->count; i++) {
    tma_copy *c = &s->copies[i];
    const thread *t = &b->threads[c->thread];
    if (c->mbarrier) continue;
    c->stamp = proxy_start(b, c->engine, t);
    store_reads(b, t, c->pc, c->engine, c->stamp, (uintptr_t)c->tile,
                bytes_of(c), false);
  }
}

mechanism tma_loads = {.name = "TMA",
                       .state_size = sizeof(state),
                       .start_block = start_block,
                       .carry_out = carry_out,
                       .thread_exit = thread_exit,
                       .block_barrier = block_barrier,
                       .land = land,
                       .end_block = end_block};

/* ---- what kernels call ---- */

static bool is_allocated(const tma_copy *c) {
  for (uint32_t row = 0; row < rows_of(c); row++) {
    const piece p = piece_of(c, row);
    if (p.end > p.first &&
        (uintptr_t)p.row - variables_low() >= variables_size() &&
        !arena_contains(p.row + p.first, (size_t)(p.end - p.first)))
      return false;
  }
  return true;
}

/* `alignment` of the tile: a power of two. */
static void issue(tma_copy *c, size_t alignment, uint32_t pc) {
  block *b = simt_here;
  const bool stores = !c->mbarrier;
  if ((uintptr_t)c->tile % alignment)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorMisalignedAddress, pc, "%s",
                 alignment == TILE_ALIGNMENT
                     ? "a TMA load writes a tile that is aligned to 1024 bytes"
                     : "TMA takes tiles at multiples of 128 bytes of shared "
                       "memory, and bytes in a row at multiples of 16");
  if (!shared_allows(b, c->tile, bytes_of(c)))
    BLOCK_REFUSE(b, SIMT_OUTSIDE_SHARED, cudaErrorIllegalAddress, pc,
                 "a TMA %s a tile that does not lie in shared memory",
                 stores ? "store reads" : "load writes");
  if (!is_allocated(c))
    BLOCK_REFUSE(b, SIMT_OUTSIDE_GLOBAL, cudaErrorIllegalAddress, pc,
                 "a TMA %s rows that are in no allocation of this device",
                 stores ? "store writes" : "load reads");
  c->pc = pc;
  c->thread = b->running->id;
  if (!stores) mbarrier_check(c->mbarrier, pc);
  BLOCK_ASK(b, &tma_loads, stores ? STORE : LOAD, pc, .call = c);
}

static tma_copy copy_of(const void *tile, const void *map, unsigned dimensions,
                        const int *at, uint64_t *barrier, uint32_t pc) {
  tma_copy c = {.tile = (uint8_t *)tile, .mbarrier = barrier};
  if (in_shared(simt_here, map))
    BLOCK_REFUSE(simt_here, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "TMA takes its map from a parameter, or from constant or "
                 "global memory, and this one is in shared memory");
  if (!is_private(simt_here, (uintptr_t)map) &&
      !arena_contains(map, sizeof(CUtensorMap)))
    BLOCK_REFUSE(simt_here, SIMT_OUTSIDE_GLOBAL, cudaErrorIllegalAddress, pc,
                 "TMA takes its map from host memory");
  if ((uintptr_t)map % MAP_ALIGNMENT)
    BLOCK_MISUSE(pc, "TMA takes a map at a multiple of 64 bytes");
  memcpy(&c.of, map, sizeof c.of);
  if (c.of.mark != TENSOR_MARK || c.of.dimensions != dimensions)
    BLOCK_MISUSE(pc, "TMA takes a map that cuTensorMapEncodeTiled() has "
                     "filled, of as many dimensions");
  memcpy(c.at, at, dimensions * sizeof *at);
  return c;
}

void simt_tma_load(void *tile, const void *map, uint64_t *barrier, int row,
                   int head, int batch) {
  const int at[] = {0, row, head, batch};
  tma_copy c = copy_of(tile, map, 4, at, barrier, CALLER);
  issue(&c, TILE_ALIGNMENT, CALLER);
}

void simt_tensor_load(void *tile, const void *map, unsigned dimensions,
                      const int *at, uint64_t *barrier) {
  tma_copy c = copy_of(tile, map, dimensions, at, barrier, CALLER);
  issue(&c, 128, CALLER);
}

void simt_tensor_store(const void *map, unsigned dimensions, const int *at,
                       const void *tile) {
  tma_copy c = copy_of(tile, map, dimensions, at, NULL, CALLER);
  issue(&c, 128, CALLER);
}

/* A tensor of one row. */
static tma_copy bytes_in_a_row(void *tile, const void *memory, unsigned bytes,
                               uint64_t *barrier, uint32_t pc) {
  if ((uintptr_t)memory % 16 || bytes % 16)
    BLOCK_REFUSE(simt_here, SIMT_USAGE, cudaErrorMisalignedAddress, pc,
                 "cp.async.bulk copies a multiple of 16 bytes, and both "
                 "addresses are multiples of that");
  return (tma_copy){.tile = tile,
                    .mbarrier = barrier,
                    .of = {.memory = (uint8_t *)memory,
                           .sizes = {bytes, 1, 1, 1, 1},
                           .box = {bytes, 1, 1, 1, 1},
                           .element = 1,
                           .dimensions = 1,
                           .row_bytes = 16}};
}

void simt_bulk_load(void *to, const void *from, unsigned bytes,
                    uint64_t *barrier) {
  tma_copy c = bytes_in_a_row(to, from, bytes, barrier, CALLER);
  issue(&c, 16, CALLER);
}

void simt_bulk_store(void *to, const void *from, unsigned bytes) {
  tma_copy c = bytes_in_a_row((void *)from, to, bytes, NULL, CALLER);
  issue(&c, 16, CALLER);
}

void simt_bulk_commit(void) {
  state_of(simt_here)->committed[simt_here->running->id]++;
}

void simt_bulk_wait(unsigned groups_left) {
  end_stores(simt_here, simt_here->running, groups_left);
}

void simt_fence_async_proxy(void) {
  if (simt_here->shadow) BLOCK_ASK(simt_here, &tma_loads, FENCE, CALLER);
}
