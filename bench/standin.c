/* A library that stands for an MPI of the MPICH family, and a program that makes a few calls of it: a thousand
 * processes of it are a node with a thousand ranks, which no real MPI starts on a small machine.
 *
 *   cc -DLIBRARY -shared …      the library: rank and size from STANDIN_RANK, STANDIN_SIZE
 *   cc …                        the program
 */
#ifdef LIBRARY

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOTH(type, name, arguments, ...)                                                                               \
    type P##name arguments __VA_ARGS__ type name arguments __attribute__((alias("P" #name)));

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

BOTH(int, MPI_Init, (int *c, char ***v), { (void)c, (void)v; return 0; })
BOTH(int, MPI_Finalize, (void), { return 0; })
BOTH(int, MPI_Comm_rank, (int comm, int *rank), { (void)comm; *rank = number("STANDIN_RANK", 0); return 0; })
BOTH(int, MPI_Comm_size, (int comm, int *size), { (void)comm; *size = number("STANDIN_SIZE", 1); return 0; })
BOTH(int, MPI_Barrier, (int comm), { (void)comm; return 0; })
BOTH(int, MPI_Allreduce, (const void *s, void *r, int n, int type, int op, int comm), {
    (void)type, (void)op, (void)comm;
    memcpy(r, s, 4 * (size_t)n);
    return 0;
})
BOTH(int, MPI_Query_thread, (int *level), { *level = 0; return 0; })
BOTH(int, MPI_Get_library_version, (char *name, int *length), {
    *length = sprintf(name, "Stand-in of the MPICH family");
    return 0;
})
BOTH(int, MPI_Get_version, (int *major, int *minor), { *major = 3; *minor = 1; return 0; })

#else

int MPI_Init(int *, char ***);
int MPI_Comm_rank(int, int *);
int MPI_Barrier(int);
int MPI_Allreduce(const void *, void *, int, int, int, int);
int MPI_Finalize(void);

enum { WORLD = 0x44000000, INT = 0x4c000405, SUM = 0x58000003 };

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        MPI_Barrier(WORLD);
        MPI_Allreduce(&rank, &sum, 1, INT, SUM, WORLD);
    }
    MPI_Finalize();
    return 0;
}

#endif
