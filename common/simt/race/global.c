/* Races between blocks. Nothing puts the blocks of a launch in order but flags:
 * a volatile store or an atomic after a __threadfence() hands on what the block
 * had done at that fence, and what it knew of others. An atomic on the same
 * word takes it at once, a volatile read at the next fence or __syncthreads().
 *
 * A word has five marks: the latest write, the latest atomic, a plain read, the
 * first one and whether other blocks have read as well, a volatile one, and one
 * by ld.global.nc.
 * That forgets some accesses, so a race may be missed, but none is made up.
 * Blocks run on several OS threads: each mark is one word of 64 bits. Who
 * accesses leaves its mark first and then looks at the others', so of two that
 * meet at least one sees the other. */

#include "common/simt/race/race.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* From the lowest bit: 4 of the bytes, 10 of the thread, 18 of the block
 * (counted from 1, and around), 32 of the program counter. */
typedef _Atomic uint64_t mark;
enum { NOBODY, MANY = (1 << 18) - 1 };

enum { WRITES, READS, ATOMICS, LOOKS, CONSTANTS, MARKS };
static mark *marks[MARKS]; /* [which][word] */
static atomic_bool any[MARKS]; /* in this launch; from atomics on */

/* More of the latest write. */
typedef struct {
  uint32_t value; /* where it is known */
  uint32_t epoch : 29; /* of its block: counts fences and __syncthreads() */
  bool is_known : 1, is_volatile : 1, released : 1;
} detail;
static detail *details;
static size_t mapped; /* words */

/* Mark and detail of a write go together. */
enum { STRIPES = 1024 };
static atomic_flag stripes[STRIPES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What a block knows of each, and what a flag hands on: rows of one entry a
 * block, null where there is nothing. More blocks than that are put in order by
 * when they have handed something on, and taken anything. */
enum { MAX_ROW = 4096 };
static block_share **known;
static map flags; /* rows by words */
static _Atomic uint32_t *gave, *took;
static uint64_t block_count;
static uint32_t exchanges;
bool global_is_coarse;

static size_t variable_words(void) { return variables_size() / 4 + 4; }

size_t global_word(uintptr_t address) {
  const uintptr_t offset = address - variables_low();
  return offset < variables_size()
             ? offset / 4
             : variable_words() + (address - arena_low) / 4;
}

size_t global_words(void) { return variable_words() + arena_high / 4 + 1; }

static void *remap(void *old, size_t size) {
  if (old) munmap(old, mapped * size);
  return allocate_pages(global_words() * size, "its race check");
}

void global_prepare(uint64_t blocks) {
  for (int i = 0; i < MARKS; i++) {
    marks[i] = remap(marks[i], sizeof(mark));
    any[i] = false;
  }
  details = remap(details, sizeof *details);
  mapped = global_words();
  for (uint64_t i = 0; known && i < block_count; i++) free(known[i]);
  map_clear(&flags, true);
  free(known);
  free(gave);
  known = allocate_zeros(blocks, sizeof *known);
  gave = allocate_zeros(2 * blocks, sizeof *gave);
  took = gave + blocks;
  block_count = blocks;
  exchanges = 0;
}

/* ---- flags, under the lock ---- */

static void join_one(block_share *to, block_share from) {
  if (from.all > to->all) to->all = from.all;
  if (from.own > to->own) {
    to->warps = from.warps | (to->own > from.all ? to->warps : 0);
    to->own = from.own;
  } else if (to->all < from.own) {
    to->warps |= from.warps;
  }
}

static void join(block_share **into, const block_share *from) {
  if (!from) return;
  if (!*into) *into = allocate_zeros(block_count, sizeof **into);
  for (uint64_t i = 0; i < block_count; i++) join_one(&(*into)[i], from[i]);
}

static void take(block *b, size_t word) {
  took[b->number] = ++exchanges;
  if (block_count <= MAX_ROW) join(&known[b->number], map_get(&flags, word));
}

/* A store hands on no more than what the block knows; an atomic adds it. */
static void give(block *b, size_t word, block_share mine, bool adds) {
  if (!gave[b->number]) gave[b->number] = ++exchanges;
  if (block_count > MAX_ROW) {
    global_is_coarse = true;
    return;
  }
  block_share *row = map_get(&flags, word);
  if (!row) {
    row = allocate_zeros(block_count, sizeof *row);
    map_put(&flags, word, row);
  } else if (!adds) {
    memset(row, 0, block_count * sizeof *row);
  }
  join_one(&row[b->number], mine);
  join(&row, known[b->number]);
}

static void take_looks(block *b) {
  if (!b->look_count) return;
  pthread_mutex_lock(&lock);
  for (uint32_t i = 0; i < b->look_count; i++) take(b, b->looks[i]);
  pthread_mutex_unlock(&lock);
  b->look_count = 0;
}

void global_start_block(block *b) {
  b->epoch = 2;
  b->barrier_epoch = 1;
  memset(b->fences, 0, sizeof b->fences);
  b->look_count = 0;
}

void global_fence(block *b, const thread *t) {
  const uint32_t w = t->id / WARP_SIZE;
  b->fences[w].barrier_epoch = b->barrier_epoch;
  b->fences[w].epoch = b->epoch++;
  take_looks(b);
}

/* What a thread of this warp hands on: what all did before the barrier that
 * came before its fence, what it did itself before that, and so what other
 * warps did before theirs, where a barrier came after it. */
static block_share share_of(const block *b, uint32_t thread) {
  const uint32_t own = thread / WARP_SIZE;
  block_share s = {.all = b->fences[own].barrier_epoch};
  if (!b->fenced) return s;
  for (uint32_t w = 0; w < b->warp_count; w++) {
    const uint32_t epoch = b->fences[w].epoch;
    if (!epoch || (w != own && epoch > b->barrier_epoch)) continue;
    s.warps |= 1u << w;
    if (epoch > s.own) s.own = epoch;
  }
  return s;
}

void global_block_barrier(block *b) {
  b->barrier_epoch = b->epoch++;
  take_looks(b);
}

static uint64_t number_of(const block *b) { return b->number % (MANY - 1) + 1; }

static uint32_t block_of(uint64_t m) { return m >> 14 & MANY; }
static uint32_t thread_of(uint64_t m) { return m >> 4 & (MAX_THREADS - 1); }
static uint32_t pc_of(uint64_t m) { return (uint32_t)(m >> 32); }

static uint64_t make(const block *b, uint32_t thread, uint32_t pc,
                     uint32_t bytes) {
  return (uint64_t)pc << 32 | number_of(b) << 14 | thread << 4 | bytes;
}

static bool knows_all(const block *b) {
  const block_share *row = known[b->number];
  for (uint64_t i = 0; row && i < block_count; i++)
    if (i != b->number && !row[i].own) return false;
  return row != NULL;
}

/* Has that block handed on what it did in that epoch, 0 for anything, and has
 * this one taken it? */
static bool is_ordered(const block *b, uint64_t m, uint32_t epoch) {
  const uint32_t other = block_of(m);
  if (other == MANY) return knows_all(b);
  if (other > block_count) return false;
  if (block_count > MAX_ROW) {
    const uint32_t when = atomic_load(&gave[other - 1]);
    return when && when <= atomic_load(&took[b->number]);
  }
  const block_share *row = known[b->number];
  if (!row) return false;
  const block_share s = row[other - 1];
  return s.own && (epoch <= s.all || (epoch <= s.own &&
                                      s.warps >> thread_of(m) / WARP_SIZE & 1));
}

static bool is_foreign(const block *b, uint64_t m, uint32_t bytes,
                       uint32_t epoch) {
  const uint32_t other = block_of(m);
  return other != NOBODY && other != number_of(b) && m & bytes &&
         !is_ordered(b, m, epoch);
}

static const char *const plain_note =
    "a plain write to a word of global memory that %s in the same launch: "
    "nothing puts blocks in order";
static const char *const volatile_note =
    "a volatile word of global memory that %s in the same launch: volatile "
    "puts nothing in order, a fence is missing";
static const char *const atomic_note =
    "a plain read of a word of global memory that %s by atomics in the same "
    "launch: nothing puts blocks in order";
static const char *const same_note =
    "a word of global memory that %s in the same launch: both store the same "
    "value";

/* The writer's place comes first, so that the words do not depend on who was
 * first in this run. */
__attribute__((noinline)) static finding *
tell(block *b, simt_finding_kind kind, const global_visit *v, uint64_t other,
     bool other_writes, const char *note, const char *verb) {
  const uint32_t number = block_of(other);
  const uint3 grid = b->launch->grid;
  const uint32_t i = number - 1;
  const unsigned own[] = {b->index.x, b->index.y, b->index.z};
  const unsigned index[] = {i % grid.x, i / grid.x % grid.y,
                            i / grid.x / grid.y};
  const bool swap = number < MANY && other_writes && pc_of(other) != v->pc;
  const unsigned *second = swap ? own : index;
  char who[64];
  finding *f = swap ? finding_note(b, kind, pc_of(other), v->pc,
                                   thread_of(other), v->thread)
                    : finding_note(b, kind, v->pc, pc_of(other), v->thread,
                                   thread_of(other));
  if (!f) return NULL;
  if (swap) memcpy(f->said.block, index, sizeof index);
  if (swap) f->said.block_number = i;
  finding_locate(b, f, v->address);
  if (number == MANY)
    snprintf(who, sizeof who, "other blocks %s", verb);
  else
    snprintf(who, sizeof who, "block (%u, %u, %u) %ss", second[0], second[1],
             second[2], verb);
  snprintf(f->said.sentence, sizeof f->said.sentence, note, who);
  return f;
}

/* The bytes of a word, from four bits. */
static uint32_t mask_of(uint32_t bytes) {
  return (bytes * 0x00204081 & 0x01010101) * 0xff;
}

/* The latest write as one piece. */
static uint64_t latest_write(size_t word, detail *d, uint64_t next,
                             const detail *with) {
  atomic_flag *stripe = &stripes[word % STRIPES];
  while (atomic_flag_test_and_set_explicit(stripe, memory_order_acquire)) {}
  uint64_t old = atomic_load_explicit(&marks[WRITES][word],
                                      memory_order_relaxed);
  *d = details[word];
  if (with) {
    const uint32_t kept = block_of(old) == block_of(next)
                              ? (uint32_t)(old & 15) & ~(uint32_t)next
                              : 0;
    atomic_store(&marks[WRITES][word], next | kept);
    details[word] = *with;
    details[word].is_known &= !kept || d->is_known;
    details[word].value &= ~mask_of(kept);
    details[word].value |= d->value & mask_of(kept);
  }
  atomic_flag_clear_explicit(stripe, memory_order_release);
  return old;
}

static finding *look(block *b, const global_visit *v, uint32_t bytes, int which,
                     const char *note, const char *verb) {
  if (which != READS && !any[which]) return NULL;
  const uint64_t m = atomic_load(&marks[which][global_word(v->address)]);
  return is_foreign(b, m, bytes, 0)
             ? tell(b, SIMT_RACE, v, m, false, note, verb)
             : NULL;
}

/* The latest write, if another block's that nothing puts in order; else 0. */
static uint64_t foreign_write(const block *b, size_t word, uint32_t bytes,
                              detail *d) {
  const uint64_t seen = atomic_load(&marks[WRITES][word]);
  if (block_of(seen) == NOBODY || block_of(seen) == number_of(b)) return 0;
  const uint64_t m = latest_write(word, d, 0, NULL);
  return is_foreign(b, m, bytes, d->epoch) ? m : 0;
}

/* What is read as a constant, and what is written, in the same launch. */
static void check_constant(block *b, uintptr_t address, uint64_t reads,
                           uint64_t writes) {
  if (!block_of(reads) || !block_of(writes) || !(reads & writes & 15)) return;
  finding_locate(
      b,
      finding_report(b, SIMT_USAGE, pc_of(reads), pc_of(writes),
                     thread_of(reads), thread_of(writes),
                     "__ldg() reads what the same launch writes: it is for "
                     "what stays the same while the kernel runs"),
      address);
}

static void check_constants(block *b, uintptr_t address, uint64_t writes) {
  if (any[CONSTANTS])
    check_constant(b, address,
                   atomic_load(&marks[CONSTANTS][global_word(address)]),
                   writes);
}

void simt_use_global(const void *pointer, size_t read_only) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  const uintptr_t address = (uintptr_t)pointer;
  const char *space = access_space(b, pointer);
  if (space)
    BLOCK_MISUSE(pc,
                 "__ldg() and its like load from global memory, or store "
                 "there, and this address is in %s memory",
                 space);
  if (!b->shadow || !read_only || !arena_contains(pointer, read_only)) return;
  any[CONSTANTS] = true;
  for (uintptr_t at = address & ~(uintptr_t)3; at < address + read_only;
       at += 4) {
    const uint32_t bytes =
        read_only < 4 ? ((1u << read_only) - 1) << address % 4 : 15;
    const uint64_t mine = make(b, b->running->id, pc, bytes & 15);
    const size_t word = global_word(at);
    atomic_store(&marks[CONSTANTS][word], mine);
    check_constant(b, at, mine, atomic_load(&marks[WRITES][word]));
    check_constant(b, at, mine, atomic_load(&marks[ATOMICS][word]));
  }
}

static void write(block *b, const global_visit *v, uint32_t bytes) {
  const size_t word = global_word(v->address);
  check_constants(b, v->address, make(b, v->thread, v->pc, bytes));
  const detail mine = {.value = v->value,
                       .epoch = b->epoch & 0x1fffffff,
                       .is_known = v->is_known,
                       .is_volatile = v->is_volatile,
                       .released = v->is_volatile &&
                                   share_of(b, v->thread).own};
  detail d;
  const uint64_t old =
      latest_write(word, &d, make(b, v->thread, v->pc, bytes), &mine);
  if (is_foreign(b, old, bytes, d.epoch)) {
    const uint32_t both = mask_of((uint32_t)old & bytes);
    if (mine.is_known && d.is_known && !((mine.value ^ d.value) & both))
      tell(b, SIMT_SAME_VALUE, v, old, true, same_note, "use");
    else
      tell(b, SIMT_RACE, v, old, true, plain_note, "use");
  }
  look(b, v, bytes, READS, plain_note, v->is_volatile ? "read" : "use");
  if (!v->is_volatile) look(b, v, bytes, ATOMICS, plain_note, "use");
  finding *f = look(b, v, bytes, LOOKS,
                    v->is_volatile ? volatile_note : plain_note, "use");
  if (f && mine.released) f->flag_pc = f->other_pc;
}

static void read(block *b, const global_visit *v, uint32_t bytes) {
  const uint64_t mine = make(b, v->thread, v->pc, bytes);
  if (v->is_volatile) any[LOOKS] = true;
  mark *own = &marks[v->is_volatile ? LOOKS : READS][global_word(v->address)];
  uint64_t old = atomic_load_explicit(own, memory_order_relaxed), next;
  do {
    const bool foreign = block_of(old) && block_of(old) != block_of(mine);
    next = !block_of(old) || (foreign && is_ordered(b, old, 0)) ? mine
                                                                : old | bytes;
    if (foreign && next != mine) next |= (uint64_t)MANY << 14;
  } while (next != old && !atomic_compare_exchange_weak(own, &old, next));
  detail d;
  const uint64_t m = foreign_write(b, global_word(v->address), bytes, &d);
  const bool both = v->is_volatile && m && d.is_volatile;
  finding *f = m ? tell(b, SIMT_RACE, v, m, true,
                        both ? volatile_note : plain_note, "use")
                 : NULL;
  if (f && v->is_volatile && d.released) f->flag_pc = v->pc;
  if (v->is_volatile) return;
  f = look(b, v, bytes, ATOMICS, atomic_note, "change");
  if (f) f->look_pc = v->pc;
}

void global_access(block *b, const global_visit *v) {
  const uint32_t bytes = ((1u << v->size) - 1) << v->address % 4;
  const size_t word = global_word(v->address);
  if (v->writes)
    write(b, v, bytes);
  else
    read(b, v, bytes);
  if (!v->is_volatile) return;
  if (!v->writes) {
    for (uint32_t i = 0; i < b->look_count; i++)
      if (b->looks[i] == word) return;
    if (b->look_count == MAX_LOOKS) take_looks(b);
    b->looks[b->look_count++] = word;
    return;
  }
  const block_share mine = share_of(b, v->thread);
  if (!mine.own) return;
  pthread_mutex_lock(&lock);
  give(b, word, mine, false);
  pthread_mutex_unlock(&lock);
}

/* ---- atomics ---- */

void global_atomic_begin(block *b, uintptr_t address, uint32_t size,
                         uint32_t pc) {
  global_visit v = {.thread = b->running->id, .pc = pc, .writes = true};
  const block_share mine = share_of(b, v.thread);
  any[ATOMICS] = true;
  pthread_mutex_lock(&lock);
  for (v.address = address; v.address < address + size; v.address += 4) {
    const size_t word = global_word(v.address);
    atomic_store(&marks[ATOMICS][word], make(b, v.thread, pc, 15));
    check_constants(b, v.address, make(b, v.thread, pc, 15));
    take(b, word);
    detail d;
    const uint64_t w = foreign_write(b, word, 15, &d);
    if (w && !d.is_volatile) tell(b, SIMT_RACE, &v, w, true, plain_note, "use");
    finding *f = look(b, &v, 15, READS,
                      "an atomic on a word of global memory that %s plainly in "
                      "the same launch: nothing puts blocks in order",
                      "read");
    if (f) f->look_pc = f->other_pc;
    if (mine.own) give(b, word, mine, true);
  }
}

void global_atomic_end(void) { pthread_mutex_unlock(&lock); }
