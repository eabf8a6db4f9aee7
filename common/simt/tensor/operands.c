/* A word of memory for each word of a thread's stack: who holds it, or when the
 * thread has used it last. */

#include "common/simt/tensor/product.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "common/harness/program.h"

typedef struct {
  uint32_t pc;    /* of the product that holds the word, or of the access */
  uint32_t state; /* an operand_use, or the fences so far, and some */
} word;

enum { WORDS = STACK_SIZE / 4, FIRST_EPOCH = 16 };

typedef struct {
  uint32_t epoch; /* counts fences, and goes on from block to block */
  word words[WORDS];
} operand_map;

typedef struct {
  const uint8_t *stacks; /* that the maps are of */
  operand_map *maps[MAX_THREADS];
} state;

static operand_map **place_of(const block *b, const thread *t) {
  state *s = mechanism_state(b, &operand_check);
  return &s->maps[t->id];
}

static operand_map *map_of(const block *b, const thread *t) {
  operand_map **place = place_of(b, t);
  if (*place) return *place;
  void *memory = mmap(NULL, sizeof(operand_map), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fputs("The executor has no memory left for its register check.\n", stderr);
    exit(EXIT_IMPOSSIBLE);
  }
  *place = memory;
  (*place)->epoch = FIRST_EPOCH;
  return *place;
}

/* New threads have new stacks. */
static void prepare(block *b) {
  state *s = mechanism_state(b, &operand_check);
  if (s->stacks == b->threads[0].stack) return;
  for (uint32_t i = 0; i < MAX_THREADS; i++) {
    if (s->maps[i]) munmap(s->maps[i], sizeof *s->maps[i]);
    s->maps[i] = NULL;
  }
  s->stacks = b->threads[0].stack;
}

void operands_watch(block *b) { b->watches_own = b->checks & SIMT_RACES; }

/* The words of an operand on the stack: none where it lies elsewhere. */
static word *find(const block *b, const thread *t, const void *address,
                  uint32_t *count) {
  operand_map *map = *place_of(b, t);
  const uintptr_t offset = (uintptr_t)address - (uintptr_t)t->stack;
  if (!map || offset >= STACK_SIZE) *count = 0;
  return *count ? &map->words[offset / 4] : NULL;
}

__attribute__((noinline)) static void touched(block *b, const word *w,
                                              bool writes, uint32_t pc) {
  const bool a = w->state == OPERAND_A;
  const uint32_t id = b->running->id;
  finding_report(b, a ? SIMT_OPERAND : SIMT_ACCUMULATOR, pc, w->pc, id, id,
                 "%s while a product that %s it is under way: no wait for it",
                 !writes ? "the thread reads the accumulator"
                 : a     ? "the thread changes registers of A"
                         : "the thread changes the accumulator",
                 a ? "reads" : "writes");
}

static void own_access(block *b, uintptr_t address, uint32_t size, bool writes,
                       uint32_t pc) {
  const thread *t = b->running;
  uint32_t count = (uint32_t)(((address & 3) + size + 3) / 4);
  const uint32_t epoch = map_of(b, t)->epoch;
  word *first = find(b, t, (const void *)address, &count);
  for (uint32_t i = 0; i < count; i++) {
    word *w = &first[i];
    if (w->state == OPERAND_ACCUMULATOR || (w->state == OPERAND_A && writes))
      touched(b, w, writes, pc);
    if (w->state >= FIRST_EPOCH || w->state == 0) *w = (word){pc, epoch};
  }
}

mechanism operand_check = {.name = "operands",
                           .state_size = sizeof(state),
                           .prepare = prepare,
                           .checks = SIMT_RACES,
                           .own_access = own_access};

void operands_fence(block *b, const thread *t) {
  if (b->watches_own) map_of(b, t)->epoch++;
}

static void set(const block *b, const thread *t, const void *operand,
                uint32_t count, word value) {
  if (!b->watches_own) return;
  word *w = find(b, t, operand, &count);
  for (uint32_t i = 0; i < count; i++) w[i] = value;
}

void operands_take(block *b, const thread *t, const void *operand,
                   uint32_t words, operand_use use, uint32_t pc) {
  set(b, t, operand, words, (word){pc, use});
}

void operands_give_back(block *b, const thread *t, const void *operand,
                        uint32_t words) {
  set(b, t, operand, words, (word){0, 0});
}

uint32_t operands_unfenced(const block *b, const thread *t,
                           const void *operand, uint32_t words) {
  if (!b->watches_own) return 0;
  const word *w = find(b, t, operand, &words);
  for (uint32_t i = 0; i < words; i++)
    if (w[i].state == (*place_of(b, t))->epoch) return w[i].pc;
  return 0;
}
