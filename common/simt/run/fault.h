#ifndef FAULT_H
#define FAULT_H

/* An access that the operating system refuses ends the kernel with CUDA's
 * error for it, and not the program. */

void fault_begin(void); /* once a launch */
void fault_end(void);
void fault_thread_begin(void); /* in each OS thread that runs blocks */
void fault_thread_end(void);

#endif
