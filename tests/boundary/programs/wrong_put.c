/* Preloaded: MPI_Put transfers nothing. */
#include <mpi.h>

int MPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at, int room, MPI_Datatype room_type, MPI_Win window)
{
    (void)count, (void)room;
    return PMPI_Put(from, 0, type, rank, at, 0, room_type, window);
}
