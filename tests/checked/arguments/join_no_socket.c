/* MPI_Comm_join gets a descriptor that is no connected socket.
 *
 * ranks: 2
 * expect: argument.value
 * allow: error.ignored life.died life.no-finalize
 * mpi: openmpi
 * bare: openmpi=aborts
 */
#include "../checked.h"
#include <arpa/inet.h>
#include <sys/socket.h>

static void program(void)
{
    MPI_Comm both;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof place;
    int fd = socket(AF_INET, SOCK_STREAM, 0), from = -1;
    if (rank == 0) {
        bind(fd, (struct sockaddr *)&place, sizeof place);
        listen(fd, 1);
        getsockname(fd, (struct sockaddr *)&place, &length);
        MPI_Send(&place, sizeof place, MPI_BYTE, 1, 0, WORLD);
        from = accept(fd, NULL, NULL);
    } else {
        MPI_Recv(&place, sizeof place, MPI_BYTE, 0, 0, WORLD, MPI_STATUS_IGNORE);
        connect(fd, (struct sockaddr *)&place, sizeof place);
    }
    /* Of the two of rank 0 the one that listens is connected to nobody. */
    MPI_Comm_join(rank == 0 ? TWIN(fd, from) : fd, &both); /* WRONG */
    MPI_Comm_disconnect(&both);
    if (from >= 0)
        close(from);
    close(fd);
}
