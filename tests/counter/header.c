/* The input of generate.py, after the preprocessor. Removed functions stay out. */
#include <mpi.h>
