/* A rank that does not exist, in a send that ends its function: optimised, the function jumps there and leaves no frame.
 *
 * ranks: 2
 * expect: argument.rank
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

__attribute__((noinline, optimize("O2"))) static int hand_over(int *values, int n, int to)
{
    if (n < 0)
        return MPI_SUCCESS;
    values[0]++;
    return MPI_Send(values, n, MPI_INT, to, 5, WORLD); /* WRONG */
}

static void program(void)
{
    int values[4] = {0};
    if (rank == 0)
        hand_over(values, 4, TWIN(size, 1));
#ifdef RIGHT
    else
        MPI_Recv(values, 4, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
#endif
}
