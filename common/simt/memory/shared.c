/* Shared memory. A __shared__ variable is a thread-local variable of the
 * program, so the thread-local block of an OS thread is the shared memory of
 * the CUDA block that it runs. The executor's own three thread-local variables
 * lie in there too. */

#include "common/simt/memory/memory.h"

#include <elfutils/libdwfl.h>
#include <link.h>
#include <pthread.h>

/* Its name is also that of a program's `extern __shared__` array. */
_Thread_local _Alignas(1024) uint8_t simt_dynamic_memory[SHARED_LIMIT];
uint8_t *shared_map;

/* ---- the program's symbols ---- */

typedef struct {
  char *name;
  size_t offset, size; /* offset: the address, for a function */
  bool is_function;
} symbol;

static symbol *symbols;
static size_t count, capacity;
static GElf_Shdr *constants; /* sections: simt_prelude.h makes one of each */
static size_t constant_count, constant_capacity;
static Dwfl_Module *program;

static void open_program(void) {
  static char *no_path = NULL;
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address,
      .debuginfo_path = &no_path,
  };
  Dwfl *session = dwfl_begin(&callbacks);
  if (!session) return;
  dwfl_report_begin(session);
  program = dwfl_report_elf(session, "program", "/proc/self/exe", -1, 0, false);
  dwfl_report_end(session, NULL, NULL);
  GElf_Addr bias;
  Elf *elf = program ? dwfl_module_getelf(program, &bias) : NULL;
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names)) return;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    GElf_Sym s;
    if (!gelf_getshdr(section, &header)) continue;
    const char *name = elf_strptr(elf, names, header.sh_name);
    if (name && !strncmp(name, "simt_constant", 13)) {
      MAKE_ROOM(constants, constant_count, constant_capacity);
      constants[constant_count++] = header;
    }
    if (header.sh_type != SHT_SYMTAB) continue;
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
      const unsigned type = GELF_ST_TYPE(s.st_info);
      name = elf_strptr(elf, header.sh_link, s.st_name);
      if (!name || (type != STT_TLS && type != STT_FUNC) ||
          s.st_shndx == SHN_UNDEF)
        continue;
      MAKE_ROOM(symbols, count, capacity);
      symbols[count++] = (symbol){.name = strdup(name),
                                  .offset = s.st_value,
                                  .size = s.st_size,
                                  .is_function = type == STT_FUNC};
    }
  }
}

Dwfl_Module *program_module(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_program);
  return program;
}

/* The program itself comes first; what follows are libraries. */
static int first_program(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  block *b = found;
  b->shared_low = (uintptr_t)info->dlpi_tls_data;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS)
      b->shared_size = info->dlpi_phdr[i].p_memsz;
  return 1;
}

static void read_map(void) {
  block b = {0};
  dl_iterate_phdr(first_program, &b);
  shared_map = allocate_zeros(1, b.shared_size);
  program_module();
  for (const symbol *s = symbols; s < symbols + count; s++)
    if (!s->is_function && s->offset + s->size <= b.shared_size)
      memset(shared_map + s->offset, (int)(s->offset / 4 % 255 + 1), s->size);
  memset(shared_map + ((uintptr_t)&simt_here - b.shared_low), 0,
         sizeof simt_here);
}

static void prepare(block *b) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  dl_iterate_phdr(first_program, b);
  b->unused_low = (uintptr_t)simt_dynamic_memory + b->launch->dynamic_shared;
  b->unused_size = SHARED_LIMIT - b->launch->dynamic_shared;
  if (b->checks) pthread_once(&once, read_map);
}

/* The executor's own variable is left out, for a signal may look at it. */
static void fill(uintptr_t from, uintptr_t to, int byte) {
  const uintptr_t own = (uintptr_t)&simt_here;
  if (own >= from && own < to) {
    memset((void *)from, byte, own - from);
    from = own + sizeof simt_here;
  }
  if (from < to) memset((void *)from, byte, to - from);
}

/* Bytes of ones: a NaN in every floating-point type, and never a good index.
 * Where accesses are watched every second bit is 0, so that who sets bits of a
 * word changes it. The block is exactly p_memsz long: what follows belongs to
 * the C library. */
static void poison(block *b) {
  const int byte = b->checks ? 0x55 : 0xff;
  fill(b->shared_low, b->unused_low, byte);
  fill(b->unused_low + b->unused_size, b->shared_low + b->shared_size, byte);
}

void simt_fill_shared(int byte) {
  uint64_t *kept = simt_counting;
  block b;
  dl_iterate_phdr(first_program, &b);
  fill(b.shared_low, b.shared_low + b.shared_size, byte);
  simt_counting = kept;
}

mechanism shared_memory = {
    .name = "shared memory", .prepare = prepare, .start_block = poison};

bool shared_allows(const block *b, const void *address, size_t size) {
  const uintptr_t offset = (uintptr_t)address - b->shared_low;
  const uintptr_t unused = b->unused_low - b->shared_low;
  return offset < b->shared_size && size <= b->shared_size - offset &&
         (offset + size <= unused || offset >= unused + b->unused_size) &&
         !is_own_variable((uintptr_t)address, size);
}

void *simt_dynamic_shared(void) { return simt_dynamic_memory; }

int simt_is_shared(const void *address) {
  return in_shared(simt_here, address);
}

unsigned simt_shared_offset(const void *address) {
  return (unsigned)((uintptr_t)address - simt_here->shared_low);
}

void *simt_shared_pointer(uint64_t offset) {
  return (void *)(simt_here->shared_low + offset);
}

/* Of the C++ library: free() what it returns, or null where that is no name. */
char *__cxa_demangle(const char *name, char *memory, size_t *size, int *status);

/* _ZZ6kernel4argsE6tile_q -> kernel(args)::tile_q -> tile_q */
static void plain_name(const char *name, char *text, size_t text_size) {
  const bool mangled = !strncmp(name, "_Z", 2);
  char *whole = mangled ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
  const char *last = whole ? strrchr(whole, ':') : NULL;
  snprintf(text, text_size, "%s", last ? last + 1 : whole ? whole : name);
  free(whole);
}

void symbol_of_shared(size_t offset, char *text, size_t text_size) {
  program_module();
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

finding *finding_locate(const block *b, finding *f, uintptr_t address) {
  if (!f) return NULL;
  const bool none = b->launch && b->launch->dynamic_shared == 0 &&
                    address - b->unused_low < b->unused_size;
  if (b->launch && !none && address - b->shared_low < b->shared_size)
    symbol_of_shared(address - b->shared_low, f->said.where,
                     sizeof f->said.where);
  else
    snprintf(f->said.where, sizeof f->said.where, "%s",
             none || f->said.kind == SIMT_OUTSIDE_SHARED
                 ? "shared memory, in no variable"
                 : "global memory");
  return f;
}

bool symbol_is_constant(uintptr_t address) {
  program_module();
  for (size_t i = 0; i < constant_count; i++)
    if (address - constants[i].sh_addr < constants[i].sh_size) return true;
  return false;
}

/* A variable in a function's body is named _ZZ, the function, E, the name. */
size_t symbol_static_shared(const void *kernel) {
  program_module();
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
