/* The executor's results as tables for a reader, and as JSON. */

#include "common/simt/race/race.h"
#include "common/simt/report/source.h"
#include "common/simt/tensor/tensor.h"

enum { WIDTH = 100 };

static int own_line(const simt_place *p) { return p->via ? p->via : p->line; }

static void print_place(FILE *out, const char *label, const simt_place *p,
                        unsigned thread) {
  fprintf(out, "  %-5s %s:%d", label, p->file, own_line(p));
  if (thread == SIMT_HOST)
    fprintf(out, ", the host\n");
  else if (thread == SIMT_NO_THREAD)
    fprintf(out, "\n");
  else
    fprintf(out, ", thread %u\n", thread);
  const char *text = source_text(p->file, own_line(p));
  if (*text) fprintf(out, "        %.*s\n", WIDTH - 8, text);
  for (int i = 0; i < SIMT_CALLS && p->calls[i]; i++) {
    const int used = fprintf(out, "        called in line %d: ", p->calls[i]);
    fprintf(out, "%.*s\n", WIDTH - used, source_text(p->file, p->calls[i]));
  }
}

static void print_waiter(FILE *out, const simt_waiter *w) {
  const bool several = strchr(w->who, ';') || strstr(w->who, "warps") ||
                       strstr(w->who, "lanes");
  fprintf(out, "  line %d", own_line(&w->place));
  for (int i = 0; i < SIMT_CALLS && w->place.calls[i]; i++)
    fprintf(out, "%s%d", i ? ", " : " (called in ", w->place.calls[i]);
  fprintf(out, "%s, %s: %s %s %s\n", w->place.via ? ")" : "", w->who,
          several ? "wait" : "waits",
          strncmp(w->what, "a loop", 6) ? "for" : "in", w->what);
}

static void print_finding(FILE *out, const simt_finding *f) {
  fprintf(out, "%s: %s\n", f->name, f->sentence);
  if (f->here.line) print_place(out, "here", &f->here, f->thread);
  if (f->other.line) print_place(out, "there", &f->other, f->other_thread);
  for (unsigned i = 0; i < f->waiter_count; i++)
    print_waiter(out, &f->waiters[i]);
  if (f->thread == SIMT_HOST)
    fprintf(out, "  ");
  else
    fprintf(out, "  first in block (%u, %u, %u)", f->block[0], f->block[1],
            f->block[2]);
  if (*f->where && f->thread != SIMT_HOST) fprintf(out, ", at %s", f->where);
  fprintf(out, "%sseen %llu time%s\n", f->thread == SIMT_HOST ? "" : "; ",
          (unsigned long long)f->count, f->count == 1 ? "" : "s");
}

void simt_print_findings(FILE *out) {
  const simt_finding *all, *notes;
  const size_t count = simt_findings(&all);
  for (size_t i = 0; i < count; i++) print_finding(out, &all[i]);
  fprintf(out, "%zu finding%s\n", count, count == 1 ? "" : "s");
  const size_t note_count = simt_notes(&notes);
  for (size_t i = 0; i < note_count; i++) print_finding(out, &notes[i]);
  if (note_count)
    fprintf(out, "%zu note%s, which may be as %s should be\n", note_count,
            note_count == 1 ? "" : "s", note_count == 1 ? "it" : "they");
}

void simt_print_unchecked(FILE *out) {
  const unsigned checks = simt_checks();
  const bool races = checks & SIMT_RACES, streams = checks & SIMT_STREAMS;
  const struct {
    bool holds;
    const char *text;
  } items[] = {
      {!races, "all that needs each load and store"},
      {races && !streams, "the order of streams and the host"},
      {races && !streams && tma_is_used, "races with what TMA reads"},
      {races && tma_is_used, "proxy fences after reads"},
      {races && streams_overflowed,
       "more than 62 streams or 2,000,000 operations"},
      {races && global_is_coarse,
       "which of over 4,096 blocks a flag puts in order"},
      {races && (arena_used(ARENA_MANAGED) || arena_used(ARENA_PINNED)),
       "managed memory that nobody has written or C's functions use"},
      {races && !streams, "what runs from one array into the next"},
      {races && streams, "pointers that are in the wrong array at once"},
      {races, "time"}};
  int used = fprintf(out, "Not checked:");
  const char *before = "";
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    if (!items[i].holds) continue;
    used += fprintf(out, "%s", before);
    if (used + (int)strlen(items[i].text) + 2 > 80)
      used = fprintf(out, "\n ") - 1;
    used += fprintf(out, " %s", items[i].text);
    before = ",";
  }
  fprintf(out, "\n");
}

/* ---- counters ---- */

/* How often the operation was executed: by a warp; a barrier, by a block. */
static uint64_t executions(const simt_counters *c) {
  if (c->async_copies) return c->async_copies;
  return c->shared_loads + c->shared_stores + c->global_loads +
         c->global_stores + c->barriers + c->warp_syncs + c->shuffles +
         c->tensor_instructions + c->wgmma_instructions + c->tma_loads +
         c->scalar_flops;
}

/* The figure that tells a good access from a bad one, and its ideal. */
static bool quality(const simt_counters *c, double *is, double *ideal,
                    const char **what) {
  const uint64_t sectors = c->global_load_sectors + c->global_store_sectors;
  const double n = (double)executions(c);
  *what = sectors ? "sectors" : "wavefronts";
  *is = (double)(sectors ? sectors : c->shared_wavefronts) / n;
  *ideal = (double)(sectors ? c->global_sectors_ideal
                            : c->shared_wavefronts_ideal) / n;
  return sectors || c->shared_wavefronts;
}

/* SIMT_WIDTHS says what nvcc makes of a line's accesses: see widths.py. */
static void print_width(FILE *out, const simt_line *l, const char *where) {
  char key[1024];
  const char *all = getenv("SIMT_WIDTHS");
  snprintf(key, sizeof key, "\n%s:%s %s ", l->place.file, where, l->operation);
  const char *found = all ? strstr(all, key) : NULL;
  const int width = found ? atoi(found + strlen(key)) : 0;
  if (l->width && width > (int)l->width)
    fprintf(out,
            "%11sof %u bytes a lane; nvcc merges some, to up to %d bytes\n", "",
            l->width, width);
}

/* Lines that do nothing but compute would hide the others: their sum is
 * enough. */
static void print_line(FILE *out, const simt_line *l) {
  if (executions(&l->counters) == l->counters.scalar_flops) return;
  char count[32], where[32];
  double is, ideal;
  const char *what;
  snprintf(where, sizeof where, l->place.via ? "%d>%d" : "%d", l->place.line,
           l->place.via);
  int used = fprintf(out, "%9s  %-14s %11s  ", where, l->operation,
                     grouped(executions(&l->counters), count));
  if (quality(&l->counters, &is, &ideal, &what))
    used += fprintf(out, "%5.2f of %5.2f %-10s  ", is, ideal, what);
  else
    used += fprintf(out, "%27s", "");
  fprintf(out, "%.*s\n", WIDTH - used,
          source_text(l->place.file, l->place.line));
  print_width(out, l, where);
}

#define ALWAYS SIZE_MAX

static const struct {
  const char *key, *label;
  size_t offset;
  size_t beside; /* not mentioned where the counter there is 0 */
} totals[] = {
#define AT(field) offsetof(simt_counters, field)
#define BESIDE(field, other, label) {#field, label, AT(field), AT(other)},
#define TOTAL(field, label) {#field, label, AT(field), ALWAYS},
#define RARE(field, label) BESIDE(field, field, label)
    SIMT_COUNTERS(TOTAL, RARE, BESIDE)};
enum { TOTALS = sizeof totals / sizeof *totals };

static uint64_t value_at(const simt_counters *c, size_t offset) {
  return *(const uint64_t *)((const char *)c + offset);
}

/* Nobody knows scalar_flops where it is not x86-64, or there is no objdump. */
static bool is_left_out(const simt_counters *c, int i) {
  const size_t beside = totals[i].beside;
  arithmetic_list all;
  if (totals[i].offset != AT(scalar_flops))
    return beside != ALWAYS && value_at(c, beside) == 0;
  const bool known = arithmetic_read(&all);
  free(all.entries);
  return !known;
}

void simt_print_counters(FILE *out) {
  const simt_line *all;
  simt_counters sum;
  const size_t count = simt_lines(&all, &sum);
  const char *file = "";
  for (const simt_line *l = all; l < all + count; l++) {
    if (executions(&l->counters) == 0) continue;
    if (strcmp(file, l->place.file)) {
      file = l->place.file;
      fprintf(out, "%s\n%9s  %-14s %11s  %-25s  %s\n", file, "line",
              "operation", "executed", " cost, of ideal", "source");
    }
    print_line(out, l);
  }
  fputs("in all\n", out);
  for (int i = 0; i < TOTALS; i++) {
    char number[32];
    if (is_left_out(&sum, i)) continue;
    fprintf(out, "  %-26s %17s\n", totals[i].label,
            grouped(value_at(&sum, totals[i].offset), number));
  }
}

/* ---- JSON ---- */

/* Only what is not zero, unless `all`. */
static json_t *counters_json(const simt_counters *c, bool all) {
  json_t *object = json_object();
  for (int i = 0; i < TOTALS; i++) {
    const uint64_t value = value_at(c, totals[i].offset);
    if ((all && !is_left_out(c, i)) || value)
      json_object_set_new(object, totals[i].key,
                          json_integer((json_int_t)value));
  }
  return object;
}

json_t *simt_counters_json(void) {
  const simt_line *all;
  simt_counters sum;
  const size_t count = simt_lines(&all, &sum);
  json_t *list = json_array();
  for (const simt_line *l = all; l < all + count; l++) {
    /* Compilers differ in the lines that they give parts of a sum to. */
    if (l->counters.scalar_flops) continue;
    json_array_append_new(
        list, json_pack("{s:s, s:i, s:o*, s:s, s:o}", "file", l->place.file,
                        "line", l->place.line, "via",
                        l->place.via ? json_integer(l->place.via) : NULL,
                        "operation", l->operation, "counters",
                        counters_json(&l->counters, false)));
  }
  return json_pack("{s:o, s:o}", "total", counters_json(&sum, true), "lines",
                   list);
}
