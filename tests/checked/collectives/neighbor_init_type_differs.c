/* Neighbours of a ring exchange halos with a persistent operation, one of them in another precision.
 *
 * ranks: 4
 * expect: collective.datatype | collective.count
 * allow: argument.variable-type
 * mpi: mpich
 * bare: mpich=ends
 */
#include "../checked.h"

enum { HALO = 4 };

static void program(void)
{
    int periodic = 1;
    double out[2 * HALO], in[2 * HALO];
    MPI_Comm ring;
    MPI_Request request;
    MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &ring);
    for (int i = 0; i < 2 * HALO; i++)
        out[i] = in[i] = rank;
    MPI_Datatype type = rank == TWIN(2, -1) ? MPI_FLOAT : MPI_DOUBLE;
    MPI_Neighbor_alltoall_init(out, HALO, type, in, HALO, type, ring, MPI_INFO_NULL, &request);
    MPI_Start(&request); /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Comm_free(&ring);
}
