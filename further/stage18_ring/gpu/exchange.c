#include "further/stage18_ring/ring/exchange.h"

#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "further/stage18_ring/ranks/ranks.h"

struct exchange {
  int rank, ranks, multiprocessors;
  int all; /* multiprocessors of the device */
  ncclComm_t comm;
  cudaStream_t compute, stream;
  cudaEvent_t ready;   /* compute has done what an exchange must wait for */
  cudaEvent_t arrived; /* what compute must wait for */
  marks *times;
  int step; /* exchanges since exchange_times */
  reason failure;
};

static bool cuda_refuses(const exchange *x, cudaError_t error, reason *why) {
  if (!error) return false;
  refuse(why, "Rank %d cannot exchange: %s.", x->rank,
         cudaGetErrorString(error));
  return true;
}

static bool nccl_refuses(const exchange *x, ncclResult_t error, reason *why) {
  if (!error) return false;
  refuse(why,
         "NCCL fails on rank %d: %s; NCCL_DEBUG=WARN in the environment says "
         "more.",
         x->rank, ncclGetErrorString(error));
  return true;
}

/* A CTA is a multiprocessor here: the attention kernel leaves no room beside
 * itself on those that it has. */
static bool connect(exchange *x, reason *why) {
  ncclUniqueId id;
  ncclResult_t error = ncclSuccess;
  if (x->rank == 0) error = ncclGetUniqueId(&id);
  if (nccl_refuses(x, error, why)) return false;
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (x->multiprocessors) {
    config.minCTAs = 1;
    config.maxCTAs = x->multiprocessors;
  }
  error = ncclCommInitRankConfig(&x->comm, x->ranks, id, x->rank, &config);
  return !nccl_refuses(x, error, why);
}

exchange *exchange_open(const exchange_options *options, reason *why) {
  exchange *x = ranks_memory(1, sizeof *x);
  *x = (exchange){.rank = options->rank,
                  .ranks = options->ranks,
                  .multiprocessors = options->multiprocessors,
                  .compute = options->compute};
  int device = 0, least = 0, greatest = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&x->all, cudaDevAttrMultiProcessorCount,
                                   device);
  if (!error) error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (!error)
    error = cudaStreamCreateWithPriority(&x->stream, cudaStreamNonBlocking,
                                         greatest);
  if (!error)
    error = cudaEventCreateWithFlags(&x->ready, cudaEventDisableTiming);
  if (!error)
    error = cudaEventCreateWithFlags(&x->arrived, cudaEventDisableTiming);
  if (!cuda_refuses(x, error, why) && connect(x, why)) return x;
  exchange_close(x);
  return NULL;
}

void exchange_close(exchange *x) {
  if (!x) return;
  if (x->comm) ncclCommDestroy(x->comm);
  if (x->arrived) cudaEventDestroy(x->arrived);
  if (x->ready) cudaEventDestroy(x->ready);
  if (x->stream) cudaStreamDestroy(x->stream);
  free(x);
}

/* The messages' stream goes on where compute is now. */
static cudaError_t follow_compute(exchange *x) {
  cudaError_t error = cudaEventRecord(x->ready, x->compute);
  if (!error) error = cudaStreamWaitEvent(x->stream, x->ready, 0);
  return error;
}

//> exchange
bool exchange_begin(exchange *x, message send, message receive, reason *why) {
  if (cuda_refuses(x, follow_compute(x), why)) return false;
  const int next = (x->rank + 1) % x->ranks;
  const int before = (x->rank + x->ranks - 1) % x->ranks;
  marks_begin(x->times, x->stream, "exchange", x->step++);
  ncclResult_t error = ncclGroupStart();
  if (!error)
    error = ncclSend(send.memory, send.bytes, ncclUint8, next, x->comm,
                     x->stream);
  if (!error)
    error = ncclRecv(receive.memory, receive.bytes, ncclUint8, before, x->comm,
                     x->stream);
  const ncclResult_t ended = ncclGroupEnd();
  marks_end(x->times, x->stream);
  return !nccl_refuses(x, error ? error : ended, why);
}

bool exchange_end(exchange *x, reason *why) {
  cudaError_t error = cudaEventRecord(x->arrived, x->stream);
  if (!error) error = cudaStreamWaitEvent(x->compute, x->arrived, 0);
  return !cuda_refuses(x, error, why);
}
//< exchange

bool exchange_gather(exchange *x, const message *received, message own,
                     size_t slot, reason *why) {
  if (cuda_refuses(x, follow_compute(x), why)) return false;
  marks_begin(x->times, x->stream, "exchange", x->step++);
  const ncclResult_t error =
      ncclAllGather(own.memory, received[0].memory, slot, ncclUint8, x->comm,
                    x->stream);
  marks_end(x->times, x->stream);
  return !nccl_refuses(x, error, why) && exchange_end(x, why);
}

bool exchange_may_read(const exchange *x, message read, int source,
                       reason *why) {
  (void)x, (void)read, (void)source, (void)why;
  return true;
}

const char *exchange_failure(exchange *x) {
  ncclResult_t error = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(x->comm, &error);
  if (asked) error = asked;
  if (error == ncclInProgress) return NULL;
  return nccl_refuses(x, error, &x->failure) ? x->failure.text : NULL;
}

void exchange_times(exchange *x, marks *times) {
  x->times = times;
  x->step = 0;
}

int exchange_leaves(const exchange *x) {
  const int taken = x->multiprocessors;
  return taken && taken < x->all ? x->all - taken : 0;
}
