#pragma once

#include "common/simt/run/mechanism.h"

typedef enum {
  ACCESS_READ,
  ACCESS_WRITE,
  ACCESS_ATOMIC,
  ACCESS_VOLATILE_READ,
  ACCESS_VOLATILE_WRITE,
  ACCESS_LDMATRIX,
  ACCESS_STMATRIX,
  ACCESS_COPY_READ,  /* cp.async: its source */
  ACCESS_COPY_WRITE, /* cp.async issued: its destination */
  ACCESS_COPY_DONE,  /* cp.async waited for */
  ACCESS_TMA_WRITE,
  ACCESS_MBARRIER,   /* arrival or wait */
} access_kind;

/* Made by the thread itself, once it has been filed. */
static inline bool is_store(unsigned kind) {
  return kind == ACCESS_WRITE || kind == ACCESS_VOLATILE_WRITE;
}

/* One lane's access. Accesses with equal keys can be one warp instruction. */
typedef union {
  struct {
    uint32_t pc;
    uint8_t size, kind, shared, unused;
  };
  uint64_t bits;
} access_key;

typedef struct {
  access_key key;
  uint64_t address;
} lane_access;

/* What a store has left, as whole words or a part of the first one. */
typedef struct {
  uint32_t words[4];
  bool known; /* not of a store that others know of before it is made */
} stored;

/* One warp instruction: the same access by the lanes of `lanes`. The other
 * addresses are copies of one of theirs. */
typedef struct instruction {
  access_key key;
  uint32_t lanes;
  uint64_t address[WARP_SIZE];
  const stored *value[WARP_SIZE]; /* of a store */
} instruction;

/* Memory that is neither shared nor global: the running thread's own variables,
 * its arguments, and the constants of the program. */
bool is_private(const block *b, uintptr_t address);

/* Memory that an instruction for global memory cannot use, in words: "shared";
 * null where it is no such. */
const char *access_space(const block *b, const void *address);

/* An access of the running thread at `pc`. Stops the kernel where it may not do
 * that. True where the access is one to file: to shared or global memory, and
 * the block makes checks. */
bool access_check(block *b, const void *address, uint32_t size,
                  access_kind kind, uint32_t pc);

void access_file(block *b, const void *address, uint32_t size,
                 access_kind kind, uint32_t pc);

/* Of an instruction that takes registers: where they are a reference to memory,
 * a GPU loads or stores them beside it. */
static inline bool is_on_stack(const thread *t, const void *registers) {
  return (uintptr_t)registers - (uintptr_t)t->stack < STACK_SIZE;
}
void access_registers(const void *registers, uint32_t size, access_kind kind,
                      uint32_t pc);

/* Who looks at the host's own accesses, or null. */
extern void (*access_by_host)(const void *address, size_t size, bool writes,
                              uint32_t pc);

/* Where the running thread has last read so many bytes there since it stopped;
 * 0 where it has not. */
uint32_t log_latest_read(const block *b, uintptr_t address, uint32_t size);

extern mechanism access_log;

/* Shows an instruction that all lanes make together to the checks. */
void log_take(block *b, warp *w, const instruction *i);

enum { MAX_UNITS = 128 }; /* 32 lanes of 16 bytes */

/* A word, or a part of one, and the lanes that touch it. */
typedef struct {
  uint32_t offset; /* from the first address of the instruction */
  uint32_t lanes;
} unit;

/* What the addresses of a warp instruction look like, relative to the first
 * one, and what banks and sectors make of them. */
typedef struct pattern {
  uint32_t lanes, phase;
  int64_t relative[WARP_SIZE];
  uint32_t first; /* a lane of `lanes` */
  uint32_t wavefronts, wavefronts_ideal, sectors, sectors_ideal;
  uint32_t unit_size, unit_count; /* bytes: 4 at most */
  unit units[MAX_UNITS];
} pattern;

/* Makes *p the instruction's. In a loop it mostly is already, and then the
 * figures need not be computed again. */
const pattern *pattern_find(pattern *p, const instruction *i);

typedef struct site {
  access_key key;        /* of memory; else its pc alone, and size 0 */
  const char *operation; /* "shuffle", as tables have it; null: of memory */
  simt_counters counters;
  pattern pattern;
  uintptr_t variable; /* where it has first touched shared memory; see race.c */
} site;

/* Finds the site of this OS thread, or makes it. */
site *site_find(block *b, const char *operation, access_key key);

/* What counts an operation that is not about memory. */
simt_counters *site_counters(block *b, const char *operation, uint32_t pc);

void sites_clear(block *b);

extern mechanism counters;

/* Counts how often each basic block of the program is passed. */
extern mechanism arithmetic_counter;

/* An instruction that computes, and the operations of all its executions. */
typedef struct {
  uint32_t pc;
  uint64_t flops;
} arithmetic;

typedef struct {
  arithmetic *entries; /* to be freed by the caller; null where there is none */
  size_t count;
} arithmetic_list;

/* What all OS threads have computed. False where objdump is missing or cannot
 * read this processor's code: then nobody knows. */
bool arithmetic_read(arithmetic_list *list);

/* The machine code of this program between two addresses, by objdump; null
 * where there is none. */
FILE *disassembly(uint32_t first, uint32_t last);
bool disassembly_next(FILE *in, unsigned long *address, char name[32],
                      char operands[256]);
