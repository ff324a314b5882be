/* Groups of MPI_Win_post and MPI_Win_start: made anew for each epoch, so that handles come back with other members, kept,
 * empty, and of a communicator in another order. Says how often a handle came back. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, back;

static MPI_Group one(MPI_Group all, int member)
{
    MPI_Group group;
    MPI_Group_incl(all, 1, &member, &group);
    return group;
}

/* Accesses `target` in the numbering of `all`; `origin` accesses this rank. */
static void epoch(MPI_Win window, MPI_Group all, int target, int origin)
{
    static MPI_Group before;
    static int known;
    int value = rank;
    MPI_Group group = one(all, origin);
    if (known && memcmp(&before, &group, sizeof group) == 0)
        back++;
    before = group, known = 1;
    MPI_Win_post(group, 0, window);
    MPI_Group_free(&group);
    group = one(all, target);
    MPI_Win_start(group, 0, window);
    MPI_Group_free(&group);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
    MPI_Win window, reversed_window;
    MPI_Comm reversed;
    MPI_Group world, others;
    int *memory, *other_memory, total;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < 6; i++) {
        int step = 1 + i % (size - 1);
        epoch(window, world, (rank + step) % size, (rank + size - step) % size);
    }

    MPI_Group next = one(world, (rank + 1) % size), previous = one(world, (rank + size - 1) % size);
    for (int i = 0; i < 3; i++) {
        MPI_Win_post(previous, 0, window);
        MPI_Win_start(next, 0, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&next);
    MPI_Group_free(&previous);

    MPI_Win_post(MPI_GROUP_EMPTY, 0, window);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, reversed, &other_memory, &reversed_window);
    MPI_Win_get_group(reversed_window, &others);
    int here = size - 1 - rank;
    epoch(reversed_window, others, (here + 1) % size, (here + size - 1) % size);
    MPI_Group_free(&others);

    MPI_Group_free(&world);
    MPI_Win_free(&reversed_window);
    MPI_Comm_free(&reversed);
    MPI_Win_free(&window);
    MPI_Reduce(&back, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("a handle came back %d times\n", total);
    MPI_Finalize();
    return 0;
}
