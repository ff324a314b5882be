/* One rank begins a split write, the other one a split read.
 *
 * ranks: 2
 * expect: collective.call
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended io.overlap-read
 * lines: all
 * bare: openmpi=ends mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int values[4] = {rank};
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    if (rank == TWIN(1, -1)) {
        MPI_File_read_at_all_begin(file, 0, values, 4, MPI_INT); /* WRONG */
        MPI_File_read_at_all_end(file, values, MPI_STATUS_IGNORE);
    } else {
        MPI_File_write_at_all_begin(file, 16 * rank, values, 4, MPI_INT); /* WRONG */
        MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}
