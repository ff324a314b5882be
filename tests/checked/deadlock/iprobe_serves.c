/* A server asks for requests until all are done with; one of its clients waits for an answer that it does not give.
 *
 * ranks: 3
 * expect: deadlock.polling
 * allow-both: race.probe race.receive
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void serve(int clients)
{
    while (clients > 0) {
        int there, value;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &there, &status); /* WRONG */
        if (!there)
            continue;
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == 2)
            clients--;
        else if (TWIN(status.MPI_SOURCE == 1, 1))
            MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 3, WORLD);
    }
}

static void program(void)
{
    int value = rank;
    if (rank == 0) {
        serve(size - 1);
        return;
    }
    MPI_Send(&value, 1, MPI_INT, 0, 1, WORLD);
    MPI_Recv(&value, 1, MPI_INT, 0, 3, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Send(&value, 1, MPI_INT, 0, 2, WORLD);
}
