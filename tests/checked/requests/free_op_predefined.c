/* A predefined operation is freed.
 *
 * ranks: 1
 * expect: object.freed | argument.operation
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void none(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void program(void)
{
    MPI_Op op = MPI_SUM;
    use((const void *)none);
#ifdef RIGHT
    MPI_Op_create(none, 1, &op);
#endif
    MPI_Op_free(&op); /* WRONG */
}
