/* A word of memory for each word of a thread's stack: who holds it, or when the
 * thread has used it last. */

#include "common/simt/tensor/operands.h"
#include "common/simt/run/flaws.h"

#include <stdlib.h>
#include <sys/mman.h>

typedef struct {
  uint32_t pc;    /* of the product that holds the word, or of the access */
  uint32_t state; /* an operand_use, or the fences so far, and some */
} word;

enum { WORDS = STACK_SIZE / 4, FIRST_EPOCH = 16 };

typedef struct operand_map {
  uint32_t epoch; /* counts fences, and goes on from block to block */
  word words[WORDS];
} operand_map;

static operand_map *map_of(thread *t) {
  if (t->operands) return t->operands;
  void *memory = mmap(NULL, sizeof(operand_map), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fputs("The executor has no memory left for its register check.\n", stderr);
    exit(3);
  }
  t->operands = memory;
  t->operands->epoch = FIRST_EPOCH;
  return t->operands;
}

void operands_release_memory(thread *t) {
  if (t->operands) munmap(t->operands, sizeof *t->operands);
  t->operands = NULL;
}

/* The words of an operand on the stack: none where it lies elsewhere. */
static word *find(const thread *t, const void *address, uint32_t *count) {
  const uintptr_t offset = (uintptr_t)address - (uintptr_t)t->stack;
  if (!t->operands || offset >= STACK_SIZE) *count = 0;
  return *count ? &t->operands->words[offset / 4] : NULL;
}

__attribute__((noinline)) static void
touched(block *b, const word *w, access_kind kind, uint32_t pc) {
  const bool a = w->state == OPERAND_A;
  const uint32_t id = b->running->id;
  flaw_report(b, a ? SIMT_OPERAND : SIMT_ACCUMULATOR, pc, w->pc, id, id,
              "%s while a product that %s it is under way: no wait for it",
              kind == ACCESS_READ ? "the thread reads the accumulator"
              : a                 ? "the thread changes registers of A"
                                  : "the thread changes the accumulator",
              a ? "reads" : "writes");
}

void operands_access(block *b, uintptr_t address, uint32_t size,
                     access_kind kind, uint32_t pc) {
  thread *t = b->running;
  uint32_t count = (uint32_t)(((address & 3) + size + 3) / 4);
  const uint32_t epoch = map_of(t)->epoch;
  word *first = find(t, (const void *)address, &count);
  for (uint32_t i = 0; i < count; i++) {
    word *w = &first[i];
    if (w->state == OPERAND_ACCUMULATOR ||
        (w->state == OPERAND_A && kind != ACCESS_READ))
      touched(b, w, kind, pc);
    if (w->state >= FIRST_EPOCH || w->state == 0) *w = (word){pc, epoch};
  }
}

void operands_fence(block *b, thread *t) {
  if (b->tracks_operands) map_of(t)->epoch++;
}

static void set(const block *b, const thread *t, const void *operand,
                uint32_t count, word value) {
  if (!b->tracks_operands) return;
  word *w = find(t, operand, &count);
  for (uint32_t i = 0; i < count; i++) w[i] = value;
}

void operands_take(block *b, thread *t, const void *operand, uint32_t words,
                   operand_use use, uint32_t pc) {
  set(b, t, operand, words, (word){pc, use});
}

void operands_give_back(block *b, thread *t, const void *operand,
                        uint32_t words) {
  set(b, t, operand, words, (word){0, 0});
}

uint32_t operands_unfenced(const block *b, const thread *t,
                           const void *operand, uint32_t words) {
  if (!b->tracks_operands) return 0;
  const word *w = find(t, operand, &words);
  for (uint32_t i = 0; i < words; i++)
    if (w[i].state == t->operands->epoch) return w[i].pc;
  return 0;
}
