#include "common/simt/run/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

block finding_host;

finding *finding_note(block *b, simt_finding_kind kind, uint32_t pc,
                      uint32_t other_pc, uint32_t thread,
                      uint32_t other_thread) {
  for (uint32_t i = 0; i < b->finding_count; i++) {
    finding *f = &b->findings[i];
    if (f->kind != kind || f->pc != pc || f->other_pc != other_pc) continue;
    f->count++;
    return NULL;
  }
  if (b->finding_count == MAX_FINDINGS) return NULL;
  if (!b->findings) b->findings = calloc(MAX_FINDINGS, sizeof *b->findings);
  if (!b->findings) return NULL;
  finding *f = &b->findings[b->finding_count++];
  *f = (finding){.kind = kind,
                 .pc = pc,
                 .other_pc = other_pc,
                 .thread = thread,
                 .other_thread = other_thread,
                 .block_number = b->number,
                 .block_index = b->index,
                 .count = 1};
  return f;
}

bool finding_is_cas_look(const block *b, uint32_t pc) {
  for (uint32_t i = 0; i < b->cas_look_count; i++)
    if (b->cas_looks[i] == pc) return true;
  return false;
}

void finding_cas_look(block *b, uint32_t pc) {
  const uint32_t room = sizeof b->cas_looks / sizeof *b->cas_looks;
  if (b->cas_look_count < room && !finding_is_cas_look(b, pc))
    b->cas_looks[b->cas_look_count++] = pc;
}

void finding_report(block *b, simt_finding_kind kind, uint32_t pc,
                    uint32_t other_pc, uint32_t thread, uint32_t other_thread,
                    const char *format, ...) {
  finding *f = finding_note(b, kind, pc, other_pc, thread, other_thread);
  if (!f) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->sentence, sizeof f->sentence, format, arguments);
  va_end(arguments);
}

void finding_of_running(block *b, simt_finding_kind kind, uint32_t pc,
                        const char *format, ...) {
  const uint32_t id = b->running->id;
  finding *f = finding_note(b, kind, pc, 0, id, id);
  if (!f) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->sentence, sizeof f->sentence, format, arguments);
  va_end(arguments);
}

void finding_of_host(simt_finding_kind kind, uint32_t pc, const char *format,
                     ...) {
  finding *f =
      finding_note(&finding_host, kind, pc, 0, SIMT_HOST, SIMT_NO_THREAD);
  if (!f) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->sentence, sizeof f->sentence, format, arguments);
  va_end(arguments);
}

void finding_locate(const block *b, finding *f, uintptr_t address) {
  if (!b->launch) {
    f->where = WHERE_GLOBAL;
    return;
  }
  f->offset = address - b->shared_low;
  const bool none = b->launch->dynamic_shared == 0 &&
                    address - b->unused_low < b->unused_size;
  f->where = none                                ? WHERE_NO_VARIABLE
             : f->offset < b->shared_size        ? WHERE_SHARED
             : f->kind == SIMT_OUTSIDE_SHARED ? WHERE_NO_VARIABLE
                                              : WHERE_GLOBAL;
}
