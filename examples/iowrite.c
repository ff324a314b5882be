/* iowrite: writes one file in many ways with MPI-IO, reads it back and deletes it.
 *
 *   iowrite [--file NAME] [--blocks N] [--block-ints N]
 *
 * Default: iowrite.tmp in the working directory, 64 blocks of 1024 ints for each rank.
 * The file has four sections, each one written by its own call:
 *   0  MPI_File_write_at        independent, explicit offset
 *   1  MPI_File_write_at_all    collective, explicit offset
 *   2  MPI_File_write_all       collective, through a strided view (blocks of all ranks
 *                               alternate: two-phase I/O has work to do)
 *   3  MPI_File_iwrite_at       nonblocking, in quarters
 * Every rank reads what its right neighbour wrote.
 *
 * Shows: bytes and time of independent against collective I/O. */
#include "common.h"

static int value_at(int section, int rank, long i) { return section * 1000003 + rank * 10007 + (int)i; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *name = opt_str(argc, argv, "--file", "iowrite.tmp");
    int blocks = opt_long(argc, argv, "--blocks", 64), len = opt_long(argc, argv, "--block-ints", 1024);
    blocks = (blocks + 3) / 4 * 4;
    int count = blocks * len, other = (rank + 1) % size;
    MPI_Offset section = (MPI_Offset)count * size * sizeof(int), mine = (MPI_Offset)count * rank * sizeof(int);
    int *data = malloc(4 * (size_t)count * sizeof(int)), *back = malloc((size_t)count * sizeof(int));
    for (int s = 0; s < 4; s++)
        for (long i = 0; i < count; i++)
            data[(long)s * count + i] = value_at(s, rank, i);

    MPI_File file;
    MPI_Status status;
    MPI_Offset bytes;
    int got, rc = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rc != MPI_SUCCESS) { /* files, unlike communicators, return errors by default */
        char text[MPI_MAX_ERROR_STRING];
        MPI_Error_string(rc, text, &got);
        fprintf(stderr, "iowrite: cannot open %s: %s\n", name, text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    CHECK(MPI_File_set_size(file, 0) == MPI_SUCCESS);
    MPI_File_write_at(file, mine, data, count, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(got == count);
    MPI_File_write_at_all(file, section + mine, data + count, count, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(got == count);

    MPI_Datatype strided;
    MPI_Type_vector(blocks, len, len * size, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_File_set_view(file, 2 * section + (MPI_Offset)rank * len * sizeof(int), MPI_INT, strided, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data + 2L * count, count, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(got == count);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);

    for (int quarter = 0; quarter < 4; quarter++) {
        MPI_Request request;
        long at = (long)quarter * (count / 4);
        MPI_File_iwrite_at(file, 3 * section + mine + at * (MPI_Offset)sizeof(int), data + 3L * count + at, count / 4, MPI_INT, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &got);
        CHECK(got == count / 4);
    }

    /* What others wrote is there after sync, barrier, sync. */
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_get_size(file, &bytes);
    CHECK(bytes == 4 * section);
    for (int s = 0; s < 4; s++) {
        if (s == 2) {
            MPI_File_set_view(file, 2 * section + (MPI_Offset)other * len * sizeof(int), MPI_INT, strided, "native", MPI_INFO_NULL);
            MPI_File_read_all(file, back, count, MPI_INT, &status);
            MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
        } else {
            MPI_Offset at = s * section + (MPI_Offset)count * other * sizeof(int);
            if (s % 2)
                MPI_File_read_at_all(file, at, back, count, MPI_INT, &status);
            else
                MPI_File_read_at(file, at, back, count, MPI_INT, &status);
        }
        MPI_Get_count(&status, MPI_INT, &got);
        CHECK(got == count);
        int wrong = 0;
        for (long i = 0; i < count; i++)
            wrong += back[i] != value_at(s, other, i);
        CHECK(wrong == 0);
    }
    MPI_Type_free(&strided);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);

    int failures;
    MPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("iowrite %d bytes for each rank %s\n", 4 * count * (int)sizeof(int), failures ? "FAILED" : "OK");
    free(data);
    free(back);
    MPI_Finalize();
    return failures != 0;
}
