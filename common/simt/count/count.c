/* Counts warp instructions as a profiler does. */

#include "common/simt/access/access.h"
#include "common/simt/count/count.h"

static void count_shared(simt_counters *c, access_kind kind,
                         const pattern *p) {
  c->shared_wavefronts += p->wavefronts;
  c->shared_wavefronts_ideal += p->wavefronts_ideal;
  c->bank_conflicts += p->wavefronts - p->wavefronts_ideal;
  if (kind == ACCESS_LDMATRIX) c->ldmatrix++;
  if (kind == ACCESS_WRITE || kind == ACCESS_VOLATILE_WRITE ||
      kind == ACCESS_STMATRIX)
    c->shared_stores++;
  else if (kind != ACCESS_COPY_WRITE)
    c->shared_loads++;
}

static void count_global(simt_counters *c, access_kind kind,
                         const pattern *p) {
  c->global_sectors_ideal += p->sectors_ideal;
  if (kind == ACCESS_WRITE || kind == ACCESS_VOLATILE_WRITE) {
    c->global_stores++;
    c->global_store_sectors += p->sectors;
  } else {
    c->global_loads++;
    c->global_load_sectors += p->sectors;
  }
}

static void count(block *b, warp *w, const instruction *i, site *s,
                  const pattern *p) {
  (void)b, (void)w;
  const access_kind kind = (access_kind)i->key.kind;
  simt_counters *c = &s->counters;
  const uint32_t lanes = (uint32_t)__builtin_popcount(i->lanes);
  if (kind == ACCESS_COPY_DONE || kind == ACCESS_MBARRIER) return;
  c->lane_accesses += lanes;
  if (kind == ACCESS_ATOMIC) c->atomics++;
  if (kind == ACCESS_COPY_WRITE) {
    c->async_copies++;
    c->async_copy_bytes += lanes * i->key.size;
  }
  if (i->key.shared)
    count_shared(c, kind, p);
  else
    count_global(c, kind, p);
}

mechanism counters = {
    .name = "counters", .checks = SIMT_COUNTS, .instruction = count};
