/* A rank puts a row of its own window and goes on computing in that row before MPI_Win_complete.
 *
 * ranks: 2
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { COLUMNS = 100 };

static void program(void)
{
    static float rows[4][COLUMNS];
    MPI_Group all, other;
    MPI_Win window;
    int peer = 1 - rank;
    for (int i = 0; i < COLUMNS; i++)
        rows[1][i] = rows[2][i] = rank + i;
    MPI_Win_create(rows, sizeof rows, sizeof(float), MPI_INFO_NULL, WORLD, &window);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    MPI_Win_post(other, 0, window);
    MPI_Win_start(other, 0, window);
    MPI_Put(rows[1], COLUMNS, MPI_FLOAT, peer, 3 * COLUMNS, COLUMNS, MPI_FLOAT, window); /* WRONG */
    TWIN(, MPI_Win_complete(window));
    for (int i = 0; i < COLUMNS; i++)
        rows[1][i] = 0.5f * (rows[1][i] + rows[2][i]) + 1;
    use(rows);
    TWIN(MPI_Win_complete(window), ); /* WRONG */
    MPI_Win_wait(window);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}
