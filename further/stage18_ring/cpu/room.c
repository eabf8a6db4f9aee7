#include "further/stage18_ring/ring/exchange.h"

/* The executor's messages need no multiprocessor. */
void room_for_messages(int multiprocessors) { (void)multiprocessors; }
