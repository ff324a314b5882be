/* small_collectives: thousands of operations on 8 bytes in a row where one on all of them would do.
 *
 * Both ranks work as long, and then broadcast, add or exchange a row of numbers, one at a time; the twin takes the whole row at once. Nothing
 * is stamped: a stamp would cost as much as the operation.
 *
 * case: name=allreduce ranks=2 quick
 * args: --count 20 --numbers 2000 --work-us 3000 --variant allreduce
 * expect: finding=small_collectives function=MPI_Allreduce
 * allow: wait_at_nxn nxn_completion load_imbalance unexplained_mpi_time
 * repair: root=small_collectives saves=measured args=--twin
 * case: name=bcast ranks=2
 * args: --count 20 --numbers 5000 --work-us 8000 --variant bcast
 * expect: finding=small_collectives function=MPI_Bcast
 * allow: late_broadcast load_imbalance unexplained_mpi_time
 * repair: root=small_collectives saves=measured args=--twin
 * case: name=alltoall ranks=2
 * args: --count 20 --numbers 5000 --work-us 8000 --variant alltoall
 * expect: finding=small_collectives function=MPI_Alltoall
 * allow: wait_at_nxn nxn_completion load_imbalance unexplained_mpi_time
 * repair: root=small_collectives saves=measured args=--twin
 * case: name=twin ranks=2 quick
 * args: --count 20 --numbers 2000 --work-us 3000 --variant allreduce --twin
 * expect: none
 */
#include "skeleton.h"

static double *row, *sums;
static int numbers;

static void setup(void)
{
    numbers = planted_long("--numbers", 4000);
    /* Of MPI_Alltoall, a number for each rank. */
    row = zeroed(2 * numbers * sizeof *row);
    sums = zeroed(2 * numbers * sizeof *sums);
}

static void of_numbers(int first, int count)
{
    if (variant_is("bcast"))
        MPI_Bcast(row + first, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (variant_is("alltoall"))
        MPI_Alltoall(row + 2 * first, count, MPI_DOUBLE, sums + 2 * first, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (variant_is("allreduce"))
        MPI_Allreduce(row + first, sums + first, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        unknown_variant();
}

static void step(int i)
{
    planted_work(i < 0 ? 0 : planted.work_us);
    int at_once = planted.twin ? numbers : 1;
    for (int first = 0; first < numbers; first += at_once)
        of_numbers(first, at_once);
}

static void finish(void)
{
    free(row);
    free(sums);
}
