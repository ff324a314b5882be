/* completion: ranks leave an operation one after another, although all have entered it.
 *
 * Variant barrier: all ranks share one core. The first rank that leaves the barrier computes, and the others get the core,
 * which they need to leave, only when it has finished. (Open MPI yields the core while it waits; MPICH does not.) Variant
 * skewed: in MPI_Alltoallv nearly all data go to rank 0, so that the other ranks have their own data long before. In the
 * twins each rank has a core, and all ranks get the same amount of data.
 *
 * case: name=barrier ranks=3 mpi=mpich
 * args: --variant barrier --cores 1 --work-us 4000 --count 40
 * expect: finding=barrier_completion
 * allow: wait_at_barrier load_imbalance outlier warm_up noise
 * case: name=skewed ranks=4
 * args: --variant skewed --bytes 4194304 --work-us 500 --count 40
 * expect: finding=nxn_completion function=MPI_Alltoallv
 * allow: wait_at_nxn unexplained_mpi_time
 * case: name=barrier_twin ranks=2
 * args: --variant barrier --cores 2 --work-us 4000 --count 40
 * expect: none
 * allow: wait_at_barrier
 * case: name=skewed_twin ranks=2
 * args: --variant skewed --bytes 65536 --work-us 2000 --count 20 --twin
 * expect: none
 */
#include "skeleton.h"

/* Everybody needs something of everybody: nobody leaves before all are there. */
enum { LITTLE = 1024 };

static char *out, *in;
static int *to, *from, *at_out, *at_in;

static void setup(void)
{
    if (variant_is("barrier")) {
        planted_cores((int)planted_long("--cores", 1));
        return;
    }
    if (!variant_is("skewed"))
        unknown_variant();
    int little = planted.twin ? (int)planted.bytes : LITTLE;
    out = zeroed(planted.bytes * size);
    in = zeroed(planted.bytes * size);
    to = series(little, 0);
    to[0] = (int)planted.bytes;
    from = series(rank == 0 ? (int)planted.bytes : little, 0);
    at_out = series(0, (int)planted.bytes);
    at_in = series(0, (int)planted.bytes);
}

static void step(int i)
{
    if (variant_is("barrier")) {
        planted_burn(i < 0 ? 0 : planted.work_us);
        STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    } else {
        planted_work(i < 0 ? 0 : planted.work_us);
        STAMP(MPI_Alltoallv(out, to, at_out, MPI_BYTE, in, from, at_in, MPI_BYTE, MPI_COMM_WORLD), NXN(0));
        result += in[0];
    }
}

static void finish(void)
{
    free(out);
    free(in);
    free(to);
    free(from);
    free(at_out);
    free(at_in);
}
