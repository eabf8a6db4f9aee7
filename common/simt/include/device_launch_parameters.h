#ifndef SIMT_DEVICE_LAUNCH_PARAMETERS_H
#define SIMT_DEVICE_LAUNCH_PARAMETERS_H

/* threadIdx and its kin come from simt_prelude.h. */

#endif
