/* Ranks log with the shared pointer, wind it back and read all entries, without making them visible.
 *
 * ranks: 2
 * expect: io.overlap-read
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int values[8] = {rank, 1, 2, 3};
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_shared(file, values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
#ifdef RIGHT
    MPI_File_sync(file);
#endif
    MPI_Barrier(WORLD);
#ifdef RIGHT
    MPI_File_sync(file);
#endif
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    if (rank == 0)
        MPI_File_read_shared(file, values, 8, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
