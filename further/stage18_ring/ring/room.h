#ifndef RING_ROOM_H
#define RING_ROOM_H

/* How many multiprocessors the next kernels of libfp8attention leave free. Its
 * blocks take a multiprocessor each and stay until all is done, so that what
 * NCCL starts beside them would wait for the end, or make one of them wait. */
void room_for_messages(int multiprocessors);

#endif
