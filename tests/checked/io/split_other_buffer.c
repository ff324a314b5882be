/* A split collective write is ended with another buffer than it was begun with.
 *
 * ranks: 2
 * expect: file.split-collective
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    int values[4] = {rank}, others[4] = {rank};
    MPI_File_open(WORLD, "checked.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at_all_begin(file, 16 * rank, values, 4, MPI_INT);
    MPI_File_write_at_all_end(file, TWIN(others, values), MPI_STATUS_IGNORE); /* WRONG */
    use(others);
    MPI_File_close(&file);
}
