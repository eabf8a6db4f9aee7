/* Accesses: what the compiler calls for each, whether a thread may make it, a
 * line in its lane's log, and warp instructions from the logs. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/run/launch.h"

bool is_private(const block *b, uintptr_t address) {
  return is_on_stack(b->running, (const void *)address) ||
         address - (uintptr_t)b->launch->arguments <
             b->launch->arguments_size ||
         (address >= (uintptr_t)&__executable_start &&
          address < (uintptr_t)&end);
}

/* A constant of the program, and an argument of the launch points to it: the
 * host has it, and not the device. */
static bool is_constant_of_host(const block *b, uintptr_t address) {
  enum { REACH = 4096 };
  const size_t words = b->launch->arguments_size / sizeof(uintptr_t);
  uintptr_t word;
  for (size_t at = 0; is_constant(address) && at < words; at++) {
    memcpy(&word, (const uintptr_t *)b->launch->arguments + at, sizeof word);
    if (address - word < REACH) return true;
  }
  return false;
}

const char *access_space(const block *b, const void *pointer) {
  const uintptr_t address = (uintptr_t)pointer;
  return in_shared(b, pointer) ? "shared"
         : b->checks && symbol_is_constant(address)
             ? "constant"
         : !is_constant(address) && is_private(b, address) &&
                 address - variables_low() >= variables_size()
             ? "local or parameter"
             : NULL;
}

/* What lies close to the block's variables was meant to be one of them. */
static bool is_near_shared(const block *b, uintptr_t address) {
  const uintptr_t margin = STATIC_SHARED_LIMIT;
  return address - (b->shared_low - margin) < b->shared_size + 2 * margin;
}

__attribute__((noinline)) static _Noreturn void
outside(block *b, simt_finding_kind kind, uintptr_t address, uint32_t size,
        uint32_t pc) {
  finding_locate(b,
                 FINDING_OF_RUNNING(b, kind, pc, "%u bytes at %#lx, %s", size,
                                    (unsigned long)address,
                                    kind == SIMT_OUTSIDE_SHARED
                                        ? "outside the block's shared memory"
                                    : is_constant(address)
                                        ? "a constant of the host"
                                        : "in no allocation of this device"),
                 address);
  block_abort(b, cudaErrorIllegalAddress);
}

__attribute__((noinline)) static _Noreturn void
misaligned(block *b, uintptr_t address, uint32_t size, uint32_t pc) {
  finding_locate(b,
                 FINDING_OF_RUNNING(
                     b, SIMT_MISALIGNED, pc,
                     "%u bytes at %#lx, which is not a multiple of %u", size,
                     (unsigned long)address, size),
                 address);
  block_abort(b, cudaErrorMisalignedAddress);
}

enum {
  LOG_LENGTH = 512, /* accesses of a lane between two looks at them */
  LOG_STRIDE = LOG_LENGTH + 4 /* spreads the lanes over the cache's sets */
};

/* What the lanes of the running warp have done since they last stopped, and the
 * checks of this launch that look at it. */
typedef struct access_log {
  void (*look[MAX_MECHANISMS])(block *b, warp *w, const instruction *i,
                               struct site *s, const struct pattern *p);
  void (*look_at_own[MAX_MECHANISMS])(block *b, uintptr_t address,
                                      uint32_t size, bool writes, uint32_t pc);
  uint32_t look_count, look_at_own_count;
  uint32_t count[WARP_SIZE];
  uint32_t cut; /* lanes that stopped in the middle, for want of space */
  /* A store is filed before it is made: the place of each lane's latest, from 1
   * on, until what it has stored is looked up. */
  uint32_t unknown[WARP_SIZE];
  lane_access entries[WARP_SIZE * LOG_STRIDE];
  stored values[WARP_SIZE * LOG_STRIDE]; /* of stores */
} access_log_memory;

static void own_access(block *b, uintptr_t address, uint32_t size,
                       access_kind kind, uint32_t pc) {
  const access_log_memory *l = b->log;
  for (uint32_t n = 0; n < l->look_at_own_count; n++)
    l->look_at_own[n](b, address, size, kind != ACCESS_READ, pc);
}

/* Inlined, for it is what every load and store goes through. */
__attribute__((always_inline)) static inline bool
check(block *b, const void *pointer, uint32_t size, access_kind kind,
      uint32_t pc) {
  const uintptr_t address = (uintptr_t)pointer;
  const bool shared = address - b->shared_low < b->shared_size;
  if (shared) {
    if (address + size - 1 - b->unused_low < b->unused_size ||
        is_own_variable(address, size))
      outside(b, SIMT_OUTSIDE_SHARED, address, size, pc);
  } else if (b->shadow && address - variables_low() < variables_size()) {
    /* of the kernel's, with __device__ */
  } else if (address - arena_low < arena_size) {
    if (!arena_allows(address, size) &&
        !(address & (size - 1) && arena_contains(pointer, size)))
      outside(b, SIMT_OUTSIDE_GLOBAL, address, size, pc);
  } else {
    if (!is_private(b, address) || is_constant_of_host(b, address))
      outside(b,
              is_near_shared(b, address) ? SIMT_OUTSIDE_SHARED
                                         : SIMT_OUTSIDE_GLOBAL,
              address, size, pc);
    if (b->watches_own) own_access(b, address, size, kind, pc);
    return false;
  }
  if (address & (size - 1) && kind != ACCESS_COPY_READ)
    misaligned(b, address, size, pc);
  return true;
}

bool access_check(block *b, const void *pointer, uint32_t size,
                  access_kind kind, uint32_t pc) {
  return b->checks && check(b, pointer, size, kind, pc);
}

static void settle(access_log_memory *l, uint32_t lane) {
  const uint32_t at = lane * LOG_STRIDE + l->unknown[lane] - 1;
  l->values[at] = (stored){.known = true};
  memcpy(l->values[at].words, (const void *)l->entries[at].address,
         l->entries[at].key.size);
  l->unknown[lane] = 0;
}

void access_file(block *b, const void *pointer, uint32_t size, access_kind kind,
                 uint32_t pc) {
  if (!b->checks || !check(b, pointer, size, kind, pc)) return;
  const uint32_t lane = b->running->lane;
  access_log_memory *l = b->log;
  if (l->count[lane] == LOG_LENGTH) {
    l->cut |= 1u << lane;
    block_request(b, (request){.kind = REQUEST_YIELD, .pc = pc});
  }
  if (is_store(kind) && b->lane_stopped) {
    if (l->unknown[lane]) settle(l, lane);
    l->unknown[lane] = l->count[lane] + 1;
  }
  l->entries[lane * LOG_STRIDE + l->count[lane]++] =
      (lane_access){.key = {.pc = pc,
                            .size = (uint8_t)size,
                            .kind = (uint8_t)kind,
                            .shared = in_shared(b, pointer)},
                    .address = (uintptr_t)pointer};
}

/* ---- what gcc's -fsanitize=thread calls before each load and store of a
 * kernel: our own code answers, not the ThreadSanitizer library ---- */

void (*access_by_host)(const void *, size_t, bool, uint32_t);

static inline void see(const void *address, uint32_t size, access_kind kind,
                       uint32_t pc) {
  block *b = simt_here;
  if (b && b->checks)
    access_file(b, address, size, kind, pc);
  else if (!b && access_by_host)
    access_by_host(address, size, is_store(kind), pc);
}

/* The compiler does not know the alignment: nvcc would use pieces that are
 * aligned for sure, so pieces that are aligned here come nearest. */
static void see_pieces(const char *address, size_t size, access_kind kind,
                       uint32_t pc) {
  while (size > 0) {
    uint32_t piece = 16;
    while (piece > size || (uintptr_t)address % piece) piece /= 2;
    see(address, piece, kind, pc);
    address += piece;
    size -= piece;
  }
}

void access_registers(const void *registers, uint32_t size, access_kind kind,
                      uint32_t pc) {
  if (!is_on_stack(simt_here->running, registers))
    see_pieces(registers, size, kind, pc);
}

/* A volatile variable may be a flag that another thread will set: after
 * looking at it, let the others run. Before it is set, what came before must be
 * known to the check. */
static void see_volatile(const void *address, uint32_t size, access_kind kind,
                         uint32_t pc) {
  block *b = simt_here;
  see(address, size, kind, pc);
  if (!b) return;
  if (kind == ACCESS_VOLATILE_WRITE && b->fenced && b->shadow) {
    access_log_memory *l = b->log;
    const uint32_t lane = b->running->lane;
    if (l->unknown[lane]) /* others have to know of it before it is made */
      l->values[lane * LOG_STRIDE + l->unknown[lane] - 1].known = false;
    l->unknown[lane] = 0;
    block_request(b, (request){.kind = REQUEST_YIELD, .pc = pc});
  }
  if (kind == ACCESS_VOLATILE_READ)
    block_request(
        b, (request){.kind = REQUEST_SPIN,
                     .pc = pc,
                     .asks = true,
                     .spins_in = "a loop that reads a volatile variable"});
}

#define CALLBACK(name, size, answer, kind)                                     \
  void __tsan_##name##size(void *p) { answer(p, size, kind, CALLER); }
#define CALLBACKS(size)                                                        \
  CALLBACK(read, size, see, ACCESS_READ)                                       \
  CALLBACK(write, size, see, ACCESS_WRITE)                                     \
  CALLBACK(unaligned_read, size, see_pieces, ACCESS_READ)                      \
  CALLBACK(unaligned_write, size, see_pieces, ACCESS_WRITE)                    \
  CALLBACK(volatile_read, size, see_volatile, ACCESS_VOLATILE_READ)            \
  CALLBACK(volatile_write, size, see_volatile, ACCESS_VOLATILE_WRITE)

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

void __tsan_read_range(void *p, size_t size) {
  see_pieces(p, size, ACCESS_READ, CALLER);
}
void __tsan_write_range(void *p, size_t size) {
  see_pieces(p, size, ACCESS_WRITE, CALLER);
}

/* A kernel's; what the host does by them nobody looks at. */
static void see_range(const void *address, size_t size, access_kind kind,
                      uint32_t pc) {
  if (simt_here) see_pieces(address, size, kind, pc);
}
void *simt_memmove(void *to, const void *from, size_t size) {
  see_range(from, size, ACCESS_READ, CALLER);
  see_range(to, size, ACCESS_WRITE, CALLER);
  return memmove(to, from, size);
}
void *simt_memset(void *to, int byte, size_t size) {
  see_range(to, size, ACCESS_WRITE, CALLER);
  return memset(to, byte, size);
}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}

/* ---- what gcc calls that sees undefined behaviour ----
 *
 * -fsanitize=bounds: where an index leaves its array, before the access is
 * made: arrays of known size, a thread's own and shared ones, each row of a
 * two-dimensional one included. A thread that went on might overwrite the
 * executor's memory, so the launch ends.
 * -fsanitize=shift-exponent: where a shift goes as far as its number is wide,
 * which processors and GPUs answer differently.
 * -fsanitize=float-cast-overflow: the same where an integer cannot hold a
 * float; in a program it may be meant so, as CUDA says what comes out.
 * -fsanitize=alignment: a structure that begins where none of its type may,
 * even if its members are read one by one, and what is a thread's own. */

/* As gcc's library lays them out. */
typedef struct {
  uint16_t kind, bits; /* bits: the lowest for signed */
  char name[];
} type;
typedef struct {
  const char *file;
  uint32_t line, column;
  const type *checked, *by; /* the array or number, the index or shift */
} checked_place;

void __ubsan_handle_out_of_bounds(const checked_place *what, uintptr_t index) {
  const uint32_t pc = CALLER;
  block *b = simt_here;
  if (b && !b->checks) return;
  finding_report(b ? b : &finding_host, SIMT_INDEX, pc, 0,
                 b ? b->running->id : SIMT_HOST,
                 b ? b->running->id : SIMT_NO_THREAD,
                 "index %ld of an array, or of a row of one, of type %s",
                 (long)index, what->checked->name);
  if (b) block_abort(b, cudaErrorIllegalAddress);
}

void __ubsan_handle_shift_out_of_bounds(const checked_place *what,
                                        uintptr_t left, uintptr_t by) {
  (void)left;
  if (simt_here && simt_here->checks)
    FINDING_OF_RUNNING(simt_here, SIMT_USAGE, CALLER,
                       "a shift by %ld of a number of type %s", (long)by,
                       what->checked->name);
}

void __ubsan_handle_float_cast_overflow(const checked_place *what,
                                        uintptr_t value) {
  (void)value;
  if (!simt_here || !simt_here->checks) return;
  FINDING_OF_RUNNING(
      simt_here, launch_is_of_program ? SIMT_CAST : SIMT_USAGE, CALLER,
      "a number of type %s that one of type %s does not hold%s",
      what->checked->name, what->by->name,
      launch_is_of_program ? ": a GPU takes the nearest, this processor another"
                           : "");
}

typedef struct {
  const char *file;
  uint32_t line, column;
  const type *pointed_to;
  uint8_t log_alignment, kind;
} pointer_place;

void __ubsan_handle_type_mismatch_v1(const pointer_place *what,
                                     uintptr_t pointer) {
  if (simt_here && simt_here->checks)
    FINDING_OF_RUNNING(simt_here, SIMT_MISALIGNED, CALLER,
                       "one of type %s at %#lx, which is not a multiple of %u",
                       what->pointed_to->name, (unsigned long)pointer,
                       1u << what->log_alignment);
}

/* ---- from the logs of a warp's lanes to warp instructions: the lanes of a
 * real warp run together; the fibres ran one after the other, so their logs are
 * laid side by side again ---- */

enum { LOOK_AHEAD = 128 };

typedef struct {
  const lane_access *next[WARP_SIZE], *end[WARP_SIZE];
  uint32_t lanes; /* that have accesses left */
} logs;

void log_take(block *b, warp *w, const instruction *i) {
  site *s = site_find(b, NULL, i->key);
  const pattern *p = pattern_find(&s->pattern, i);
  const access_log_memory *l = b->log;
  for (uint32_t n = 0; n < l->look_count; n++) l->look[n](b, w, i, s, p);
}

/* The number of accesses until the log of `lane` reaches `key`. */
static uint32_t distance(const logs *l, uint32_t lane, access_key key) {
  const lane_access *a = l->next[lane];
  uint32_t steps = 0;
  while (a + steps < l->end[lane] && steps < LOOK_AHEAD) {
    if (a[steps].key.bits == key.bits) return steps;
    steps++;
  }
  return LOOK_AHEAD;
}

/* Lanes have diverged: whose turn is it? The hardware lets the lanes that are
 * behind catch up where the paths meet again. A lane is behind another when it
 * gets to the other's place sooner than the other gets to its own. */
static access_key turn(const logs *l) {
  uint32_t chosen = (uint32_t)__builtin_ctz(l->lanes);
  FOR_EACH_LANE(lane, l->lanes) {
    const access_key mine = l->next[lane]->key, other = l->next[chosen]->key;
    if (mine.bits == other.bits) continue;
    const uint32_t to_other = distance(l, lane, other);
    const uint32_t to_mine = distance(l, chosen, mine);
    if (to_other < to_mine || (to_other == to_mine && mine.pc < other.pc))
      chosen = lane;
  }
  return l->next[chosen]->key;
}

uint32_t log_latest_read(const block *b, uintptr_t address, uint32_t size) {
  const uint32_t lane = b->running->lane;
  const lane_access *first = &b->log->entries[lane * LOG_STRIDE];
  for (const lane_access *a = first + b->log->count[lane]; a-- > first;)
    if (a->key.kind == ACCESS_READ && a->address == address &&
        a->key.size == size)
      return a->key.pc;
  return 0;
}

static void lane_stopped(block *b, uint32_t lane) {
  if (b->log->unknown[lane]) settle(b->log, lane);
}

/* Gathers the lanes that are at `key` and moves them on. False when one of
 * them has nothing left. */
static bool step(const block *b, logs *l, access_key key, instruction *i) {
  const bool stores = is_store(key.kind) && b->lane_stopped;
  uint32_t ended = 0, taken = 0;
  uint64_t some = 0;
  FOR_EACH_LANE(lane, l->lanes) {
    const lane_access *a = l->next[lane];
    if (a->key.bits != key.bits) continue;
    some = i->address[lane] = a->address;
    if (stores) i->value[lane] = &b->log->values[a - b->log->entries];
    taken |= 1u << lane;
    l->next[lane] = a + 1;
    if (a + 1 == l->end[lane]) ended |= 1u << lane;
  }
  i->key = key;
  i->lanes = taken;
  if (taken != UINT32_MAX)
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
      if (!(taken >> lane & 1)) i->address[lane] = some;
  l->lanes &= ~ended;
  return ended == 0;
}

static bool together(const logs *l) {
  uint64_t different = 0;
  const uint64_t key = l->next[__builtin_ctz(l->lanes)]->key.bits;
  FOR_EACH_LANE(lane, l->lanes) different |= l->next[lane]->key.bits ^ key;
  return different == 0;
}

static bool keep_rest(block *b, warp *w, const logs *l) {
  w->held = 0;
  for (uint32_t lane = 0; lane < w->lanes; lane++) {
    const size_t left = (size_t)(l->end[lane] - l->next[lane]);
    memmove(&b->log->entries[lane * LOG_STRIDE], l->next[lane],
            left * sizeof(lane_access));
    memmove(&b->log->values[lane * LOG_STRIDE],
            &b->log->values[l->next[lane] - b->log->entries],
            left * sizeof *b->log->values);
    b->log->count[lane] = (uint32_t)left;
    if (left == LOG_LENGTH && b->log->cut >> lane & 1) w->held |= 1u << lane;
  }
  b->log->cut = w->held;
  return l->lanes != 0;
}

/* True where accesses are left over that wait for other lanes. */
static bool digest(block *b, warp *w) {
  logs l = {.lanes = 0};
  for (uint32_t lane = 0; lane < w->lanes; lane++) {
    const uint32_t count = b->log->count[lane];
    l.next[lane] = &b->log->entries[lane * LOG_STRIDE];
    l.end[lane] = l.next[lane] + count;
    if (count > 0) l.lanes |= 1u << lane;
  }
  instruction i;
  while (l.lanes) {
    const access_key key =
        together(&l) ? l.next[__builtin_ctz(l.lanes)]->key : turn(&l);
    const bool all_go_on = step(b, &l, key, &i);
    log_take(b, w, &i);
    /* What comes next for a lane that was cut is not known yet. */
    if (!all_go_on && b->log->cut & ~l.lanes) break;
  }
  return keep_rest(b, w, &l);
}

static void prepare(block *b) {
  if (!b->log) b->log = allocate_pages(sizeof *b->log, "its log of accesses");
  access_log_memory *l = b->log;
  l->look_count = l->look_at_own_count = 0;
  b->lane_stopped = b->checks & SIMT_RACES ? lane_stopped : NULL;
  for (mechanism *const *m = b->mechanisms; *m; m++) {
    if (!((*m)->checks & b->checks)) continue;
    if ((*m)->instruction) l->look[l->look_count++] = (*m)->instruction;
    if ((*m)->own_access)
      l->look_at_own[l->look_at_own_count++] = (*m)->own_access;
  }
}

static void start_block(block *b) {
  memset(b->log->count, 0, sizeof b->log->count);
  memset(b->log->unknown, 0, sizeof b->log->unknown);
  b->log->cut = 0;
  b->watches_own = false;
}

/* The latest entry may be half written, as may what the log says of it. */
static uint32_t interrupted(block *b, thread *t) {
  const uint32_t count = b->log->count[t->lane];
  b->log->count[t->lane] = b->log->unknown[t->lane] = 0;
  return count < 2 ? 0
                   : b->log->entries[t->lane * LOG_STRIDE + count - 2].key.pc;
}

mechanism access_log = {.name = "accesses",
                        .prepare = prepare,
                        .start_block = start_block,
                        .clear = sites_clear,
                        .warp_stopped = digest,
                        .interrupted = interrupted};
