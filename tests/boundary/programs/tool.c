/* A tool as others write them: it wraps some functions, calls others for itself, and hands on by PMPI_*. At MPI_Finalize it says
 * on stderr what it has counted. Compiled with -DBARRIER_ONLY it wraps MPI_Barrier alone. */
#include <mpi.h>
#include <stdio.h>

static int barriers, reductions, fortran, asked;

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

#ifndef BARRIER_ONLY
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    asked += rank < size;
    reductions++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

/* Programs in C have no Fortran. */
__attribute__((weak)) void pmpi_barrier_(MPI_Fint *comm, MPI_Fint *error);

void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error)
{
    fortran++;
    pmpi_barrier_(comm, error);
}
#endif

static void say(void)
{
    fprintf(stderr, "tool: %d barriers, %d reductions, %d from Fortran, asked %d times\n", barriers, reductions, fortran, asked);
}

#ifdef BARRIER_ONLY
__attribute__((destructor)) static void at_exit(void)
{
    if (barriers)
        say();
}
#else
int MPI_Finalize(void)
{
    say();
    return PMPI_Finalize();
}

__attribute__((weak)) void pmpi_finalize_(MPI_Fint *error);

void mpi_finalize_(MPI_Fint *error)
{
    say();
    pmpi_finalize_(error);
}
#endif
