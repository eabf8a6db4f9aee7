#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

block *launch_workers[MAX_WORKERS];
uint32_t launch_worker_count;
unsigned launch_wanted_checks;
static uint64_t wanted_order = SIMT_FORWARD;
static atomic_uint_fast64_t next_block;
static atomic_bool stop;

static bool instrumented;

/* Called once for each instrumented file, before main. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __tsan_init(void) { instrumented = true; }
bool simt_is_instrumented(void) { return instrumented; }

void simt_set_checks(unsigned checks) { launch_wanted_checks = checks; }
unsigned simt_checks(void) { return instrumented ? launch_wanted_checks : 0; }
void simt_set_order(uint64_t order) { wanted_order = order; }

/* ---- an OS thread's own memory, kept for the next launch ---- */

void *allocate_zeros(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) abort();
  return memory;
}

void *reallocate(void *memory, size_t size) {
  memory = realloc(memory, size);
  if (!memory) abort();
  return memory;
}

void *allocate_pages(size_t size, const char *what) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) return memory;
  fprintf(stderr, "The executor has no memory left for %s.\n", what);
  exit(EXIT_IMPOSSIBLE);
}

void map_put(map *m, uint64_t key, void *value) {
  if (2 * m->count >= m->capacity) {
    const map old = *m;
    m->capacity = old.capacity ? 2 * old.capacity : 64;
    m->entries = allocate_zeros(m->capacity, sizeof *m->entries);
    for (uint32_t i = 0; i < old.capacity; i++)
      if (old.entries[i].value)
        *map_entry(m, old.entries[i].key) = old.entries[i];
    free(old.entries);
  }
  struct entry *e = map_entry(m, key);
  m->count += !e->value;
  *e = (struct entry){key, value};
}

void map_clear(map *m, bool frees) {
  for (uint32_t i = 0; frees && i < m->capacity; i++) free(m->entries[i].value);
  free(m->entries);
  *m = (map){0};
}

static void make_threads(block *b, uint32_t count) {
  if (b->thread_capacity >= count) return;
  if (b->threads)
    munmap(b->threads[0].stack, (size_t)STACK_SIZE * b->thread_capacity);
  free(b->threads);
  b->threads = allocate_zeros(count, sizeof *b->threads);
  b->thread_capacity = count;
  uint8_t *stacks = allocate_pages((size_t)STACK_SIZE * count,
                                   "the stacks of its threads");
  for (uint32_t i = 0; i < count; i++) {
    thread *t = &b->threads[i];
    t->id = i;
    t->lane = i % WARP_SIZE;
    t->stack = stacks + (size_t)i * STACK_SIZE;
    mprotect(t->stack, PAGE, PROT_NONE);
  }
}

static void prepare(block *b) {
  const simt_kernel_launch *l = b->launch;
  const uint32_t count = l->block.x * l->block.y * l->block.z;
  make_threads(b, count);
  for (mechanism *const *m = b->mechanisms; *m; m++) {
    void **state = &b->states[(*m)->number];
    if (!*state && (*m)->state_size)
      *state = allocate_zeros(1, (*m)->state_size);
  }
  b->order = wanted_order;
  b->error = cudaSuccess;
  b->thread_count = count;
  b->warp_count = (count + WARP_SIZE - 1) / WARP_SIZE;
  for (uint32_t i = 0; i < b->warp_count; i++) {
    const uint32_t lanes = count - i * WARP_SIZE;
    b->warps[i] =
        (warp){.id = i,
               .lanes = lanes < WARP_SIZE ? lanes : WARP_SIZE,
               .first = &b->threads[i * WARP_SIZE],
               .exists = lanes < WARP_SIZE ? (1u << lanes) - 1 : UINT32_MAX};
  }
  for (uint32_t i = 0; i < count; i++)
    b->threads[i].index = (uint3){i % l->block.x, i / l->block.x % l->block.y,
                                  i / l->block.x / l->block.y};
  FOR_EACH_MECHANISM(b, prepare, b);
}

static uint64_t block_total(const simt_kernel_launch *l) {
  return (uint64_t)l->grid.x * l->grid.y * l->grid.z;
}

/* ---- cooperative and long launches ---- */

static bool cooperates;
static unsigned grid_arrivals;

unsigned *simt_grid_arrivals(void) {
  block *b = simt_here;
  if (cooperates) return &grid_arrivals;
  BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorLaunchFailure, CALLER,
               "grid.sync() in a kernel that cudaLaunchCooperativeKernel() has "
               "not launched");
}

bool simt_cooperate(uint64_t blocks) {
  cooperates = blocks > 0 && blocks <= MAX_WORKERS;
  grid_arrivals = 0;
  return blocks <= MAX_WORKERS;
}

/* Of a program with its own main. */
bool launch_is_of_program, launch_left_out;
uint64_t launch_only_blocks;
static uint64_t launch_number;
static _Atomic uint64_t next_hint = 5; /* seconds; then four times as many */
static double begun, spent;            /* in this launch, and in those before */

static atomic_bool runs, interrupted;

bool launch_interrupt(void) {
  atomic_store(&interrupted, true);
  return atomic_load(&runs);
}
bool launch_interrupted(void) { return atomic_load(&interrupted); }

static void hint(const block *b, uint64_t turn) {
  uint64_t due = next_hint;
  const uint64_t total = block_total(b->launch);
  const double here = seconds_now() - begun, after = spent + here;
  if (!launch_is_of_program || after < (double)due ||
      !atomic_compare_exchange_strong(&next_hint, &due, 4 * due))
    return;
  char which[48] = "";
  if (launch_number > 1)
    snprintf(which, sizeof which, " of launch %llu",
             (unsigned long long)launch_number);
  fprintf(stderr,
          "%s: %llu of %llu blocks%s are done after %.0f s. A smaller "
          "problem%s the same%s.\n",
          b->launch->name, (unsigned long long)turn, (unsigned long long)total,
          which, after, *which ? " or fewer launches show" : " shows",
          total > 64 ? "; BLOCKS=64 runs the first 32 and the last 32" : "");
}

static void *work(void *argument) {
  block *b = argument;
  const uint3 grid = b->launch->grid;
  const uint64_t total = block_total(b->launch), only = launch_only_blocks;
  prepare(b);
  const watch watched = watch_begin();
  while (!atomic_load(&stop) && !atomic_load(&interrupted)) {
    const uint64_t turn = atomic_fetch_add(&next_block, 1);
    if (turn >= total) break;
    b->number = turns_block(wanted_order, turn, total);
    b->index = (uint3){(unsigned)(b->number % grid.x),
                       (unsigned)(b->number / grid.x % grid.y),
                       (unsigned)(b->number / grid.x / grid.y)};
    if (only && total > only && !cooperates && b->number >= (only + 1) / 2 &&
        b->number < total - only / 2) {
      launch_left_out = true;
      continue;
    }
    hint(b, turn);
    scheduler_run(b);
    if (b->error) atomic_store(&stop, true);
  }
  simt_here = NULL;
  watch_end(watched);
  return NULL;
}

/* Of a cooperative launch all blocks run at once. */
static uint32_t worker_total(uint64_t blocks) {
  if (cooperates) return (uint32_t)blocks;
  const char *setting = getenv("SIMT_THREADS");
  unsigned threads = setting ? (unsigned)strtoul(setting, NULL, 10) : 0;
  if (threads == 0) threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  if (threads == 0) threads = 1;
  if (threads > MAX_WORKERS) threads = MAX_WORKERS;
  return threads < blocks ? threads : (uint32_t)blocks;
}

cudaError_t launch_run(const simt_kernel_launch *l,
                       mechanism *const *mechanisms, unsigned checks) {
  const uint32_t total = worker_total(block_total(l));
  pthread_t threads[MAX_WORKERS];
  /* A row's place in the table is where a block has its state. */
  for (uint32_t i = 0; mechanisms[i]; i++) mechanisms[i]->number = i;
  atomic_store(&next_block, 0);
  begun = seconds_now();
  launch_number++;
  atomic_store(&stop, false);
  atomic_store(&runs, true);
  fault_begin();
  for (uint32_t i = 0; i < total; i++) {
    if (!launch_workers[i])
      launch_workers[i] = allocate_zeros(1, sizeof(block));
    if (i >= launch_worker_count) launch_worker_count = i + 1;
    block *b = launch_workers[i];
    b->launch = l;
    b->mechanisms = mechanisms;
    b->checks = checks;
    if (pthread_create(&threads[i], NULL, work, b)) {
      fputs("The executor cannot start its OS threads.\n", stderr);
      exit(EXIT_IMPOSSIBLE);
    }
  }
  cudaError_t error = cudaSuccess;
  for (uint32_t i = 0; i < total; i++) {
    pthread_join(threads[i], NULL);
    if (launch_workers[i]->error) error = launch_workers[i]->error;
  }
  fault_end();
  spent += seconds_now() - begun;
  atomic_store(&runs, false);
  return error;
}

/* ---- what kernels ask ---- */

uint3 simt_thread_index(void) { return simt_here->running->index; }
uint3 simt_block_index(void) { return simt_here->index; }
uint3 simt_block_size(void) { return simt_here->launch->block; }
uint3 simt_grid_size(void) { return simt_here->launch->grid; }
unsigned simt_lane(void) { return simt_here->running->lane; }

uint64_t simt_clock(void) { return ++simt_here->steps; }

void simt_trap(void) {
  BLOCK_REFUSE(simt_here, SIMT_USAGE, cudaErrorLaunchFailure, CALLER,
               "the kernel called __trap()");
}
