#pragma once

#include "common/harness/numbers.h"
#include "common/simt/run/mechanism.h"

/* CUDA's latest error. One that has ended a kernel stays, as on a GPU: the
 * device is lost until cudaDeviceReset. Others are told of once. */
void error_set(cudaError_t error);
/* The same, and remembers where, until somebody asks: a kernel that is refused,
 * or a function of the runtime. */
void error_of_launch(cudaError_t error, const simt_kernel_launch *l,
                     uint32_t pc);
cudaError_t error_of_call(cudaError_t error, const char *name, uint32_t pc);
void errors_report(void); /* what nobody has asked for becomes findings */
void error_set_sticky(cudaError_t error);
cudaError_t error_sticky(void); /* cudaSuccess, or what the device is lost to */

/* In bytes: of a block; CUDA's own in each block, and all that there is. */
enum { STATIC_SHARED_LIMIT = 48 * 1024, SHARED_LIMIT = 227 * 1024 };
enum { SHARED_RESERVED = 1024, ALL_SHARED = SHARED_LIMIT + SHARED_RESERVED };

/* cudaSuccess, or what CUDA says to such a launch: a grid or block that is too
 * large, or more shared memory than the kernel may have. */
cudaError_t limits_judge(const simt_kernel_launch *l);

/* How much dynamic shared memory, in bytes, it may have now. */
size_t limits_dynamic_shared(const void *kernel);

/* What its __launch_bounds__ name; 0 where they do not. */
typedef struct {
  uint32_t threads, blocks;
} launch_bounds;
launch_bounds limits_bounds(const void *kernel);

/* Shared memory: found when a launch is prepared, and filled with bytes of ones
 * when a block starts. */
extern mechanism shared_memory;

/* True where all these bytes are shared memory that the launch may use. */
bool shared_allows(const block *b, const void *address, size_t size);

/* Nonzero for the true bytes of variables, by their offset: mostly another
 * number for each. Null until a launch with checks has been prepared. */
extern uint8_t *shared_map;

/* Where the program's variables lie: those of a kernel's that are __device__
 * are global memory. */

/* Of the program: code and constants, and not variables. */
static inline bool is_constant(uintptr_t address) {
  const uintptr_t low = (uintptr_t)&__executable_start;
  return address - low < (uintptr_t)&__data_start - low;
}

static inline uintptr_t variables_low(void) {
  return (uintptr_t)&__data_start & ~(uintptr_t)15;
}

static inline uintptr_t variables_size(void) {
  return (uintptr_t)&end - variables_low();
}

/* The range of addresses that cudaMalloc hands out; zeros before the first. */
extern uintptr_t arena_low, arena_size;
/* All allocations until now lie within so many bytes of it. */
extern uintptr_t arena_high;

/* True where `size` bytes at an address of the range are allocated; `size` is
 * at most the distance to the next multiple of 256. */
bool arena_allows(uintptr_t address, uint32_t size);

/* A bit for each byte that cudaMalloc has handed out and that nobody has
 * written; null where nobody looks. */
extern uint8_t *arena_fresh;
void arena_all_written(void); /* by a kernel that was not watched */
/* Of so many bytes that are copied: where the fresh ones are. */
typedef struct {
  size_t bytes, first;
  bool padding; /* like the gaps between the members of structures */
} fresh_bytes;
fresh_bytes arena_find_fresh(const void *address, size_t size);
void arena_copy_fresh(void *to, const void *from, size_t size);

typedef enum {
  ARENA_NONE,
  ARENA_DEVICE,
  ARENA_PINNED,
  ARENA_MANAGED
} arena_kind;
arena_kind arena_kind_of(const void *address);
cudaError_t arena_give(void **pointer, size_t size, arena_kind kind);
cudaError_t arena_take(void *pointer); /* what it has given */
void arena_reach(bool reachable); /* where simt_hide_memory has hidden it */
bool arena_is_input(const void *address);
void arena_keep_inputs(bool keep); /* from kernels: see simt_input */
bool arena_used(arena_kind kind); /* some has been handed out */

/* True where they lie in one allocation, or size is 0. Takes a lock. */
bool arena_contains(const void *address, size_t size);

/* The program's own file, null where it cannot be read. */
struct Dwfl_Module *program_module(void);

/* Its symbols: which __shared__ variables there are, where they lie, and which
 * kernel declares them. Read once. */

/* "tile_k + 128" for the byte at `offset` of shared memory. */
void symbol_of_shared(size_t offset, char *text, size_t text_size);

/* Says which memory a finding is about, where it is not null. Returns it. */
finding *finding_locate(const block *b, finding *f, uintptr_t address);

/* True where this is one of a kernel's variables that are __constant__. */
bool symbol_is_constant(uintptr_t address);

/* Bytes of static shared memory that a kernel declares in its own body. */
size_t symbol_static_shared(const void *kernel);

/* Where the 16 bytes of this place lie, among rows of so many bytes. */
static inline uintptr_t swizzled(uintptr_t place, uint32_t row_bytes) {
  return place ^ (place >> 7 & (row_bytes / 16 - 1)) << 4;
}

/* A part of a tile in shared memory: `rows` rows of 32 bytes, or so many
 * columns of 16 elements. */
typedef struct {
  simt_wgmma_operand tile;
  uint32_t rows;
} tile_part;

/* One of its 2 * rows pieces of 16 bytes: of a row, or of neighbours of one k.
 */
static inline const uint8_t *tile_chunk(const tile_part *p, uint32_t chunk) {
  const simt_wgmma_operand *t = &p->tile;
  const uint32_t along = t->by_columns ? p->rows / 8 : 2;
  const uint32_t line = chunk / along, place = chunk % along;
  size_t at = t->column + line % 8 * t->row_bytes;
  if (t->row_bytes > 16) {
    const uint32_t wide = t->by_columns ? t->row_bytes / 16 : 2;
    at += line / 8 * t->stride + place % wide * 16 + place / wide * t->leading;
  } else if (t->by_columns) {
    at += line / 8 * t->leading + place * t->stride;
  } else {
    at += line / 8 * t->stride + place * t->leading;
  }
  return (const uint8_t *)swizzled((uintptr_t)t->tile + at, t->row_bytes);
}
