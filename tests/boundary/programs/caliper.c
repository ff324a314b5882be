/* A library with Caliper's C interface: says on stderr that it was called. */
#include <stdio.h>

void cali_begin_region(const char *name) { fprintf(stderr, "caliper begins %s\n", name); }
void cali_end_region(const char *name) { fprintf(stderr, "caliper ends %s\n", name); }
