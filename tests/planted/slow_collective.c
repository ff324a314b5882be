/* slow_collective: the same amount of data goes through MPI_Allgather at two places. One of them describes its data by a
 * datatype of single numbers with gaps, which the MPI has to pack one by one.
 *
 * In the twin, and where it is repaired, the data are contiguous at both places: the ranks receive the same.
 *
 * case: name=strided ranks=2
 * args: --bytes 1048576 --count 20 --work-us 5000
 * expect: finding=slow_collective function=MPI_Allgather
 * allow: nxn_completion wait_at_nxn unexplained_mpi_time
 * repair: root=slow_collective saves=measured
 * case: name=twin ranks=2
 * args: --bytes 1048576 --count 20 --work-us 5000 --twin
 * expect: none
 * allow: nxn_completion wait_at_nxn unexplained_mpi_time
 */
#include "skeleton.h"

/* Of so many numbers one is sent. */
enum { GAP = 16 };

static double *out, *in, *packed;
static int n;
static MPI_Datatype strided;

static void setup(void)
{
    n = (int)(planted.bytes / sizeof(double));
    out = zeroed(planted.bytes * GAP);
    packed = zeroed(planted.bytes);
    in = zeroed(planted.bytes * size);
    MPI_Type_vector(n, 1, GAP, MPI_DOUBLE, &strided);
    MPI_Type_commit(&strided);
}

static void gather_contiguous(void)
{
    STAMP(MPI_Allgather(packed, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD), NXN(0));
}

static void gather_strided(void)
{
    if (planted.twin || planted.repaired)
        STAMP(MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD), NXN(0));
    else
        STAMP(MPI_Allgather(out, 1, strided, in, n, MPI_DOUBLE, MPI_COMM_WORLD), NXN(0));
}

static void step(int i)
{
    planted_work(i < 0 ? 0 : planted.work_us);
    gather_contiguous();
    planted_work(i < 0 ? 0 : planted.work_us);
    gather_strided();
    result += in[0];
}

static void finish(void)
{
    MPI_Type_free(&strided);
    free(out);
    free(in);
    free(packed);
}
