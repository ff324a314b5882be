/* Datatypes of every constructor that says how its blocks lie, and windows of every kind, with known sizes. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

static void drop(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Datatype row, type;
    int lengths[2] = {2, 3}, displacements[2] = {0, 4}, sizes[2] = {10, 10}, part[2] = {10, 5}, from[2] = {0, 5};
    int order[2] = {3, 0}, gapless[2] = {0, 2};
    MPI_Aint bytes[2] = {0, 64}, members[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};

    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Type_contiguous(7, MPI_DOUBLE, &row);
    MPI_Type_vector(3, 2, 4, row, &type), drop(type);         /* 3 blocks of 2 rows, every 4 rows */
    MPI_Type_vector(3, 4, 4, row, &type), drop(type);         /* no gaps */
    MPI_Type_create_hvector(5, 1, 24, MPI_DOUBLE, &type), drop(type);
    drop(row);
    MPI_Type_indexed(2, lengths, displacements, MPI_INT, &type), drop(type);
    MPI_Type_indexed(2, lengths, gapless, MPI_FLOAT, &type), drop(type);
    MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &type), drop(type);
    MPI_Type_create_indexed_block(2, 3, order, MPI_INT, &type), drop(type);
    MPI_Type_create_hindexed_block(2, 3, bytes, MPI_INT, &type), drop(type);
    MPI_Type_create_struct(2, lengths, members, types, &type), drop(type);
    MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &type), drop(type);
    MPI_Type_create_resized(MPI_INT, -4, 12, &type), drop(type);
    MPI_Type_dup(MPI_INT, &type), drop(type);
#if MPI_VERSION >= 4
    MPI_Type_vector_c(3, 2, 5, MPI_SHORT, &type), drop(type);
    MPI_Count large_lengths[2] = {1, 6}, large_at[2] = {0, 100};
    MPI_Type_create_hindexed_c(2, large_lengths, large_at, MPI_SHORT, &type), drop(type);
#endif

    MPI_Win win;
    int *memory = malloc(4096);
    MPI_Win_create(memory, 1024 + 8 * rank, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    void *base;
    MPI_Win_allocate(4096, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    MPI_Win_allocate_shared(rank == 0 ? 512 : 0, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
#if MPI_VERSION >= 4
    MPI_Win_allocate_c(2048, 16, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
#endif
    free(memory);
    MPI_Finalize();
    return 0;
}
