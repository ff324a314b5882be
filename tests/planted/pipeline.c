/* pipeline: sweeps over ranks in equal pieces. Nobody computes longer than the others; ranks wait while the pipeline fills
 * and empties, the longer the fewer pieces there are.
 *
 * Variant forward: from the first rank to the last. Variant both: there and back again. Variant grid: from the north and the
 * west of a grid to its opposite corner, and back. Advised are smaller pieces; repaired they are a quarter as long. In
 * twins nothing has to come before the work.
 *
 * case: name=forward ranks=4
 * args: --variant forward --pieces 2 --work-us 16000 --count 12
 * expect: finding=pipeline_fill
 * allow: late_sender serialisation_chain wait_at_nxn
 * repair: root=pipeline_fill saves=measured
 * case: name=forward_8 ranks=8 mpi=openmpi
 * args: --variant forward --pieces 4 --work-us 32000 --count 6
 * expect: finding=pipeline_fill
 * allow: late_sender serialisation_chain wait_at_nxn
 * repair: root=pipeline_fill saves=measured
 * case: name=both ranks=4
 * args: --variant both --pieces 2 --work-us 16000 --count 8
 * expect: finding=pipeline_fill
 * allow: late_sender serialisation_chain wait_at_nxn
 * repair: root=pipeline_fill saves=measured
 * case: name=grid ranks=9 mpi=openmpi
 * args: --variant grid --pieces 2 --work-us 32000 --count 6
 * expect: finding=pipeline_fill
 * allow: late_sender serialisation_chain wait_at_nxn
 * repair: root=pipeline_fill saves=measured
 * case: name=forward_twin ranks=4
 * args: --variant forward --pieces 2 --work-us 16000 --count 12 --twin
 * expect: none
 * case: name=both_twin ranks=4
 * args: --variant both --pieces 2 --work-us 16000 --count 8 --twin
 * expect: none
 */
#include "skeleton.h"

enum { FORTH = 1, BACK = 2, MOST = 2 };
static char *buffer;
static long pieces;
static int width;

static void setup(void)
{
    if (!variant_is("forward") && !variant_is("both") && !variant_is("grid"))
        unknown_variant();
    buffer = zeroed(planted.bytes);
    pieces = planted_long("--pieces", 2) * (planted.repaired ? 4 : 1);
    for (width = 1; variant_is("grid") && width * width < size;)
        width++;
    if (!variant_is("grid"))
        width = size;
}

/* The neighbours that come before (direction -1) or after (1) a rank on its way; how many there are. */
static int neighbours(int direction, int *found)
{
    int count = 0, column = rank % width + direction, row = rank / width + direction;
    if (column >= 0 && column < width)
        found[count++] = rank + direction;
    if (row >= 0 && row < size / width)
        found[count++] = rank + direction * width;
    return count;
}

static void receive(int from, int tag)
{
    STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(tag, from));
}

static void sweep(int direction, int tag, long piece_us)
{
    int before[MOST], after[MOST], come = neighbours(-direction, before), go = neighbours(direction, after);
    for (int p = 0; p < pieces; p++) {
        for (int n = 0; n < come && !planted.twin; n++)
            receive(before[n], tag);
        if (!planted.twin)
            planted_work(piece_us);
        for (int n = 0; n < go; n++)
            STAMP(MPI_Send(buffer, planted.bytes, MPI_BYTE, after[n], tag, MPI_COMM_WORLD), SEND(tag, after[n]));
        for (int n = 0; n < come && planted.twin; n++)
            receive(before[n], tag);
        if (planted.twin)
            planted_work(piece_us);
    }
}

static void step(int i)
{
    double norm;
    long piece_us = i < 0 ? 0 : planted.work_us / pieces;
    sweep(1, FORTH, piece_us);
    if (!variant_is("forward"))
        sweep(-1, BACK, piece_us);
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = norm / size + buffer[0];
}

static void finish(void)
{
    free(buffer);
}
