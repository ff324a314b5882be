/* The processes of a group name different leaders when they make an intercommunicator from groups.
 *
 * ranks: 4
 * expect: collective.argument
 * allow: deadlock.cycle deadlock.collective collective.missing deadlock.ended
 * mpi: mpich
 * bare: mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group world, mine, other;
    MPI_Comm both = MPI_COMM_NULL;
    int ranks[2][2] = {{0, 1}, {2, 3}}, side = rank / 2;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 2, ranks[side], &mine);
    MPI_Group_incl(world, 2, ranks[1 - side], &other);
    int leader = TWIN(rank == 1, 0);
    MPI_Intercomm_create_from_groups(mine, leader, other, 0, "checked", MPI_INFO_NULL, /* WRONG */
                                     MPI_ERRORS_ARE_FATAL, &both);
    MPI_Comm_free(&both);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}
