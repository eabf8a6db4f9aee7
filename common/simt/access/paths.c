/* Do the lanes of a warp come together to an instruction that all of them must
 * make at once? They stop at one place here even where some are a turn of a
 * loop behind; on a GPU those that wait would wait elsewhere, or not at all.
 *
 * gcc's -fsanitize-coverage=trace-pc calls at the start of each basic block.
 * Since the warp was last together, each lane keeps the blocks that it has
 * passed. Where two lanes part, a GPU lets them go on together in the first
 * block that lies on every way from there to the end of the kernel. If they
 * come to the instruction before that block, and one has passed the place once
 * more where they parted, it is in another turn of a loop. Which ways there
 * are, the machine code says, by objdump; without it nothing is told. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/run/launch.h"

#include <pthread.h>

/* A block of the kernel's code, by the address behind that call. */
typedef struct {
  uint32_t pc;
  bool ends; /* the kernel may end before the next block */
  uint32_t *next;
  uint32_t count, capacity;
} code_block;

typedef struct {
  code_block *blocks; /* by address; none where its code cannot be read */
  uint32_t count, capacity;
} code_graph;

/* ---- from machine code to blocks ---- */

typedef struct {
  uint32_t pc, target; /* of a jump; else 0 */
  bool stops, ends, calls; /* goes nowhere; is a return; begins a block */
  bool seen;
} step;

typedef struct {
  step *all;
  uint32_t count, capacity;
} steps;

static bool read_steps(steps *s, uint32_t first, uint32_t last) {
  FILE *in = disassembly(first, last);
  char name[32], operands[256];
  unsigned long address;
  bool good = true;
  while (in && disassembly_next(in, &address, name, operands)) {
    MAKE_ROOM(s->all, s->count, s->capacity);
    step *new = &s->all[s->count++];
    *new = (step){.pc = (uint32_t)address,
                  .stops = !strcmp(name, "jmp") || !strncmp(name, "ud2", 3),
                  .ends = !strncmp(name, "ret", 3),
                  .calls = !strncmp(name, "call", 4) &&
                           strstr(operands, "<__sanitizer_cov_trace_pc")};
    if (*name != 'j') continue;
    new->target = (uint32_t)strtoul(operands, NULL, 16);
    good &= new->target >= first && new->target < last; /* or it is a table */
  }
  return in && pclose(in) == 0 && good && s->count > 0;
}

static uint32_t place_of(const steps *s, uint32_t pc) {
  uint32_t low = 0, high = s->count;
  while (low + 1 < high) {
    const uint32_t middle = (low + high) / 2;
    if (s->all[middle].pc <= pc)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* What comes behind a block: the next calls on all ways from step `at`. */
static void follow(steps *s, uint32_t at, code_block *from) {
  for (; at < s->count && !s->all[at].seen; at++) {
    step *here = &s->all[at];
    here->seen = true;
    if (here->calls && at + 1 < s->count) {
      MAKE_ROOM(from->next, from->count, from->capacity);
      from->next[from->count++] = here[1].pc;
      return;
    }
    from->ends |= here->ends;
    if (here->target) follow(s, place_of(s, here->target), from);
    if (here->stops || here->ends) return;
  }
}

static code_graph *read_graph(const void *kernel) {
  code_graph *g = allocate_zeros(1, sizeof *g);
  steps s = {0};
#ifdef __x86_64__
  const uint32_t first = (uint32_t)(uintptr_t)kernel;
  const bool good = read_steps(&s, first, first + symbol_size(kernel));
  for (uint32_t i = 0; good && i + 1 < s.count; i++) {
    if (!s.all[i].calls) continue;
    MAKE_ROOM(g->blocks, g->count, g->capacity);
    code_block *new = &g->blocks[g->count++];
    *new = (code_block){.pc = s.all[i + 1].pc};
    for (uint32_t k = 0; k < s.count; k++) s.all[k].seen = false;
    follow(&s, i + 1, new);
  }
#else
  (void)kernel, (void)read_steps, (void)follow;
#endif
  free(s.all);
  return g;
}

static const code_graph *graph_of(const void *kernel) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static map graphs;
  pthread_mutex_lock(&lock);
  code_graph *g = map_get(&graphs, (uintptr_t)kernel);
  if (!g) map_put(&graphs, (uintptr_t)kernel, g = read_graph(kernel));
  pthread_mutex_unlock(&lock);
  return g;
}

static const code_block *block_at(const code_graph *g, uint32_t pc) {
  for (uint32_t low = 0, high = g->count; low < high;) {
    const uint32_t middle = (low + high) / 2;
    if (g->blocks[middle].pc == pc) return &g->blocks[middle];
    if (g->blocks[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* ---- paths ---- */

enum { PATH_LENGTH = 500 }; /* blocks; who has passed more is not looked at */

typedef struct lane_path {
  uint32_t count, hash;
  uint32_t blocks[PATH_LENGTH];
} lane_path;

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __sanitizer_cov_trace_pc(void) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  if (!b) return;
  if (b->counting) b->counting[pc - (uintptr_t)&__executable_start]++;
  lane_path *p = b->running->path;
  if (!p) return;
  if (p->count < PATH_LENGTH) p->blocks[p->count] = pc;
  p->count++;
  p->hash = (p->hash ^ pc) * 0x9e3779b1 ^ p->hash >> 15;
}

void paths_join(const warp *w) {
  for (uint32_t i = 0; w->first->path && i < w->lanes; i++) {
    lane_path *p = w->first[i].path;
    const uint32_t last = p->count < PATH_LENGTH ? p->count : PATH_LENGTH;
    if (last) p->blocks[0] = p->blocks[last - 1];
    p->count = last > 0;
    p->hash = 0;
  }
}

/* From `from` to the kernel's end without `without`: is there a way? */
static bool reaches_end(const code_graph *g, const code_block *from,
                        const code_block *without, uint8_t *seen) {
  if (from == without || seen[from - g->blocks]) return false;
  seen[from - g->blocks] = true;
  if (from->ends) return true;
  for (uint32_t i = 0; i < from->count; i++)
    if (reaches_end(g, block_at(g, from->next[i]), without, seen)) return true;
  return false;
}

static bool is_on_every_way(const code_graph *g, const code_block *from,
                            const code_block *other) {
  uint8_t *seen = allocate_zeros(g->count, 1);
  bool none = !from->ends;
  for (uint32_t i = 0; i < from->count; i++)
    none &= !reaches_end(g, block_at(g, from->next[i]), other, seen);
  free(seen);
  return none;
}

/* The kernel's own blocks: a function that was not inlined is passed over. */
static uint32_t own_blocks(const code_graph *g, const lane_path *p,
                           const code_block **list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const code_block *own = block_at(g, p->blocks[i]);
    if (own) list[count++] = own;
  }
  return count;
}

static bool come_together(const code_graph *g, const lane_path *one,
                          const lane_path *other) {
  const code_block *a[PATH_LENGTH], *c[PATH_LENGTH];
  const uint32_t ends_a = own_blocks(g, one, a);
  const uint32_t ends_c = own_blocks(g, other, c);
  uint32_t i = 0, k = 0;
  for (;; i++, k++) {
    if (i == ends_a && k == ends_c) return true;
    if (i < ends_a && k < ends_c && a[i] == c[k]) continue;
    if (i == 0 || k == 0) return true; /* nobody knows where they parted */
    const code_block *parted = a[i - 1];
    if (is_on_every_way(g, parted, NULL)) return true; /* there is no end */
    bool again = false; /* one of them comes back there */
    for (; i < ends_a && !is_on_every_way(g, parted, a[i]); i++)
      again |= a[i] == parted;
    for (; k < ends_c && (i == ends_a || c[k] != a[i]); k++)
      again |= c[k] == parted;
    if (i == ends_a || k == ends_c) return !again;
  }
}

static bool meet(block *b, const warp *w) {
  const lane_path *first = w->first->path;
  for (uint32_t i = 1; i < w->lanes; i++) {
    const lane_path *p = w->first[i].path;
    if (p->hash == first->hash && p->count == first->count) continue;
    if (p->count > PATH_LENGTH || first->count > PATH_LENGTH) continue;
    const uint64_t key = (uint64_t)p->hash << 32 | first->hash;
    if (map_get(&b->paths_known, key)) continue;
    if (!come_together(graph_of(b->launch->kernel), first, p)) return false;
    map_put(&b->paths_known, key, b);
  }
  return true;
}

static void warp_meets(block *b, const warp *w, bool told) {
  if (!told && w->first->path && !meet(b, w))
    FINDING_OF_THREAD(b, SIMT_WARP_OPERATION, w->first,
                      "the lanes of a warp meet in %s, and some of them are in "
                      "another turn of a loop: a GPU lets those before them go "
                      "on alone",
                      mechanism_waits_in(&w->first->request));
  paths_join(w);
}

static void prepare(block *b) {
  const bool wanted = b->checks & SIMT_RACES;
  if (wanted && !b->paths)
    b->paths = allocate_pages(MAX_THREADS * sizeof *b->paths,
                              "the paths of its threads");
  for (uint32_t i = 0; i < b->thread_count; i++)
    b->threads[i].path = wanted ? &b->paths[i] : NULL;
  map_clear(&b->paths_known, false); /* of another kernel */
}

static void start_block(block *b) {
  for (thread *t = b->threads; t < b->threads + b->thread_count; t++)
    if (t->path) t->path->count = t->path->hash = 0;
}

static void block_barrier(block *b) {
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++) paths_join(w);
}

mechanism paths = {.name = "paths",
                   .prepare = prepare,
                   .start_block = start_block,
                   .block_barrier = block_barrier,
                   .warp_meets = warp_meets};
