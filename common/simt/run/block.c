#include "common/simt/run/block.h"

_Thread_local block *simt_here;

void block_request(block *b, request r) {
  b->running->request = r;
  fibre_switch(&b->running->fibre, &b->scheduler);
}

_Noreturn void block_abort(block *b, cudaError_t error) {
  b->error = error;
  for (;;) block_request(b, (request){.kind = REQUEST_EXIT});
}
