/* datatype: an index type with a block for each number, which the MPI packs far more slowly than a loop.
 *
 * The twin copies the same numbers to a buffer and sends that.
 *
 * case: name=indexed ranks=2 quick
 * args: --count 20 --numbers 200000
 * expect: finding=packed_datatype
 * allow: late_receiver late_sender no_overlap
 * repair: root=packed_datatype saves=measured args=--twin
 * case: name=twin ranks=2 quick
 * args: --count 20 --numbers 200000 --twin
 * expect: none
 * allow: late_receiver late_sender no_overlap
 */
#include "skeleton.h"

static double *field, *packed;
static int *at;
static int numbers;
static MPI_Datatype scattered;

static void setup(void)
{
    numbers = planted_long("--numbers", 100000);
    field = zeroed(4L * numbers * sizeof *field);
    packed = zeroed(numbers * sizeof *packed);
    at = zeroed(numbers * sizeof *at);
    unsigned random = 1;
    for (int n = 0; n < numbers; n++) {
        random = random * 1664525u + 1013904223u;
        at[n] = 4 * n + random % 3; /* uneven gaps: no vector */
    }
    MPI_Type_create_indexed_block(numbers, 1, at, MPI_DOUBLE, &scattered);
    MPI_Type_commit(&scattered);
}

static void exchange(void *out, void *in, int count, MPI_Datatype type)
{
    if (rank == 0) {
        STAMP(MPI_Send(out, count, type, 1, 1, MPI_COMM_WORLD), SYNC_SEND(1, 1));
        STAMP(MPI_Recv(in, count, type, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(2, 1));
    } else {
        STAMP(MPI_Recv(in, count, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, 0));
        STAMP(MPI_Send(out, count, type, 0, 2, MPI_COMM_WORLD), SYNC_SEND(2, 0));
    }
}

static void step(int i)
{
    planted_work(i < 0 ? 0 : planted.work_us);
    if (planted.twin) {
        for (int n = 0; n < numbers; n++)
            packed[n] = field[at[n]];
        exchange(packed, packed, numbers, MPI_DOUBLE);
        for (int n = 0; n < numbers; n++)
            field[at[n]] = packed[n];
    } else {
        exchange(field, field, 1, scattered);
    }
    result += field[at[1]];
}

static void finish(void)
{
    MPI_Type_free(&scattered);
    free(field);
    free(packed);
    free(at);
}
