#pragma once

/* threadIdx and its kin come from simt_prelude.h. */
