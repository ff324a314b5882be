/* nompi: linked with the MPI library, but never calls it.
 *
 *   nompi [arguments ...]
 *
 * Shows: a tool must do nothing at all here: no files, no output, the exit status kept.
 * Prints OK and ends with the number of its arguments as status, so that a changed
 * status would be seen. The address of one MPI function is taken, so that the linker
 * keeps the library. */
#include <mpi.h>
#include <stdio.h>

int (*volatile kept)(int *, char ***) = MPI_Init;

int main(int argc, char **argv)
{
    (void)argv;
    printf("nompi %s\n", kept ? "OK" : "FAILED");
    return kept ? argc - 1 : 127;
}
