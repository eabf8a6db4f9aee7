#pragma once

#include <stdint.h>

/* CUDA's runtime functions, which memory/ has in part, and a program with its
 * own main. */

/* The number of a stream in race.h. */
uint32_t stream_number(void *stream);

/* What a program asks for at `pc`, and nobody here can do: its end, with this
 * sentence and exit code 3. */
_Noreturn void program_impossible(uint32_t pc, const char *why);
