/* Races between blocks. Nothing puts the blocks of a launch in order, but for
 * an atomic of each with a __threadfence() before the first one's. A word has
 * three marks: the latest plain write, the latest atomic, and a plain read, the
 * first one and whether other blocks have read as well. That forgets some
 * accesses, so a race may be missed, but none is made up. Blocks run on several
 * OS threads: each mark is one word of 64 bits, which no lock protects. Who
 * writes leaves its mark first and then looks at the others', so of two that
 * meet at least one sees the other. */

#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"
#include "common/simt/run/finding.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* From the lowest bit: 4 of the bytes, 10 of the thread, 18 of the block
 * (counted from 1, and around), 32 of the program counter. */
typedef _Atomic uint64_t mark;
enum { NOBODY, MANY = (1 << 18) - 1 };

static mark *marks[3]; /* [which][word] */
enum { WRITES, READS, ATOMICS };
static size_t mapped; /* words */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* How many atomics there were when a block first gave away what it had
 * written, and when it last took; 0 for never. */
static _Atomic uint32_t *gave, *took;
static uint64_t block_count;
static uint32_t atomics;

static size_t variable_words(void) { return variables_size() / 4 + 4; }

size_t global_word(uintptr_t address) {
  const uintptr_t offset = address - variables_low();
  return offset < variables_size()
             ? offset / 4
             : variable_words() + (address - arena_low) / 4;
}

size_t global_words(void) { return variable_words() + arena_high / 4 + 1; }

void global_prepare(uint64_t blocks) {
  for (int i = 0; i < 3; i++) {
    if (marks[i]) munmap(marks[i], mapped * sizeof(mark));
    marks[i] = mmap(NULL, global_words() * sizeof(mark), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (marks[i] == MAP_FAILED) abort();
  }
  mapped = global_words();
  free(gave);
  gave = calloc(2 * blocks, sizeof *gave);
  if (!gave) abort();
  took = gave + blocks;
  block_count = blocks;
  atomics = 0;
}

/* ---- marks ---- */

static uint64_t number_of(const block *b) { return b->number % (MANY - 1) + 1; }

static uint32_t block_of(uint64_t m) { return m >> 14 & MANY; }
static uint32_t thread_of(uint64_t m) { return m >> 4 & (MAX_THREADS - 1); }
static uint32_t pc_of(uint64_t m) { return (uint32_t)(m >> 32); }

static uint64_t make(const block *b, uint32_t thread, uint32_t pc,
                     uint32_t bytes) {
  return (uint64_t)pc << 32 | number_of(b) << 14 | thread << 4 | bytes;
}

/* Has that block given away what it had written before this one last took? */
static bool is_ordered(const block *b, uint32_t other) {
  const uint32_t when = other < MANY && other <= block_count
                            ? atomic_load(&gave[other - 1])
                            : 0;
  return when && when <= atomic_load(&took[b->number]);
}

/* The writer's place comes first, so that the words do not depend on who was
 * first in this run. */
__attribute__((noinline)) static void tell(block *b, uint32_t thread,
                                           uint32_t pc, uintptr_t address,
                                           uint64_t other, bool other_writes) {
  const uint32_t number = block_of(other);
  const uint3 grid = b->launch->grid;
  const uint32_t i = number - 1;
  const uint3 index = {i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y};
  const bool swap =
      number < MANY && other_writes && pc_of(other) != pc;
  const uint3 second = swap ? b->index : index;
  finding *f = swap ? finding_note(b, SIMT_RACE, pc_of(other), pc,
                                   thread_of(other), thread)
                    : finding_note(b, SIMT_RACE, pc, pc_of(other), thread,
                                   thread_of(other));
  if (!f) return;
  if (swap) f->block_index = index, f->block_number = i;
  finding_locate(b, f, address);
  if (number == MANY)
    snprintf(f->sentence, sizeof f->sentence,
             "a plain write to a word of global memory that other blocks read "
             "in the same launch: nothing puts blocks in order");
  else
    snprintf(f->sentence, sizeof f->sentence,
             "a plain write to a word of global memory that block (%u, %u, %u) "
             "uses in the same launch: nothing puts blocks in order",
             second.x, second.y, second.z);
}

static bool is_foreign(const block *b, uint64_t m, uint32_t bytes) {
  const uint32_t other = block_of(m);
  return other != NOBODY && other != number_of(b) && m & bytes &&
         !is_ordered(b, other);
}

static void look(block *b, uint32_t thread, uint32_t pc, uintptr_t address,
                 uint32_t bytes, int which) {
  const uint64_t m = atomic_load(&marks[which][global_word(address)]);
  if (is_foreign(b, m, bytes))
    tell(b, thread, pc, address, m, which == WRITES);
}

void global_access(block *b, uint32_t thread, uint32_t pc, uintptr_t address,
                   uint32_t size, bool writes) {
  const uint32_t bytes = ((1u << size) - 1) << address % 4;
  const uint64_t mine = make(b, thread, pc, bytes);
  mark *own = &marks[writes ? WRITES : READS][global_word(address)];
  uint64_t old = atomic_load_explicit(own, memory_order_relaxed);
  if (writes) {
    old = atomic_exchange(own, block_of(old) == block_of(mine)
                                   ? mine | (old & 15)
                                   : mine);
    if (is_foreign(b, old, bytes)) tell(b, thread, pc, address, old, true);
    look(b, thread, pc, address, bytes, READS);
    look(b, thread, pc, address, bytes, ATOMICS);
    return;
  }
  uint64_t next;
  do {
    next = !block_of(old) ? mine : old | bytes;
    if (block_of(old) && block_of(old) != block_of(mine))
      next |= (uint64_t)MANY << 14;
  } while (next != old && !atomic_compare_exchange_weak(own, &old, next));
  look(b, thread, pc, address, bytes, WRITES);
}

/* ---- atomics ---- */

void global_atomic_begin(block *b, uintptr_t address, uint32_t size,
                         uint32_t pc) {
  const uint32_t thread = b->running->id;
  pthread_mutex_lock(&lock);
  for (uintptr_t word = address; word < address + size; word += 4) {
    atomic_store(&marks[ATOMICS][global_word(word)], make(b, thread, pc, 15));
    look(b, thread, pc, word, 15, WRITES);
  }
  atomics++;
  if (b->fenced && !gave[b->number]) gave[b->number] = atomics;
  took[b->number] = atomics;
}

void global_atomic_end(block *b) {
  (void)b;
  pthread_mutex_unlock(&lock);
}
