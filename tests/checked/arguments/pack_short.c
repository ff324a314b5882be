/* The buffer to pack into is too short for the second part.
 *
 * ranks: 1
 * expect: argument.buffer-short
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char buffer[40];
    int count = 3, position = 0, room = TWIN(24, 40);
    double values[3] = {1, 2, 3};
    MPI_Pack(&count, 1, MPI_INT, buffer, room, &position, WORLD);
    MPI_Pack(values, 3, MPI_DOUBLE, buffer, room, &position, WORLD); /* WRONG */
}
