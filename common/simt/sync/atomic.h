#ifndef ATOMIC_H
#define ATOMIC_H

#include "common/simt/include/simt_abi.h"

/* What an atomic operation of 4 or 8 bytes makes of its operands. */
uint64_t atomic_combine(simt_atomic_operation operation, size_t size,
                        uint64_t old, uint64_t value, uint64_t compare);

#endif
