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

/* Runs a kernel with the checks on and nothing left over from earlier ones. */
cudaError_t run_checked(kernel_run *run, void *memory, int first, int second);

/* Asserts a finding with these lines: "@mark", or "" for no second line. */
void assert_finding(simt_finding_kind kind, const char *file, const char *here,
                    const char *there);
void assert_finding_count(size_t count);

/* The counters of a marked line, summed over its operations. */
simt_counters counters_at(const char *file, const char *mark);

#endif
