#ifndef REQUEST_H
#define REQUEST_H

/* What a thread wants when it stops. */

#include "common/simt/include/simt_abi.h"

typedef struct mechanism mechanism;

typedef enum {
  REQUEST_YIELD, /* that the other lanes catch up: it can run on at once */
  REQUEST_SPIN,  /* the same, in a loop that waits for another thread */
  REQUEST_CARRY_OUT, /* that a mechanism does something for it */
  REQUEST_EXIT   /* nothing: it has returned */
} request_kind;

typedef struct {
  request_kind kind;
  uint32_t pc;
  const mechanism *to; /* REQUEST_CARRY_OUT: who does it, */
  uint8_t operation;   /* and which of his operations it is */
  bool asks;  /* only asks for what others must do, and will ask again */
  bool filed; /* the mechanism has seen it, and waits for other threads */
  /* Which member holds, the kind says, or mechanism and operation. */
  union {
    const char *spins_in; /* REQUEST_SPIN: "a loop that ..." */
    struct {
      uint32_t id, threads; /* threads is 0 for __syncthreads */
      bool predicate;
      simt_vote vote;
    } barrier;
    struct {
      const uint64_t *address;
      uint32_t arrivals; /* how many, */
      uint32_t dropped;  /* how many of them come no more, */
      uint32_t bytes;    /* and how many bytes more they expect */
      uint32_t parity;   /* of a wait */
    } mbarrier;
    struct {
      uint32_t mask; /* the lanes that must come, for any of them */
      union {
        bool predicate;
        struct {
          uint64_t value;
          uint32_t source; /* the lane to read from */
        } shuffle;
        struct {
          uint32_t value;
          simt_atomic_operation operation;
        } reduction;
        const void *matrix; /* a variable of the thread: see matrix.c */
      };
    } warp;
    const void *call; /* all others': a variable of the thread */
  };
} request;

#endif
