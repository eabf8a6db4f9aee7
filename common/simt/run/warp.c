/* Where lanes of a warp meet. They may go on when every lane of the mask that
 * has not returned waits with the same mask for the same operation. */

#include "common/simt/run/finding.h"
#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

static bool is_together(const request *r) {
  return r->kind == REQUEST_CARRY_OUT && r->to->carry_out_together;
}

/* A lane of the mask that waits in something else, now and for ever. */
static void mismatch(block *b, const thread *t, const thread *other) {
  if (other->request.warp.mask != t->request.warp.mask)
    finding_report(b, SIMT_WARP_MASK, t->request.pc, other->request.pc, t->id,
                   other->id,
                   "lanes of one warp wait with masks %08x and %08x",
                   t->request.warp.mask, other->request.warp.mask);
  else
    finding_report(b, SIMT_WARP_OPERATION, t->request.pc, other->request.pc,
                   t->id, other->id,
                   "lanes of one mask wait in %s and in %s",
                   mechanism_waits_in(&t->request),
                   mechanism_waits_in(&other->request));
  b->error = cudaErrorLaunchFailure;
}

/* True when all lanes of t's mask wait as t does. */
static bool complete(block *b, warp *w, const thread *t) {
  const request *r = &t->request;
  const uint32_t needed = r->warp.mask & w->alive;
  if (needed & w->ready) return false;
  for (uint32_t lanes = needed; lanes; lanes &= lanes - 1) {
    const thread *other = &w->first[__builtin_ctz(lanes)];
    const request *q = &other->request;
    if (!is_together(q)) return false;
    if (q->to != r->to || q->operation != r->operation ||
        q->warp.mask != r->warp.mask) {
      mismatch(b, t, other);
      return false;
    }
  }
  return true;
}

static void carry_out(block *b, warp *w, const request *r, uint32_t lanes) {
  if (lanes == UINT32_MAX || !r->to->whole_warp) {
    r->to->carry_out_together(b, w, lanes);
    return;
  }
  finding_report(b, SIMT_USAGE, r->pc, 0, w->first->id, w->first->id,
                 "%s needs all 32 lanes of the warp", mechanism_waits_in(r));
  b->error = cudaErrorIllegalInstruction;
}

void warp_requests(block *b, warp *w) {
  uint32_t done = 0;
  for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    if (!is_together(&t->request) || done >> t->lane & 1) continue;
    if (!complete(b, w, t)) continue;
    const uint32_t needed = t->request.warp.mask & w->alive;
    carry_out(b, w, &t->request, needed);
    done |= needed;
  }
  w->ready |= done;
}
