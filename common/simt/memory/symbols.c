#include "common/simt/memory/memory.h"

#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char *name;
  size_t offset, size; /* offset: the address, for a function */
  bool is_function;
} symbol;

static symbol *symbols;
static size_t count, capacity;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add(const char *name, const GElf_Sym *s) {
  const unsigned type = GELF_ST_TYPE(s->st_info);
  if ((type != STT_TLS && type != STT_FUNC) || s->st_shndx == SHN_UNDEF)
    return;
  if (count == capacity) {
    capacity = capacity ? 2 * capacity : 256;
    symbols = realloc(symbols, capacity * sizeof *symbols);
    if (!symbols) abort();
  }
  symbols[count++] = (symbol){.name = strdup(name),
                              .offset = s->st_value,
                              .size = s->st_size,
                              .is_function = type == STT_FUNC};
}

static void read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
  Elf_Data *data = elf_getdata(section, NULL);
  if (!data || header->sh_entsize == 0) return;
  const size_t entries = header->sh_size / header->sh_entsize;
  for (size_t i = 0; i < entries; i++) {
    GElf_Sym s;
    if (!gelf_getsym(data, (int)i, &s)) continue;
    const char *name = elf_strptr(elf, header->sh_link, s.st_name);
    if (name) add(name, &s);
  }
}

static void read_symbols(void) {
  const int file = open("/proc/self/exe", O_RDONLY);
  if (file < 0) return;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
  for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s;
       s = elf_nextscn(elf, s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) && header.sh_type == SHT_SYMTAB)
      read_table(elf, s, &header);
  }
  elf_end(elf);
  close(file);
}

void symbols_for_each_shared(void (*visit)(const char *, size_t, size_t,
                                           void *),
                             void *context) {
  pthread_once(&once, read_symbols);
  for (size_t i = 0; i < count; i++) {
    const symbol *s = &symbols[i];
    if (!s->is_function) visit(s->name, s->offset, s->size, context);
  }
}

/* The last part of a name as the C++ compiler writes it: a length, then that
 * many characters, at the end: _ZZ6kernel4argsE6tile_q -> tile_q. A number
 * with an underscore may follow, which tells namesakes apart. */
static void plain_name(const char *name, char *text, size_t text_size) {
  size_t length = strlen(name);
  if (strncmp(name, "_Z", 2) != 0) {
    snprintf(text, text_size, "%s", name);
    return;
  }
  const char *mark = strrchr(name, '_');
  if (mark && mark > name + 1 && isdigit((unsigned char)mark[1])) {
    size_t digits = strspn(mark + 1, "0123456789");
    if (mark[1 + digits] == '\0') length = (size_t)(mark - name);
  }
  for (const char *c = name + 2; c < name + length; c++) {
    if (!isdigit((unsigned char)*c)) continue;
    char *start;
    const size_t part = strtoul(c, &start, 10);
    if (start + part == name + length) {
      snprintf(text, text_size, "%.*s", (int)part, start);
      return;
    }
    c = start - 1;
  }
  snprintf(text, text_size, "%s", name);
}

void symbol_of_shared(size_t offset, char *text, size_t text_size) {
  pthread_once(&once, read_symbols);
  for (size_t i = 0; i < count; i++) {
    const symbol *s = &symbols[i];
    if (s->is_function || offset - s->offset >= s->size) continue;
    char name[64];
    plain_name(s->name, name, sizeof name);
    if (!strcmp(name, "simt_dynamic_memory"))
      snprintf(name, sizeof name, "dynamic shared memory");
    snprintf(text, text_size, "%s + %zu", name, offset - s->offset);
    return;
  }
  snprintf(text, text_size, "shared memory, in no variable");
}

/* A variable in a function's body is named _ZZ, the function, E, the name. */
size_t symbol_static_shared(const void *kernel) {
  pthread_once(&once, read_symbols);
  const symbol *function = NULL;
  for (size_t i = 0; i < count && !function; i++)
    if (symbols[i].is_function && symbols[i].offset == (size_t)kernel)
      function = &symbols[i];
  if (!function) return 0;
  const char *name = function->name;
  if (!strncmp(name, "_Z", 2)) name += 2;
  const size_t length = strlen(name);
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    const symbol *s = &symbols[i];
    if (!s->is_function && !strncmp(s->name, "_ZZ", 3) &&
        !strncmp(s->name + 3, name, length) && s->name[3 + length] == 'E')
      total += s->size;
  }
  return total;
}
