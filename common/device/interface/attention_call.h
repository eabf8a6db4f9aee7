#ifndef ATTENTION_CALL_H
#define ATTENTION_CALL_H

/* What a kernel gets that knows masks and shared K/V heads. Plain C. */

#include "common/device/interface/attention.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The harness always passes the address of `args` in an attention_call. A
 * pointer to a struct points to its first member, and back (C11 6.7.2.1), so
 * stage_launch gets at the rest by
 *   const attention_call *call = (const attention_call *)args;
 * With fewer K/V heads than heads, k and v are [B][H_kv][S][D], k_scale and
 * v_scale [B][H_kv], and head h reads K/V head h / (H / H_kv). */
typedef struct {
  attention_args args;
  int64_t kv_heads; /* H_kv; divides H */
  int causal;       /* 1: key j takes part in row i only where j <= i */
} attention_call;

/* A kernel that reads the call says what of it, in kernel.cu:
 *   extern "C" const int stage_takes = TAKES_CAUSAL | TAKES_GROUPED;
 * The harness hands masks and shared heads to no kernel without it. With
 * ROUNDS_P_TO_E4M3 it is judged beside a reference that does so, too. */
enum { TAKES_CAUSAL = 1, TAKES_GROUPED = 2, ROUNDS_P_TO_E4M3 = 4 };
extern const int stage_takes;

#ifdef __cplusplus
}
#endif

#endif
