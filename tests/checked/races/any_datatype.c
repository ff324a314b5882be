/* Two kinds of messages have one tag, and receives of any source expect them in one order.
 *
 * ranks: 3
 * expect: race.datatype
 * allow: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COUNT = 1, VALUE = TWIN(1, 2) };

static void program(void)
{
    int count = rank;
    float value = 1.5f;
    if (rank == 0) {
        MPI_Recv(&count, 1, MPI_INT, MPI_ANY_SOURCE, COUNT, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&value, 1, MPI_FLOAT, MPI_ANY_SOURCE, VALUE, WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(&count, 1, MPI_INT, 0, COUNT, WORLD);
    } else {
        pause_ms(200);
        MPI_Send(&value, 1, MPI_FLOAT, 0, VALUE, WORLD); /* WRONG */
    }
}
