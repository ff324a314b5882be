/* master: workers ask a master for tasks, and the master takes long to answer. Repaired, it hands out ten at once.
 *
 * In the twin the master answers at once and tasks take longer; then it is the master who waits, as it
 * should. (That wait has a late sender too, which is true and allowed.)
 *
 * case: name=bottleneck ranks=4 quick
 * args: --count 120 --work-us 1000 --delay-us 2000
 * expect: finding=master_bottleneck cause=0
 * allow: late_sender load_imbalance serialisation_chain hot_sender
 * repair: root=master_bottleneck cause=0 saves=measured
 * fact: pattern=master_worker
 * case: name=twin ranks=4 quick
 * args: --count 120 --work-us 9000 --delay-us 0
 * expect: none
 * allow: late_sender load_imbalance
 * fact: pattern=master_worker
 */
#include "planted.h"

#include <mpi.h>
#include <stdio.h>

enum { ASK = 1, TASK = 2 };

static void serve(int workers)
{
    int asked, task, handed_out = 0, piece = planted.repaired ? 10 : 1;
    MPI_Status status;
    while (workers > 0) {
        STAMP(MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status),
              RECV(ASK, status.MPI_SOURCE));
        planted_delay(planted.delay_us);
        task = planted.count - handed_out < piece ? (int)planted.count - handed_out : piece;
        handed_out += task;
        workers -= task == 0;
        STAMP(MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD), SEND(TASK, status.MPI_SOURCE));
    }
}

static long ask(void)
{
    long done = 0;
    for (int task = 1; task > 0;) {
        STAMP(MPI_Send(&task, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD), SEND(ASK, 0));
        STAMP(MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(TASK, 0));
        planted_work(task * planted.work_us);
        done += task;
    }
    return done;
}

int main(int argc, char **argv)
{
    int rank, size;
    long done = 0, all = 0;
    planted_start();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    planted_ready(rank, size);
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    if (rank == 0)
        serve(size - 1);
    else
        done = ask();
    STAMP(MPI_Reduce(&done, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD), TO_ROOT(0, rank, 0));
    if (rank == 0 && all != planted.count)
        fprintf(stderr, "master: %ld of %ld tasks\n", all, planted.count);
    planted_end();
    MPI_Finalize();
    return rank == 0 && all != planted.count;
}
