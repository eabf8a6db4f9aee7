#include "common/simt/race/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/harness/program.h"

/* Zeros that take no memory until they are touched. */
static void *reserve(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) return memory;
  fputs("The executor has no memory left for its race check.\n", stderr);
  exit(EXIT_IMPOSSIBLE);
}

enum { VERIFIED_SIZE = MAX_WARPGROUPS * MAX_ACTORS * sizeof(uint32_t) };

static cells make_cells(size_t count) {
  return (cells){.words = reserve(count * sizeof(cell)),
                 .bytes = reserve(4 * count * sizeof(cell)),
                 .count = count};
}

static void drop_cells(cells *c) {
  if (!c->count) return;
  munmap(c->words, c->count * sizeof(cell));
  munmap(c->bytes, 4 * c->count * sizeof(cell));
  *c = (cells){0};
}

void shadow_set_global(shadow *s, size_t words) {
  if (s->global.count == words) return;
  drop_cells(&s->global);
  s->global = make_cells(words);
}

shadow *shadow_create(size_t shared_size, uint32_t threads) {
  shadow *s = calloc(1, sizeof *s);
  if (!s) abort();
  s->shared = make_cells(shared_size / 4 + 1);
  s->threads = threads;
  s->row_used = threads;
  s->row_length = 2 * threads + ENGINES;
  s->clock_count = (size_t)(threads + 2 * BARRIERS) * s->row_length;
  s->clocks = reserve(s->clock_count * sizeof *s->clocks);
  s->scratch = reserve(s->row_length * sizeof *s->scratch);
  s->fenced = reserve(threads * sizeof *s->fenced);
  s->verified = reserve(VERIFIED_SIZE);
  s->clock = 1;
  return s;
}

void shadow_destroy(shadow *s) {
  if (!s) return;
  drop_cells(&s->shared);
  drop_cells(&s->global);
  munmap(s->clocks, s->clock_count * sizeof *s->clocks);
  munmap(s->scratch, s->row_length * sizeof *s->scratch);
  munmap(s->fenced, 1);
  munmap(s->verified, VERIFIED_SIZE);
  free(s->readers);
  free(s);
}

void shadow_forget(shadow *s) {
  memset(s->shared.words, 0, s->shared.count * sizeof(cell));
  memset(s->shared.bytes, 0, 4 * s->shared.count * sizeof(cell));
  const size_t words = s->global.count;
  drop_cells(&s->global);
  if (words) s->global = make_cells(words);
  memset(s->clocks, 0, s->clock_count * sizeof *s->clocks);
  memset(s->verified, 0, VERIFIED_SIZE);
  memset(s->fenced, 0, PAGE);
  s->clock = 1;
}

/* ---- readers ---- */

static uint32_t new_reader(shadow *s, reader r) {
  uint32_t n = s->free_reader;
  if (n) {
    s->free_reader = s->readers[n].more;
  } else {
    n = s->reader_count++;
    if (n >= s->reader_capacity) {
      s->reader_capacity = n < 1024 ? 2048 : 2 * n;
      s->readers =
          realloc(s->readers, s->reader_capacity * sizeof *s->readers);
      if (!s->readers) abort();
    }
  }
  s->readers[n] = r;
  return n;
}

void shadow_free_readers(shadow *s, uint32_t first) {
  if (!first) return;
  uint32_t last = first;
  while (s->readers[last].more) last = s->readers[last].more;
  s->readers[last].more = s->free_reader;
  s->free_reader = first;
}

/* One entry can stand for both reads: the same warp under the same stamp, or
 * a warp that has met in __syncwarp() since the first. */
static bool merge(reader *r, const reader *fresh, const warp *w) {
  if (r->warp != fresh->warp || r->is_volatile != fresh->is_volatile)
    return false;
  if (r->stamp == fresh->stamp) {
    r->lanes |= fresh->lanes;
    return true;
  }
  if (r->stamp > w->synced) return false;
  r->stamp = fresh->stamp;
  r->lanes = fresh->lanes;
  r->pc = fresh->pc;
  return true;
}

void shadow_add_to_readers(shadow *s, cell *c, reader fresh, const warp *w) {
  if (merge(&c->read, &fresh, w)) return;
  for (uint32_t n = c->read.more; n; n = s->readers[n].more)
    if (merge(&s->readers[n], &fresh, w)) return;
  fresh.more = c->read.more;
  c->read.more = new_reader(s, fresh) & 0x7fffff;
}

/* ---- words in parts ---- */

static uint32_t copy_readers(shadow *s, uint32_t from) {
  uint32_t list = 0;
  for (; from; from = s->readers[from].more) {
    reader r = s->readers[from];
    r.more = list & 0x7fffff;
    list = new_reader(s, r);
  }
  return list;
}

cell *shadow_split(shadow *s, cells *of, size_t word) {
  cell *whole = &of->words[word], *bytes = &of->bytes[4 * word];
  if (shadow_is_split(s, whole)) return bytes;
  whole->split = false;
  for (int i = 0; i < 4; i++) {
    bytes[i] = *whole;
    if (i > 0 && whole->read.stamp > s->barrier)
      bytes[i].read.more = copy_readers(s, whole->read.more) & 0x7fffff;
  }
  whole->split = true;
  whole->write_stamp = s->clock;
  return bytes;
}

void shadow_join(cells *of, size_t word) {
  cell *whole = &of->words[word];
  *whole = of->bytes[4 * word];
  whole->split = false;
}
