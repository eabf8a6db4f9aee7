#ifndef PROFILE_RECORD_H
#define PROFILE_RECORD_H

/* Profiles one launch of a STAGE/ARM at each shape with Nsight Compute, and
 * writes FOLDER/STAGE[.ARM].ncu.json. The clocks are left as they are, and the
 * caches warm, as they are when the harness takes its times. Returns the exit
 * code, with what to do printed. */
int record_profile(const char *stage, const char *arm, const char *folder,
                   char *const *shapes, int count);

#endif
