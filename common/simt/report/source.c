/* From addresses of the program to lines of the source, and what the code there
 * does. */

#include "common/simt/report/source.h"

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

static const char *without_dot(const char *file) {
  while (!strncmp(file, "./", 2)) file += 2;
  return file;
}

/* Or a header of a program with its own main, which lists its files. */
static bool is_kernel_file(const char *file) {
  const size_t length = file ? strlen(file) : 0;
  if (length > 3 && !strcmp(file + length - 3, ".cu")) return true;
  const char *list = getenv("SIMT_FILES");
  const char *at = length && list ? strstr(list, without_dot(file)) : NULL;
  return at && at[-1] == '\n' && at[strlen(without_dot(file))] == '\n';
}

/* Frames come from the inside to the outside: the last line in a .cu file is
 * the kernel's own, the first one is where the instruction is. */
typedef struct {
  simt_place place;
  int innermost, calls;
} frames;

static void add_frame(frames *f, const char *file, int line) {
  simt_place *p = &f->place;
  if (!is_kernel_file(file) || line == p->line) return;
  if (f->innermost && strcmp(p->file, without_dot(file))) return;
  if (!f->innermost)
    f->innermost = line;
  else
    p->calls[f->calls < SIMT_CALLS ? f->calls++ : SIMT_CALLS - 1] = line;
  p->file = without_dot(file);
  p->line = line;
}

/* Where the function of an inlined scope was called from. */
static void add_call(frames *f, Dwarf_Die *unit, Dwarf_Die *scope) {
  Dwarf_Attribute attribute;
  Dwarf_Word file_index = 0, line = 0;
  Dwarf_Files *files;
  size_t file_count;
  if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute),
                      &file_index) ||
      dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) ||
      dwarf_getsrcfiles(unit, &files, &file_count) || file_index >= file_count)
    return;
  add_frame(f, dwarf_filesrc(files, file_index, NULL, NULL), (int)line);
}

/* The innermost function around an address, inlined or not, among the children
 * of an entry. A lambda's lies with its type, inside a function that does not
 * hold its code, where dwarf_getscopes does not look. */
static bool find_function(Dwarf_Die *parent, Dwarf_Addr address,
                          Dwarf_Die *found) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child)) return false;
  do {
    const int tag = dwarf_tag(&child);
    const bool holds = (tag == DW_TAG_subprogram ||
                        tag == DW_TAG_inlined_subroutine) &&
                       dwarf_haspc(&child, address) > 0;
    if (holds) *found = child;
    if (find_function(&child, address, found) || holds) return true;
  } while (!dwarf_siblingof(&child, &child));
  return false;
}

/* Where the innermost function's description lies; 0 where there is none. */
static Dwarf_Off function_of(Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die function;
  Dwfl_Module *module = program_module();
  Dwarf_Die *unit = module ? dwfl_module_addrdie(module, address, &bias) : NULL;
  return unit && find_function(unit, address - bias, &function)
             ? dwarf_dieoffset(&function)
             : 0;
}

static int column_of(Dwarf_Addr address) {
  Dwfl_Module *module = program_module();
  Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : NULL;
  int column = 0;
  if (line) dwfl_lineinfo(line, NULL, NULL, &column, NULL, NULL);
  return column;
}

bool source_is_one_call(uint32_t one, uint32_t other) {
  return function_of(one - 1) == function_of(other - 1) &&
         column_of(one - 1) == column_of(other - 1);
}

simt_place source_place(uint32_t return_address) {
  /* The call itself is before the address that it returns to. */
  const Dwarf_Addr address = return_address - 1;
  frames f = {.place = {.file = ""}};
  Dwarf_Addr bias = 0;
  Dwfl_Module *module = program_module();
  Dwarf_Die *unit = module ? dwfl_module_addrdie(module, address, &bias) : NULL;
  Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : NULL;
  int number = 0;
  const char *file =
      line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
  if (!unit || !file) return f.place;
  add_frame(&f, file, number);
  Dwarf_Die function, *chain = NULL;
  const int depth = find_function(unit, address - bias, &function)
                        ? dwarf_getscopes_die(&function, &chain)
                        : 0;
  for (int i = 0; i < depth; i++) {
    const int tag = dwarf_tag(&chain[i]);
    if (tag == DW_TAG_inlined_subroutine) add_call(&f, unit, &chain[i]);
    if (tag == DW_TAG_subprogram) break;
  }
  free(chain);
  if (f.calls > 0) f.place.via = f.innermost;
  if (f.place.line == 0)
    f.place = (simt_place){.file = without_dot(file), .line = number};
  return f.place;
}

const char *source_text(const char *file, int line) {
  static char *text;
  static size_t size;
  FILE *in = fopen(file, "r");
  bool found = in && line >= 1;
  for (int i = 0; i < line && found; i++) found = getline(&text, &size, in) > 0;
  if (in) fclose(in);
  if (!found) return "";
  text[strcspn(text, "\n")] = '\0';
  return text + strspn(text, " \t");
}

/* ---- is a volatile read that of a loop which waits? Its machine code says so:
 * the innermost loop around it computes nothing and stores nothing ---- */

enum { AROUND = 256, MAX_STEPS = 2 * AROUND };

typedef struct {
  unsigned long address, target; /* of a jump; else 0 */
  bool harmless;
} step;

static bool begins(const char *text, const char *const *with, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strncmp(text, with[i], strlen(with[i]))) return true;
  return false;
}

/* Moves, comparisons, jumps; and calls that read or wait. */
static bool is_harmless(const char *name, const char *operands) {
  static const char *const names[] = {"mov", "test", "cmp", "j",   "nop",
                                      "and", "set",  "xor", "data"};
  static const char *const calls[] = {"__tsan_volatile_read", "__tsan_read",
                                      "__sanitizer_cov", "simt_spin",
                                      "simt_fence"};
  if (strncmp(name, "call", 4))
    return begins(name, names, sizeof names / sizeof *names);
  const char *function = strchr(operands, '<');
  return function && begins(function + 1, calls, sizeof calls / sizeof *calls);
}

static size_t read_steps(uint32_t pc, step *steps) {
  char name[32], operands[256];
  size_t count = 0;
  step s = {0};
  /* From the call, which is five bytes long, on, and from before it: there the
   * first instructions may be none. */
  FILE *in = disassembly(pc - AROUND, pc + AROUND);
  while (in && count < MAX_STEPS &&
         disassembly_next(in, &s.address, name, operands)) {
    s.target = 0;
    if (*name == 'j') s.target = strtoul(operands, NULL, 16);
    s.harmless = is_harmless(name, operands);
    steps[count++] = s;
  }
  if (in) pclose(in);
  return count;
}

bool source_is_wait(uint32_t pc) {
#ifndef __x86_64__
  return false;
#endif
  step steps[MAX_STEPS];
  const size_t count = read_steps(pc, steps);
  for (const step *jump = steps; jump < steps + count; jump++) {
    if (jump->address < pc || !jump->target || jump->target >= pc) continue;
    bool waits = true;
    for (const step *s = steps; s < steps + count; s++)
      if (s->address >= jump->target && s->address <= jump->address)
        waits &= s->harmless;
    return waits && jump->target >= steps->address;
  }
  return false;
}
