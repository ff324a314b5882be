/* Non-blocking writes of two ranks overlap.
 *
 * ranks: 2
 * expect: io.overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int values[4] = {rank};
    MPI_Request request;
    MPI_File_iwrite_at(file, TWIN(8, 16) * rank, values, 4, MPI_INT, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
