/* The buffer of a non-blocking write is changed before the wait.
 *
 * ranks: 1
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    MPI_Request request;
    char name[] = "checked.out";
    int *values = calloc(1 << 16, sizeof(int));
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_iwrite_at(file, 0, values, 1 << 16, MPI_INT, &request); /* WRONG */
#ifndef RIGHT
    values[12345] = 1;
    use(values);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
    free(values);
}
