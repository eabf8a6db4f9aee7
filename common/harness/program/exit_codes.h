#ifndef EXIT_CODES_H
#define EXIT_CODES_H

/* What every program here says to the shell. */
enum {
  EXIT_PASS = 0,
  EXIT_FAILED = 1,    /* a gate, a check or a comparison */
  EXIT_USAGE = 2,     /* a wrong command line */
  EXIT_IMPOSSIBLE = 3 /* this machine cannot do that */
};

#endif
