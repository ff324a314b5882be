/* What a split collective operation writes is changed between its halves.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    int values[4] = {rank};
    MPI_File_open(WORLD, "checked.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at_all_begin(file, 16 * rank, values, 4, MPI_INT); /* WRONG */
#ifndef RIGHT
    values[2] = 7;
#endif
    MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE);
#ifdef RIGHT
    values[2] = 7;
#endif
    use(values);
    MPI_File_close(&file);
}
