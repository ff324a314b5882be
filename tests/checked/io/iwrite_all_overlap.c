/* Non-blocking collective writes overlap.
 *
 * ranks: 2
 * expect: io.overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    MPI_Request request;
    char name[] = "checked.out";
    int values[4] = {rank};
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_iwrite_at_all(file, TWIN(15, 16) * rank, values, 4, MPI_INT, &request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
