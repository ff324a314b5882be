/* One rank closes a file, the other one waits for a message before it does.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int value = rank;
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
#ifdef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file); /* WRONG */
#ifndef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, WORLD);
#endif
}
