#ifndef COMPARE_PAGE_H
#define COMPARE_PAGE_H

/* Writes ROOT/COMPARE.md: for each folder of results below ROOT the
 * neighbouring stages, then each arm of a stage under its default. The page
 * that was there stays where that fails. Returns the exit code, with one
 * sentence printed. */
int page_write(const char *root);

#endif
