#ifndef SIMT_TEST_SUPPORT_H
#define SIMT_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/simt/simt.h"
#include "tests/simt/kernels/kernels.h"

/* Line of `file`, in tests/simt/kernels/, that holds "// @mark". */
int marked_line(const char *file, const char *mark);

/* Device memory full of zeros. Freed by the caller with cudaFree. */
void *device_memory(size_t size);

/* The same, 64 KiB: 32 KiB of codes of E4M3, then RESULTS. The codes' values
 * are 0, 0.5 ... 3.5 and their negatives: sums of products are exact. */
enum { RESULTS = 32 * 1024 };
uint8_t *small_codes(void);
float small_value(uint8_t code);

/* For cmocka: each test has fresh ones. */
extern uint8_t *codes;
int prepare_codes(void **state);
int release_codes(void **state);

/* Runs a kernel with the checks on and nothing left over from earlier ones. */
cudaError_t run_checked(kernel_run *run, void *memory, int first, int second);

/* Asserts a finding with these lines: "@mark", or "" for no second line. */
void assert_finding(simt_finding_kind kind, const char *file, const char *here,
                    const char *there);
void assert_finding_count(size_t count);

/* Runs a kernel of `file` on the codes with a planted bug: `count` findings,
 * and this one among them. */
void find_bug(const char *file, kernel_run *run, int bug, int second,
              simt_finding_kind kind, const char *here, const char *there,
              size_t count);

/* The counters of a marked line, summed over its operations. */
simt_counters counters_at(const char *file, const char *mark);

#endif
