/* All ranks write a file together, thirty times. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static char block[1 << 16];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 30; i++) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, "written.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        MPI_File_write_at_all(file, (MPI_Offset)rank * sizeof block, block, sizeof block, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0;
}
