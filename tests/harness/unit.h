#ifndef UNIT_H
#define UNIT_H

/* What every cmocka test needs, in the order that cmocka wants it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
