/* small_messages: thousands of messages of 8 bytes where one would do.
 *
 * Rank 0 sends a row of numbers to rank 1, one at a time; the twin sends the row. An answer ends each
 * step. Nothing is stamped in the row of single numbers: a stamp would cost as much as the message.
 *
 * case: name=one_by_one ranks=2 quick
 * args: --count 20 --numbers 15000
 * expect: finding=small_messages
 * allow: late_sender late_receiver load_imbalance unexpected_messages
 * repair: root=small_messages saves=measured args=--twin
 * case: name=twin ranks=2 quick
 * args: --count 20 --numbers 15000 --work-us 4000 --twin
 * expect: none
 */
#include "skeleton.h"

static double *row;
static int numbers;

static void setup(void)
{
    numbers = planted_long("--numbers", 4000);
    row = zeroed(numbers * sizeof *row);
}

static void one_by_one(void)
{
    for (int n = 0; n < numbers; n++) {
        if (rank == 0)
            MPI_Send(row + n, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(row + n, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void at_once(void)
{
    if (rank == 0)
        STAMP(MPI_Send(row, numbers, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD), SYNC_SEND(1, 1));
    else
        STAMP(MPI_Recv(row, numbers, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, 0));
}

static void step(int i)
{
    planted_work(i < 0 ? 0 : planted.work_us);
    if (planted.twin)
        at_once();
    else
        one_by_one();
    if (rank == 0)
        STAMP(MPI_Recv(&result, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(2, 1));
    else
        STAMP(MPI_Send(&result, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD), SEND(2, 0));
}

static void finish(void)
{
    free(row);
}
