#ifndef HALF_H
#define HALF_H

#include <stdint.h>

/* IEEE 754 binary16, as bits. Encoding rounds to nearest, ties to even;
 * magnitudes from 65520 on become infinite; NaN gives 0x7FFF. */
uint16_t half_encode(float x);
float half_decode(uint16_t bits);

#endif
