#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include "common/simt/run/block.h"

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

/* One warp instruction: the same access by the lanes of `lanes`. The other
 * addresses are copies of one of theirs. */
typedef struct instruction {
  access_key key;
  uint32_t lanes;
  uint64_t address[WARP_SIZE];
} instruction;

#endif
