/* A reduction with an operation that was freed.
 *
 * ranks: 2
 * expect: argument.operation
 * bare: openmpi=crashes mpich=ends
 */
#include "../checked.h"

static void largest(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void program(void)
{
    MPI_Op op, copy;
    int mine = rank, most;
    MPI_Op_create(largest, 1, &op);
    copy = op;
#ifndef RIGHT
    MPI_Op_free(&op);
#endif
    MPI_Allreduce(&mine, &most, 1, MPI_INT, copy, WORLD); /* WRONG */
#ifdef RIGHT
    MPI_Op_free(&op);
#endif
}
