#ifndef PROXY_H
#define PROXY_H

#include "common/simt/race/order.h"
#include "common/simt/run/mechanism.h"

/* Shared memory as wgmma and TMA see it: through the asynchronous proxy, at any
 * time between the instruction and the wait for it. All of it does nothing
 * unless the block checks for races. */
extern mechanism proxy_check;

/* A new stamp for what an engine starts to do for thread `t`. */
uint32_t proxy_start(block *b, uint32_t engine, const thread *t);
/* Thread `id` has waited for what the engine did until `stamp`. */
void proxy_learn(block *b, uint32_t id, uint32_t engine, uint32_t stamp);
/* The same for all who will leave a barrier with these clocks. */
void proxy_tell(block *b, uint32_t *clocks, uint32_t engine, uint32_t stamp);

void proxy_fence(block *b, const thread *t);
/* Tells of a missing fence after the cell's write, as far as `count` threads
 * from `first` know. True where there is none missing. */
bool proxy_check_fence(block *b, uint32_t first, uint32_t count, uint32_t pc,
                       uintptr_t address, const cell *c);
/* True where all of them know that writer and fence are done. */
bool proxy_is_fenced(const block *b, uint32_t first, uint32_t count,
                     uint32_t writer, uint32_t stamp);

#endif
