/* More is unpacked than was packed.
 *
 * ranks: 1
 * expect: argument.buffer-short
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char buffer[64];
    short values[5] = {1, 2, 3, 4, 5};
    MPI_Aint bytes = 0, position = 0;
    MPI_Pack_external("external32", values, 4, MPI_SHORT, buffer, sizeof buffer, &bytes);
    MPI_Unpack_external("external32", buffer, bytes, &position, values, TWIN(5, 4), MPI_SHORT); /* WRONG */
}
