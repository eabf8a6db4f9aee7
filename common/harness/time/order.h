#ifndef ORDER_H
#define ORDER_H

/* In which order `count` arms are timed in round `round`: order[0] to
 * order[count - 1] become 0 to count - 1, shuffled, the same whenever this is
 * asked. An arm must not always follow the same other one: near its power cap
 * a GPU gives a kernel that comes after a frugal one a faster clock. */
void order_of_round(int round, int *order, int count);

#endif
