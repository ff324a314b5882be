/* One rank writes alone where the others write together.
 *
 * ranks: 2
 * expect: collective.call | collective.blocking | deadlock.collective
 * allow: collective.missing deadlock.cycle deadlock.ended
 * lines: any
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
    if (rank == TWIN(0, -1))
        MPI_File_write_at(file, 16 * rank, values, 4, MPI_INT, MPI_STATUS_IGNORE);
    else
        MPI_File_write_at_all(file, 16 * rank, values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file); /* WRONG */
}
