#pragma once

#include "common/simt/simt.h"

/* The place in a .cu file that a return address of this program belongs to:
 * the line of the kernel itself, as `via` the line of the device function
 * inlined there, and the calls that led to it. Files are as the compiler knew
 * them, without a leading "./". The strings stay valid. */
simt_place source_place(uint32_t return_address);

/* Both are copies of one call in the source: the compiler inlines it as one
 * function, even where it puts the code in two places. */
bool source_is_one_call(uint32_t one, uint32_t other);

/* The volatile read whose call returns there is that of a loop that waits.
 * False where the machine code cannot be read. */
bool source_is_wait(uint32_t return_address);

/* The text of a line without its indentation, "" where the file is not to be
 * found from here. Valid until the next call. */
const char *source_text(const char *file, int line);
