#include "common/harness/time/timing.h"

#include "common/harness/problem/random.h"

void order_of_round(int round, int *order, int count) {
  for (int i = 0; i < count; i++) { /* Fisher and Yates, from inside out */
    const int j = (int)(random_bits(0, (uint64_t)round, (uint64_t)i) %
                        (uint64_t)(i + 1));
    order[i] = order[j];
    order[j] = i;
  }
}
