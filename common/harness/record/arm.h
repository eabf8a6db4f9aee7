#ifndef ARM_H
#define ARM_H

#include <stdbool.h>
#include <stddef.h>

/* An arm of a stage: the toggles that differ from the stage's defaults, in the
 * order in which its kernel declares them. It is spelled "default", or
 * "USE_CP_ASYNC-0.LOAD_BYTES-1". What is not C asks
 * tools/toggles/toggles.sh, or lets blanks and = stand for dots and dashes. */

enum { ARM_TEXT = 512, ARM_SETTINGS_MAX = 32 };

typedef struct {
  char name[48], value[16];
} arm_setting;

typedef struct {
  arm_setting settings[ARM_SETTINGS_MAX];
  int count; /* 0: the default */
} arm;

/* Appends NAME=VALUE. False where the arm is full, NAME is no C identifier or
 * VALUE no whole number. */
bool arm_add(arm *a, const char *name, const char *value);

/* The arm that is spelled so; false where none is. */
bool arm_decode(arm *a, const char *spelling);

/* How it is spelled, in `text` of ARM_TEXT bytes. */
void arm_encode(const arm *a, char *text);

/* As a reader types it, in `text` of ARM_TEXT bytes: "A=0 B=1" with `before` in
 * front of each ("-D" for a compiler). */
void arm_settings(const arm *a, const char *before, char *text);

/* A result's file name without .json, in `text` of ARM_TEXT bytes: the stage's
 * name, and for another arm than the default ".A-0.B-1" behind it. */
void arm_file_name(const char *stage, const char *spelling, char *text);

/* The other way: stage and spelling of such a name, ARM_TEXT bytes each. What
 * follows the arm, as in ".count", must be gone. */
bool arm_of_file_name(const char *name, char *stage, char *spelling);

#endif
