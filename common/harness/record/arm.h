#ifndef ARM_H
#define ARM_H

#include <stdbool.h>

/* An arm of a stage: the toggles that differ from the stage's defaults, in the
 * order in which its kernel declares them. It is spelled "default", or
 * "USE_CP_ASYNC-0.LOAD_BYTES-1". What is not C asks
 * tools/toggles/toggles.py, or lets blanks and = stand for dots and dashes. */

enum { ARM_TEXT = 512, ARM_SETTINGS_MAX = 32 };

typedef struct {
  char name[48], value[16];
} arm_setting;

typedef struct {
  arm_setting settings[ARM_SETTINGS_MAX];
  int count; /* 0: the default */
} arm;

/* The arm that is spelled so; false where none is. */
bool arm_decode(arm *a, const char *spelling);

/* As a reader types it, in `text` of ARM_TEXT bytes, cut off where there is no
 * room: "A=0 B=1". */
void arm_settings(const arm *a, char *text);

/* A result's file name without .json, in `text` of ARM_TEXT bytes: the stage's
 * name, and for another arm than the default ".A-0.B-1" behind it. */
void arm_file_name(const char *stage, const char *spelling, char *text);

#endif
