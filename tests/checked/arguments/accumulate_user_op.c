/* An accumulate with an operation of the program's own; only predefined ones are allowed.
 *
 * ranks: 2
 * expect: argument.operation
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void plus(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] += a[i];
}

static void program(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Op op;
    MPI_Op_create(plus, 1, &op);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    *memory = 0;
    MPI_Win_fence(0, window);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, TWIN(op, MPI_SUM), window); /* WRONG */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Op_free(&op);
}
