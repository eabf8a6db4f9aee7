#ifndef MATRIX_H
#define MATRIX_H

#include "common/simt/run/mechanism.h"

/* WMMA, mma.sync, ldmatrix and stmatrix. */
extern mechanism matrices;

#endif
