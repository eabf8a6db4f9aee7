#ifndef STAGE_H
#define STAGE_H

/* What a stage's driver.c tells the harness; the rest its kernel.cu says in
 * stage_support. */
typedef struct {
  const char *name;    /* the stage's folder */
  const char *summary; /* half a sentence for --help */
} stage_description;

/* The whole host program: options -> problem -> launch -> gates -> timing ->
 * results. Returns the exit code: 0 pass, 1 a gate failed, 2 wrong command
 * line, 3 this machine cannot do that. */
int stage_main(const stage_description *stage, int argc, char **argv);

#endif
