#ifndef SHA256_H
#define SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_TEXT = 65 };

/* SHA-256 (FIPS 180-4) of these bytes, in hexadecimal. */
void sha256_text(const void *bytes, size_t size, char text[SHA256_TEXT]);

/* Of a file; false if it cannot be read. */
bool sha256_file(const char *path, char text[SHA256_TEXT]);

#endif
