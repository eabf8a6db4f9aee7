/* Puts together what the OS threads have found and counted, by source line. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/report/source.h"
#include "common/simt/run/launch.h"

static const char *const names[] = {
#define NAME(kind, name) name,
    SIMT_KINDS(NAME)};

static int compare_places(const simt_place *a, const simt_place *b) {
  const int file = strcmp(a->file, b->file);
  if (file) return file;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  return (a->via > b->via) - (a->via < b->via);
}

/* ---- findings ---- */

static simt_finding *findings;
static size_t finding_count, note_count;

/* A line of a function that is called in two places is two places. */
static int compare_calls(const simt_place *a, const simt_place *b) {
  const int order = compare_places(a, b);
  return order ? order : memcmp(a->calls, b->calls, sizeof a->calls);
}

static int compare_findings(const void *left, const void *right) {
  const simt_finding *a = left, *b = right;
  int order = (a->kind >= SIMT_NOTES) - (b->kind >= SIMT_NOTES);
  if (!order) order = compare_calls(&a->here, &b->here);
  if (!order) order = compare_calls(&a->other, &b->other);
  return order ? order : (int)a->kind - (int)b->kind;
}

/* What two accesses without an order are, where that is known: the read is a
 * first look before a compare-and-swap, or that of a loop that waits. */
static simt_finding_kind verdict(const finding *f) {
  if (f->said.kind == SIMT_RACE && f->look_pc)
    for (uint32_t i = 0; i < launch_worker_count; i++)
      if (map_get(&launch_workers[i]->cas_looks, f->look_pc))
        return SIMT_CAS_LOOP;
  if (f->said.kind == SIMT_RACE && f->flag_pc && source_is_wait(f->flag_pc))
    return SIMT_FLAG;
  return f->said.kind;
}

/* What a stage calls by a function of common/device/ptx, a program with its own
 * main has from PTX. */
static void as_in_ptx(char *text) {
  static const char *const words[][2] = {
      {"fence_async_proxy()", "fence.proxy.async"},
      {"wgmma_fence()", "wgmma.fence"},
      {"wgmma_commit()", "wgmma.commit_group"},
      {"wgmma_wait()", "wgmma.wait_group"},
      {"mbarrier_try_wait()", "mbarrier.try_wait"},
      {": use mbarrier_wait()", ""},
      {"more_registers()", "setmaxnreg"},
      {"fewer_registers()", "setmaxnreg"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char *at = strstr(text, words[i][0]);
    if (!at) continue;
    const size_t old = strlen(words[i][0]), new = strlen(words[i][1]);
    memmove(at + new, at + old, strlen(at + old) + 1); /* never longer */
    memcpy(at, words[i][1], new);
  }
}

static simt_finding finding_of(const finding *f) {
  simt_finding found = f->said;
  found.kind = verdict(f);
  found.name = names[found.kind];
  found.here = source_place(f->pc);
  found.other = (simt_place){.file = ""};
  if (found.kind != f->said.kind)
    snprintf(found.sentence, sizeof found.sentence,
             found.kind == SIMT_FLAG
                 ? "a loop waits for a volatile flag, which is stored after a "
                   "fence"
                 : "a plain read beside atomics, of a value that goes to "
                   "atomicCAS: that looks again");
  const char *ending = strrchr(found.here.file, '.');
  if (f->caller_pc && (!ending || strcmp(ending, ".cu")))
    found.here = source_place(f->caller_pc);
  if (f->other_pc) found.other = source_place(f->other_pc);
  for (uint32_t i = 0; i < found.waiter_count; i++) {
    found.waiters[i].place = source_place(found.waiters[i].pc);
    if (launch_is_of_program) as_in_ptx(found.waiters[i].what);
  }
  if (launch_is_of_program) as_in_ptx(found.sentence);
  return found;
}

static const block *owner(uint32_t i) {
  return i < launch_worker_count ? launch_workers[i] : &finding_host;
}

size_t simt_notes(const simt_finding **notes) {
  const simt_finding *all;
  const size_t count = simt_findings(&all);
  *notes = all + count;
  return note_count;
}

size_t simt_findings(const simt_finding **result) {
  size_t room = 0;
  for (uint32_t i = 0; i <= launch_worker_count; i++)
    room += owner(i)->finding_count;
  free(findings);
  findings = allocate_zeros(room + 1, sizeof *findings);
  finding_count = 0;
  for (uint32_t i = 0; i <= launch_worker_count; i++)
    for (uint32_t n = 0; n < owner(i)->finding_count; n++) {
      const finding *f = owner(i)->findings[n];
      const simt_finding next = finding_of(f);
      /* The compiler may have copied one barrier to two places. */
      if (f->said.kind == SIMT_BARRIER_LINES &&
          !compare_places(&next.here, &next.other) &&
          source_is_one_call(f->pc, f->other_pc))
        continue;
      size_t k = 0;
      while (k < finding_count && compare_findings(&findings[k], &next)) k++;
      const bool is_new = k == finding_count;
      const uint64_t seen = findings[k].count + next.count;
      /* Of several the earliest block tells the story, so that it does not
       * depend on the OS's schedule. */
      if (is_new || next.block_number < findings[k].block_number)
        findings[k] = next;
      findings[k].count = seen;
      finding_count += is_new;
    }
  qsort(findings, finding_count, sizeof *findings, compare_findings);
  *result = findings;
  note_count = 0;
  while (note_count < finding_count &&
         findings[finding_count - note_count - 1].kind >= SIMT_NOTES)
    note_count++;
  return finding_count - note_count;
}

/* ---- counters ---- */

static simt_line *lines;
static size_t line_count;

static void add(simt_counters *sum, const simt_counters *more) {
  uint64_t *to = (uint64_t *)sum;
  const uint64_t *from = (const uint64_t *)more;
  for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

/* Of memory, where it is shared or is not; null for what is not shown. */
static const char *const accesses[][2] = {
    [ACCESS_READ] = {"global load", "shared load"},
    [ACCESS_WRITE] = {"global store", "shared store"},
    [ACCESS_ATOMIC] = {"global atomic", "shared atomic"},
    [ACCESS_VOLATILE_READ] = {"global load", "shared load"},
    [ACCESS_VOLATILE_WRITE] = {"global store", "shared store"},
    [ACCESS_LDMATRIX] = {"ldmatrix", "ldmatrix"},
    [ACCESS_STMATRIX] = {"stmatrix", "stmatrix"},
    [ACCESS_COPY_READ] = {"cp.async read", "cp.async read"},
    [ACCESS_COPY_WRITE] = {"cp.async write", "cp.async write"},
    [ACCESS_MBARRIER] = {NULL, NULL}};

static int compare_lines(const void *left, const void *right) {
  const simt_line *a = left, *b = right;
  const int order = compare_places(&a->place, &b->place);
  return order ? order : strcmp(a->operation, b->operation);
}

size_t simt_lines(const simt_line **result, simt_counters *total) {
  arithmetic_list computed;
  arithmetic_read(&computed);
  size_t room = computed.count;
  for (uint32_t i = 0; i < launch_worker_count; i++)
    room += launch_workers[i]->sites.count;
  free(lines);
  lines = allocate_zeros(room + 1, sizeof *lines);
  line_count = 0;
  for (const arithmetic *a = computed.entries; line_count < computed.count; a++)
    lines[line_count++] = (simt_line){source_place(a->pc + 1), "arithmetic", 0,
                                      {.scalar_flops = a->flops}};
  free(computed.entries);
  for (uint32_t i = 0; i < launch_worker_count; i++) {
    const map *all = &launch_workers[i]->sites;
    for (uint32_t n = 0; n < all->capacity; n++) {
      const site *s = all->entries[n].value;
      if (!s) continue;
      const char *operation = s->operation
                                  ? s->operation
                                  : accesses[s->key.kind][s->key.shared];
      if (!operation) continue;
      lines[line_count++] = (simt_line){source_place(s->key.pc), operation,
                                        s->key.size, s->counters};
    }
  }
  qsort(lines, line_count, sizeof *lines, compare_lines);
  size_t kept = 0;
  memset(total, 0, sizeof *total);
  for (size_t i = 0; i < line_count; i++) {
    add(total, &lines[i].counters);
    if (kept > 0 && !compare_lines(&lines[kept - 1], &lines[i])) {
      simt_line *l = &lines[kept - 1];
      add(&l->counters, &lines[i].counters);
      if (l->width < lines[i].width) l->width = lines[i].width;
    } else {
      lines[kept++] = lines[i];
    }
  }
  line_count = kept;
  *result = lines;
  return line_count;
}
