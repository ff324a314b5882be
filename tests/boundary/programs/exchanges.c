/* Round trips, the halo exchange of a ring, and reductions: what `mpiscope bench` measures, too. */

#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 4096, ROUNDS = 200 };

int main(int argc, char **argv)
{
    static char left[BYTES], right[BYTES], from_left[BYTES], from_right[BYTES];
    int rank, size, periodic = 1, before, after;
    int bytes = argc > 1 ? atoi(argv[1]) : BYTES;
    MPI_Comm ring;

    if (bytes < 0 || bytes > BYTES)
        bytes = BYTES;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS && size > 1; i++) {
        if (rank == 0) {
            MPI_Send(left, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(left, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(left, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(left, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Cart_shift(ring, 0, 1, &before, &after);
    for (int i = 0; i < ROUNDS; i++) {
        double own = rank, sum;
        MPI_Request requests[4];
        MPI_Irecv(from_left, bytes, MPI_BYTE, before, 1, ring, &requests[0]);
        MPI_Irecv(from_right, bytes, MPI_BYTE, after, 2, ring, &requests[1]);
        MPI_Isend(right, bytes, MPI_BYTE, after, 1, ring, &requests[2]);
        MPI_Isend(left, bytes, MPI_BYTE, before, 2, ring, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, ring);
    }
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
