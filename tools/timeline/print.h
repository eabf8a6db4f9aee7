#ifndef TIMELINE_PRINT_H
#define TIMELINE_PRINT_H

#include <jansson.h>

/* A summary's entry for one shape, as a table on stdout. */
void timeline_print(const char *shape, json_t *entry);

#endif
