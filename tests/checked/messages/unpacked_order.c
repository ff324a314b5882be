/* A message is unpacked in another order than it was packed.
 *
 * ranks: 2
 * expect: message.unpacked-as
 * lines: any
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char packed[1000];
    int n = 3, position = 0;
    double value = 1.5;
    if (rank == 0) {
        MPI_Pack(&n, 1, MPI_INT, packed, sizeof packed, &position, WORLD);
        MPI_Pack(&value, 1, MPI_DOUBLE, packed, sizeof packed, &position, WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 0, WORLD);
    } else {
        MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 0, WORLD, MPI_STATUS_IGNORE);
#ifndef RIGHT
        MPI_Unpack(packed, sizeof packed, &position, &value, 1, MPI_DOUBLE, WORLD); /* WRONG */
#endif
        MPI_Unpack(packed, sizeof packed, &position, &n, 1, MPI_INT, WORLD);
#ifdef RIGHT
        MPI_Unpack(packed, sizeof packed, &position, &value, 1, MPI_DOUBLE, WORLD);
#endif
    }
    use(packed);
}
