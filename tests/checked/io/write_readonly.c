/* A write to a file that was opened for reading.
 *
 * ranks: 2
 * expect: file.mode
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    char name[] = "checked.out";
    int values[4] = {rank};
    if (rank == 0) {
        FILE *made = fopen(name, "w");
        fwrite(values, sizeof(int), 4, made);
        fclose(made);
    }
    MPI_Barrier(WORLD);
    MPI_File file;

    MPI_File_open(WORLD, name, TWIN(MPI_MODE_RDONLY, MPI_MODE_RDWR), MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at(file, 4 * rank, values, 1, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
