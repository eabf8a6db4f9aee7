/* Counts warp instructions as a profiler does, and float operations. */

#include "common/simt/access/access.h"
#include "common/simt/run/launch.h"

#include <unistd.h>

static void count(block *b, warp *w, const instruction *i, site *s,
                  const pattern *p) {
  (void)b, (void)w;
  const access_kind kind = (access_kind)i->key.kind;
  simt_counters *c = &s->counters;
  const uint32_t lanes = (uint32_t)__builtin_popcount(i->lanes);
  if (kind == ACCESS_COPY_DONE || kind == ACCESS_MBARRIER) return;
  c->lane_accesses += lanes;
  if (kind == ACCESS_ATOMIC) c->atomics++;
  if (kind == ACCESS_COPY_WRITE) {
    c->async_copies++;
    c->async_copy_bytes += lanes * i->key.size;
  }
  if (i->key.shared) {
    c->shared_wavefronts += p->wavefronts;
    c->shared_wavefronts_ideal += p->wavefronts_ideal;
    c->bank_conflicts += p->wavefronts - p->wavefronts_ideal;
    if (kind == ACCESS_LDMATRIX) c->ldmatrix++;
    if (is_store(kind) || kind == ACCESS_STMATRIX)
      c->shared_stores++;
    else if (kind != ACCESS_COPY_WRITE)
      c->shared_loads++;
    return;
  }
  c->global_sectors_ideal += p->sectors_ideal;
  if (is_store(kind)) {
    c->global_stores++;
    c->global_store_sectors += p->sectors;
  } else {
    c->global_loads++;
    c->global_load_sectors += p->sectors;
  }
}

mechanism counters = {
    .name = "counters", .checks = SIMT_COUNTS, .instruction = count};

/* ---- from the addresses of a warp instruction to what memory makes of them
 * ---- */

enum { BANKS = 32, SECTOR = 32 };

static bool in_pairs(const instruction *i, uint32_t distance) {
  FOR_EACH_LANE(lane, i->lanes) {
    const uint32_t other = lane ^ distance;
    if (i->lanes >> other & 1 && i->address[lane] != i->address[other])
      return false;
  }
  return true;
}

/* How many lanes shared memory serves together: all where each needs up to 4
 * bytes, half of them with 8, a quarter with 16. Twice as many, measured on an
 * H200, where neighbours, or lanes two apart, load the same; not in stores. */
static uint32_t lanes_together(const instruction *i) {
  const uint32_t size = i->key.size;
  if (size <= 4) return WARP_SIZE;
  const uint32_t lanes = size == 8 ? 16 : 8;
  const bool pairs =
      i->key.kind == ACCESS_READ && (in_pairs(i, 1) || in_pairs(i, 2));
  return pairs ? 2 * lanes : lanes;
}

/* Shared memory has 32 banks of 4 bytes. Two different words of one bank wait
 * for each other; one word serves all lanes that ask for it. */
static void count_wavefronts(const instruction *i, pattern *p) {
  const uint32_t together = lanes_together(i);
  const uint32_t words = i->key.size <= 4 ? 1 : i->key.size / 4;
  for (uint32_t begin = 0; begin < WARP_SIZE; begin += together) {
    uint64_t seen[BANKS][WARP_SIZE];
    uint32_t depth[BANKS] = {0}, deepest = 0;
    for (uint32_t lane = begin; lane < begin + together; lane++) {
      if (!(i->lanes >> lane & 1)) continue;
      for (uint32_t k = 0; k < words; k++) {
        const uint64_t word = i->address[lane] / 4 + k;
        const uint32_t bank = word % BANKS;
        uint32_t n = 0;
        while (n < depth[bank] && seen[bank][n] != word) n++;
        if (n < depth[bank]) continue;
        seen[bank][depth[bank]++] = word;
        if (depth[bank] > deepest) deepest = depth[bank];
      }
    }
    p->wavefronts += deepest;
    p->wavefronts_ideal += deepest > 0;
  }
}

/* Global memory moves in sectors of 32 bytes. An access lies in one of them,
 * for it is aligned. */
static void count_sectors(const instruction *i, pattern *p) {
  uint64_t sectors[WARP_SIZE];
  uint32_t count = 0;
  FOR_EACH_LANE(lane, i->lanes) {
    const uint64_t sector = i->address[lane] / SECTOR;
    uint32_t n = 0;
    while (n < count && sectors[n] != sector) n++;
    if (n == count) sectors[count++] = sector;
  }
  p->sectors = count;
  p->sectors_ideal = (p->unit_count * p->unit_size + SECTOR - 1) / SECTOR;
}

static void list_units(const instruction *i, pattern *p) {
  enum { SLOTS = 256 };
  uint8_t slots[SLOTS] = {0}; /* index + 1 */
  p->unit_size = i->key.size > 4 ? 4 : i->key.size;
  p->unit_count = 0;
  const uint32_t per_lane = i->key.size / p->unit_size;
  FOR_EACH_LANE(lane, i->lanes) {
    for (uint32_t k = 0; k < per_lane; k++) {
      const uint32_t offset = (uint32_t)p->relative[lane] + k * p->unit_size;
      uint32_t slot = offset / p->unit_size % SLOTS;
      while (slots[slot] && p->units[slots[slot] - 1].offset != offset)
        slot = (slot + 1) % SLOTS;
      if (!slots[slot]) {
        p->units[p->unit_count] = (unit){.offset = offset};
        slots[slot] = (uint8_t)++p->unit_count;
      }
      p->units[slots[slot] - 1].lanes |= 1u << lane;
    }
  }
}

const pattern *pattern_find(pattern *p, const instruction *i) {
  const uint32_t first = (uint32_t)__builtin_ctz(i->lanes);
  const uint64_t base = i->address[first];
  /* All banks are alike, so only the place within a word matters there. */
  const uint32_t phase = base % (i->key.shared ? 4 : SECTOR);
  int64_t relative[WARP_SIZE];
  for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
    relative[lane] = (int64_t)(i->address[lane] - base);
  if (p->lanes == i->lanes && p->phase == phase &&
      !memcmp(p->relative, relative, sizeof relative))
    return p;
  p->lanes = i->lanes;
  p->phase = phase;
  p->first = first;
  p->wavefronts = p->wavefronts_ideal = p->sectors = p->sectors_ideal = 0;
  memcpy(p->relative, relative, sizeof relative);
  list_units(i, p);
  if (i->key.shared)
    count_wavefronts(i, p);
  else
    count_sectors(i, p);
  return p;
}

/* ---- sites: one for each operation at each program counter ---- */

site *site_find(block *b, const char *operation, access_key key) {
  site *s = map_get(&b->sites, key.bits);
  if (s) return s;
  s = allocate_zeros(1, sizeof *s);
  s->key = key;
  s->operation = operation;
  map_put(&b->sites, key.bits, s);
  return s;
}

simt_counters *site_counters(block *b, const char *operation, uint32_t pc) {
  if (!(b->checks & SIMT_COUNTS)) return &b->uncounted;
  return &site_find(b, operation, (access_key){.pc = pc})->counters;
}

void sites_clear(block *b) { map_clear(&b->sites, true); }

/* ---- floating-point operations by source line ----
 *
 * gcc's -fsanitize-coverage=trace-pc calls the function below at the start of
 * each basic block; what a block computes is read from the program's own
 * machine code, once, by objdump. */

/* Of the block that this OS thread runs, in a launch that counts, or null: each
 * basic block asks for it. */
_Thread_local uint64_t *simt_counting;

/* One number an address of the code. */
static void prepare(block *b) {
  const size_t length = (size_t)(&etext - &__executable_start);
  if (b->checks & SIMT_COUNTS && !b->passes)
    b->passes = allocate_zeros(length, sizeof *b->passes);
}

static void start_block(block *b) {
  simt_counting = b->checks & SIMT_COUNTS ? b->passes : NULL;
}

static void end_block(block *b) {
  (void)b;
  simt_counting = NULL;
}

static void clear(block *b) {
  free(b->passes);
  b->passes = NULL;
}

mechanism arithmetic_counter = {.name = "arithmetic",
                                .prepare = prepare,
                                .start_block = start_block,
                                .end_block = end_block,
                                .clear = clear};

static size_t place_of(uint32_t pc) {
  return pc - (uintptr_t)&__executable_start;
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __sanitizer_cov_trace_pc(void) {
  if (simt_counting) simt_counting[place_of(CALLER)]++;
}

/* ---- what the program's code computes ---- */

typedef struct {
  uint32_t pc;
  uint8_t operations;
  bool ends_block;
} step;

static struct {
  step *steps;
  size_t count, capacity;
} code;

/* Operations of one x86-64 instruction: a sum, a product, a quotient or a root
 * of one float or double, or a call of fmaf. */
static uint8_t operations(const char *name, const char *operands) {
  static const char *const one[] = {"add", "sub", "mul", "div", "sqrt"};
  if (!strncmp(name, "call", 4)) return strstr(operands, "<fmaf") ? 2 : 0;
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    const size_t length = strlen(one[i]);
    if (!strncmp(name, one[i], length) &&
        (!strcmp(name + length, "ss") || !strcmp(name + length, "sd")))
      return 1;
  }
  return 0;
}

FILE *disassembly(uint32_t first, uint32_t last) {
  char command[256];
  snprintf(command, sizeof command,
           "exec objdump -d --no-show-raw-insn --start-address=%u "
           "--stop-address=%u /proc/%d/exe 2>/dev/null",
           first, last, (int)getpid());
  return popen(command, "r");
}

bool disassembly_next(FILE *in, unsigned long *address, char name[32],
                      char operands[256]) {
  char line[512];
  while (fgets(line, sizeof line, in)) {
    *operands = '\0';
    if (sscanf(line, " %lx: %31s %255[^\n]", address, name, operands) >= 2)
      return true;
  }
  return false;
}

/* A block ends where the next one begins, or after a jump away. */
static bool read_code(void) {
  if (code.count > 0) return true;
  FILE *in = disassembly((uint32_t)(uintptr_t)&__executable_start,
                         (uint32_t)(uintptr_t)&etext);
  char name[32], operands[256];
  unsigned long address;
  while (in && disassembly_next(in, &address, name, operands)) {
    MAKE_ROOM(code.steps, code.count, code.capacity);
    code.steps[code.count++] = (step){
        .pc = (uint32_t)address,
        .operations = operations(name, operands),
        .ends_block = !strcmp(name, "jmp") || !strcmp(name, "ret") ||
                      strstr(operands, "<__sanitizer_cov_trace_pc")};
  }
  return in && pclose(in) == 0;
}

bool arithmetic_read(arithmetic_list *list) {
  bool counted = false;
  *list = (arithmetic_list){0};
  for (uint32_t i = 0; i < launch_worker_count; i++)
    counted |= launch_workers[i]->passes != NULL;
  if (!counted) return true;
#ifndef __x86_64__
  return false;
#endif
  if (!read_code()) return false;
  list->entries = allocate_zeros(code.count + 1, sizeof *list->entries);
  uint64_t passes = 0;
  for (const step *s = code.steps; s < code.steps + code.count; s++) {
    uint64_t starts = 0;
    for (uint32_t i = 0; i < launch_worker_count; i++)
      if (launch_workers[i]->passes)
        starts += launch_workers[i]->passes[place_of(s->pc)];
    if (starts) passes = starts;
    if (passes && s->operations)
      list->entries[list->count++] =
          (arithmetic){s->pc, passes * s->operations};
    if (s->ends_block) passes = 0;
  }
  return true;
}
