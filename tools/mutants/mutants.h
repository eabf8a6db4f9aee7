#ifndef MUTANTS_H
#define MUTANTS_H

#include "tools/source/place.h"
#include "tools/source/source.h"

typedef struct mutants mutants;
typedef struct rule rule;

/* A rule that makes mistakes of a kernel's own source: its finder is shown one
 * statement after the other of what runs on the GPU, and adds to the list what
 * can be made of it. */
struct rule {
  const char *name;
  void (*find)(source *s, const statement *st, const rule *r, mutants *list);
  const char *const *where; /* what it looks for, as its finder reads it */
  const char *what;         /* what it does there, as its finder reads it */
  const char *sentence;     /* on the mistake; %s is the code */
  bool orders;              /* of what puts the threads' accesses in order */
};

typedef struct {
  const rule *by;
  const region *where; /* NULL outside all regions */
  int line;
  size_t begin; /* of the code that the sentence shows */
  char *sentence;
  char *text; /* the whole source with the mistake, */
  size_t length;
} mutant;

struct mutants {
  mutant *all;
  int count;
};

/* Adds what these edits make, if nothing in the list is the same text. The code
 * from begin to end stands in the sentence. Frees the edits. */
void mutants_add(mutants *list, source *s, const rule *by, edit *edits,
                 int count, size_t begin, size_t end);

/* The code from begin to end. */
typedef struct {
  size_t begin, end;
} span;

/* The same with one edit: `text` takes the place of `what`, and the sentence
 * shows `shown`. */
void mutants_change(mutants *list, source *s, const rule *by, span what,
                    const char *text, span shown);

/* And where the sentence shows what `text` takes the place of. */
void mutants_replace(mutants *list, source *s, const rule *by, size_t begin,
                     size_t end, const char *text);

void mutants_free(mutants *list);

/* The rules; the last has no name. */
extern const rule rules[];

/* All mistakes that they make of a source, rule by rule in the order of the
 * table, each rule's in the order of the text. */
void rules_apply(source *s, mutants *list);

enum { CHOSEN_MOST = 60 };

/* Which mistakes of a stage are built and judged: for each rule one in each
 * region, and of these CHOSEN_MOST at most, evenly spread. Where the stage
 * before has a statement too, token by token, it was judged there, unless the
 * rule is about what puts threads in order. `before` may be NULL. */
void mutants_choose(const source *s, const mutants *list, const source *before,
                    bool *chosen);

/* What of a source runs on the GPU, and how its tokens lie. */

/* Says of each statement whether it is in the body of a __device__ or
 * __global__ function and no directive. */
void mark_kernel(const source *s, bool *inside);

/* Whether a token's text fits one of these patterns of fnmatch. */
bool token_fits(const source *s, int i, const char *const patterns[]);

/* Whether token i is a sign that assigns. */
bool token_assigns(const source *s, int i);

/* The next token of the statement that is no comment; past its last where there
 * is none. And the one before; below its first. */
int token_after(const source *s, const statement *st, int i);
int token_before(const source *s, const statement *st, int i);

/* Whether token i of a statement is this sign or word. */
bool token_at(const source *s, const statement *st, int i, const char *what);

/* The bracket that closes the one at token i, or the statement's last. */
int bracket_end(const source *s, const statement *st, int i);

/* How deep in brackets each step goes: +1 for one that opens, -1, 0. */
int bracket_depth(const source *s, int i);

/* What rules look for, and what they make of it. */

/* ---- calls.c; a rule's `where` are patterns of names ---- */

/* A statement that is nothing but such a call: its `what` is an edit of
 * tools/source/place.h. It goes up or down past what may touch memory only. */
void find_calls(source *s, const statement *st, const rule *r, mutants *list);

/* `what` begins with the number of an argument, from 1 on, behind which the
 * rest of it comes: "2 + 1". 0 is the template's argument. */
void find_arguments(source *s, const statement *st, const rule *r,
                    mutants *list);

/* atomicAdd(&WORD, NUMBER) as a plain addition. */
void find_atomics(source *s, const statement *st, const rule *r, mutants *list);

/* ---- expressions.c: what stands inside statements ---- */

/* A value that is used, not declared or written: each of `where` is a pattern
 * of tokens with blanks between them. An index behind it belongs to it. `what`
 * takes its place, where %s stands for it. */
void find_values(source *s, const statement *st, const rule *r, mutants *list);

/* A sign between two operands, one of `where`; `what` takes its place. Not in
 * the head of a for loop. */
void find_operators(source *s, const statement *st, const rule *r,
                    mutants *list);

/* A sign, one of `where`, with a number behind it, which becomes twice that. */
void find_numbers(source *s, const statement *st, const rule *r, mutants *list);

/* The first number of elements of a __shared__ array. `what` follows it. */
void find_arrays(source *s, const statement *st, const rule *r, mutants *list);

/* ---- statements.c: whole statements, their conditions and loops ---- */

/* A statement that writes, or calls a function, and declares nothing: an
 * empty one takes its place. */
void find_actions(source *s, const statement *st, const rule *r, mutants *list);

/* The condition of an if or of a choice with ?, unless it is of constants
 * alone. `what` takes its place. */
void find_conditions(source *s, const statement *st, const rule *r,
                     mutants *list);

/* A for loop that begins at 0 and counts up. `what` is "late": it begins with
 * the second; "short": it ends before the last; or "long": it has one more,
 * where the limit is no constant. */
void find_loops(source *s, const statement *st, const rule *r, mutants *list);

#endif
