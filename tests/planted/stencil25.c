/* stencil25: a solver on a 5 x 5 grid of ranks, three phases in each iteration, one for each axis.
 *
 * Phase 1 exchanges halos of 40 KB with the neighbours in the row (MPI_Isend, MPI_Irecv, a wait for each)
 * and sums along the row; phase 2 does the same along the column; phase 3 is local. Every tenth
 * iteration takes a norm over all ranks. The late rank works longer in phase 1: its row waits in the row's
 * allreduce, others when that is handed on. Each phase is a region (mpiscope.h).
 *
 * case: name=late_row ranks=25 mpi=openmpi
 * args: --count 200 --work-us 500 --delay-us 5000 --late 12 --bytes 40000
 * expect: finding=load_imbalance cause=12 region=solve_x
 * expect: finding=wait_at_nxn function=MPI_Allreduce seconds=planted tolerance=5%
 * expect: finding=late_receiver function=MPI_Wait
 * allow: no_overlap late_sender wait_for_progress serialisation_chain
 * repair: root=load_imbalance cause=12 saves=measured
 * fact: iterations count=201
 * fact: grid dims=5x5
 * fact: phases count=3
 * fact: pattern=halo
 */
#include "planted.h"

#include <mpi.h>
#include <mpiscope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 1, COLUMN = 2 };
struct line { /* a row or a column of the grid */
    MPI_Comm comm;
    int number, tag, lower, upper; /* neighbours, as ranks of the grid */
};
static MPI_Comm grid;
static char *out[2], *in[2];

static struct line line_along(int axis, int tag, const int at[2], const int dims[2])
{
    struct line l = {.tag = tag};
    int keep[2] = {axis == 0, axis == 1};
    STAMP(MPI_Cart_sub(grid, keep, &l.comm), NXN(0));
    MPI_Cart_shift(grid, axis, 1, &l.lower, &l.upper);
    /* One number for each row and each column. */
    l.number = 1 + (axis == 0 ? at[1] : dims[1] + at[0]);
    return l;
}

static void exchange(const struct line *l)
{
    MPI_Request send[2], receive[2];
    int peers[2] = {l->lower, l->upper};
    for (int p = 0; p < 2; p++) {
        STAMP(MPI_Isend(out[p], planted.bytes, MPI_BYTE, peers[p], l->tag, grid, &send[p]), SEND(l->tag, peers[p]));
        STAMP(MPI_Irecv(in[p], planted.bytes, MPI_BYTE, peers[p], l->tag, grid, &receive[p]), POST(l->tag, peers[p]));
    }
    for (int p = 0; p < 2; p++) {
        STAMP(MPI_Wait(&send[p], MPI_STATUS_IGNORE), DELIVERY(l->tag, peers[p]));
        STAMP(MPI_Wait(&receive[p], MPI_STATUS_IGNORE), ARRIVAL(l->tag, peers[p]));
    }
}

static double along(const struct line *l, double part)
{
    double sum;
    exchange(l);
    planted_work(planted.work_us);
    STAMP(MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, l->comm), NXN(l->number));
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 0}, at[2];
    double residual = 1, norm = 0, all = 0;
    planted_start();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    planted_ready(rank, size);
    STAMP(MPI_Barrier(MPI_COMM_WORLD), BARRIER(0));
    STAMP(MPI_Bcast(&residual, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), FROM_ROOT(0, rank, 0));
    MPI_Dims_create(size, 2, dims);
    STAMP(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid), NXN(0));
    MPI_Cart_coords(grid, rank, 2, at);
    struct line row = line_along(1, ROW, at, dims), column = line_along(0, COLUMN, at, dims);
    for (int p = 0; p < 2; p++) {
        out[p] = malloc(planted.bytes);
        in[p] = malloc(planted.bytes);
        memset(out[p], 1, planted.bytes);
        memset(in[p], 1, planted.bytes);
    }

    for (int i = -1; i < planted.count; i++) {
        mpiscope_begin("solve_x");
        if (i >= 0)
            planted_delay(planted_extra_us(rank, size));
        norm = along(&row, residual);
        mpiscope_end("solve_x");
        mpiscope_begin("solve_y");
        norm += along(&column, norm);
        mpiscope_end("solve_y");
        mpiscope_begin("solve_z");
        planted_work(planted.work_us);
        if (i % 10 == 9)
            STAMP(MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
        residual *= 0.99;
        mpiscope_end("solve_z");
    }

    STAMP(MPI_Reduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD), TO_ROOT(0, rank, 0));
    planted_end();
    MPI_Comm_free(&row.comm);
    MPI_Comm_free(&column.comm);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
