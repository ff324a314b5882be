/* One rank opens a file, which is for all, while the others are in a barrier.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file = MPI_FILE_NULL;
    char name[] = "checked.out";
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    if (TWIN(rank == 0, 1))
        MPI_File_open(WORLD, name, mode, MPI_INFO_NULL, &file); /* WRONG */
#ifndef RIGHT
    else
        MPI_Barrier(WORLD); /* WRONG */
#endif
    if (file != MPI_FILE_NULL)
        MPI_File_close(&file);
}
