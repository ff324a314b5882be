/* An operation is never freed.
 *
 * ranks: 2
 * expect: leak.operation
 * bare: openmpi=ends mpich=ends
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
    MPI_Op op;
    int mine = rank, most;
    MPI_Op_create(largest, 1, &op); /* WRONG */
    MPI_Allreduce(&mine, &most, 1, MPI_INT, op, WORLD);
#ifdef RIGHT
    MPI_Op_free(&op);
#endif
}
