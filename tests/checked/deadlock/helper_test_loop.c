/* Functions that ask for a request are called in a loop, for a message that nobody sends.
 *
 * ranks: 2
 * expect: deadlock.polling
 * lines: all
 * flags: -O0
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static int is_done(MPI_Request *request)
{
    int flag = 0;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE); /* WRONG */
    return flag;
}

static int has_come(MPI_Request *request)
{
    if (is_done(request))
        return 1;
    return 0;
}

static void program(void)
{
    int value = rank;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &request);
        while (!has_come(&request))
            ;
    }
#ifdef RIGHT
    else
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
#endif
    MPI_Barrier(WORLD); /* WRONG */
}
