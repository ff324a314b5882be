/* Memory is made for the message that a probe of any source has found; the receive may take another one, which is longer. Right: the receive names what was found.
 *
 * ranks: 3
 * expect: race.truncated
 * allow-both: race.probe race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Status status;
    if (rank == 0) {
        for (int n = 1; n < size; n++) {
            int count;
            MPI_Probe(MPI_ANY_SOURCE, 0, WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            int *values = malloc(sizeof *values * (size_t)count);
            MPI_Recv(values, count, MPI_INT, TWIN(MPI_ANY_SOURCE, status.MPI_SOURCE), 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
            free(values);
        }
    } else {
        int values[8] = {rank};
        if (rank == 2)
            pause_ms(200);
        MPI_Send(values, rank == 1 ? 1 : 8, MPI_INT, 0, 0, WORLD); /* WRONG */
    }
}
