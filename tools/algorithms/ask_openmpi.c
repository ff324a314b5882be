/* Prints which algorithms coll/tuned of the Open MPI at hand chooses without settings, for all numbers of ranks and sizes.
 *
 * The decision functions are called with the size of the world's group replaced. What they would start is replaced by functions that only
 * note the algorithm: this executable exports them, so they come before those of the library. Usage: ask_openmpi [PATH OF mca_coll_tuned.so] */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 8192
#define MOST_BYTES (1L << 27)

static int noted;

/* The algorithm is the argument at this position. Arguments that are longs or shorter, or pointers, take one place each. */
#define NOTES(operation, position)                                                                                               \
    int ompi_coll_tuned_##operation##_intra_do_this(long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8,       \
                                                    long a9, long a10, long a11)                                                 \
    {                                                                                                                            \
        long arguments[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11};                                                        \
        noted = (int)arguments[position - 1];                                                                                     \
        return 0;                                                                                                                \
    }

NOTES(allgather, 9)
NOTES(allgatherv, 10)
NOTES(allreduce, 8)
NOTES(alltoall, 9)
NOTES(alltoallv, 11)
NOTES(barrier, 3)
NOTES(bcast, 7)
NOTES(gather, 10)
NOTES(reduce, 9)
NOTES(reduce_scatter, 8)
NOTES(reduce_scatter_block, 8)
NOTES(scatter, 10)

typedef int (*decision)(long, long, long, long, long, long, long, long, long, long, long);

static int *group_size;
static int counts[MOST_RANKS];
static long one, byte_type, sum, world;

static decision find(const char *operation)
{
    char name[128];
    snprintf(name, sizeof name, "ompi_coll_tuned_%s_intra_dec_fixed", operation);
    return (decision)dlsym(RTLD_DEFAULT, name);
}

/* The algorithm for so many ranks and bytes. */
static int ask(const char *operation, decision of, int ranks, long bytes, long op)
{
    int own = *group_size;
    long buffer = (long)&one, displs = (long)counts;
    noted = -1;
    *group_size = ranks;
    if (!strcmp(operation, "allreduce"))
        of(buffer, buffer, bytes, byte_type, op, world, 0, 0, 0, 0, 0);
    else if (!strcmp(operation, "reduce"))
        of(buffer, buffer, bytes, byte_type, op, 0, world, 0, 0, 0, 0);
    else if (!strcmp(operation, "bcast"))
        of(buffer, bytes, byte_type, 0, world, 0, 0, 0, 0, 0, 0);
    else if (!strcmp(operation, "barrier"))
        of(world, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    else if (!strcmp(operation, "allgather") || !strcmp(operation, "alltoall"))
        of(buffer, bytes, byte_type, buffer, bytes, byte_type, world, 0, 0, 0, 0);
    else if (!strcmp(operation, "gather") || !strcmp(operation, "scatter"))
        of(buffer, bytes, byte_type, buffer, bytes, byte_type, 0, world, 0, 0, 0);
    else if (!strcmp(operation, "reduce_scatter_block"))
        of(buffer, buffer, bytes, byte_type, op, world, 0, 0, 0, 0, 0);
    else if (!strcmp(operation, "alltoallv"))
        of(buffer, displs, displs, byte_type, buffer, displs, displs, byte_type, world, 0, 0);
    else if (!strcmp(operation, "reduce_scatter") || !strcmp(operation, "allgatherv")) {
        int is_v = !strcmp(operation, "allgatherv");
        /* Everything in one block: of an allgatherv, the mean of the ranks decides. */
        memset(counts, 0, sizeof counts);
        counts[0] = is_v ? bytes * ranks : bytes;
        if (is_v)
            of(buffer, bytes, byte_type, buffer, displs, displs, byte_type, world, 0, 0, 0);
        else
            of(buffer, buffer, displs, byte_type, op, world, 0, 0, 0, 0, 0);
    }
    *group_size = own;
    return noted;
}

/* One line: the sizes from which on another algorithm is chosen. */
static void line(const char *operation, decision of, int ranks, long op, char *text, size_t room)
{
    int is_sized = strcmp(operation, "barrier") && strcmp(operation, "alltoallv");
    long most = !strcmp(operation, "allgatherv") ? 0x7fffffffL / ranks : MOST_BYTES;
    int last = -1;
    text[0] = 0;
    for (long bytes = 0; bytes <= (is_sized ? most : 0);) {
        int algorithm = ask(operation, of, ranks, bytes, op);
        if (algorithm != last) {
            size_t used = strlen(text);
            snprintf(text + used, room - used, "%s%ld:%d", used ? " " : "", bytes, algorithm);
            last = algorithm;
        }
        /* All boundaries of the functions are powers of two; those beside them and between them are looked at as well, to see that. */
        long power = 1;
        while (2 * power <= bytes)
            power *= 2;
        if (bytes < 4)
            bytes++;
        else if (bytes == power)
            bytes++;
        else if (bytes == power + 1)
            bytes = power + power / 2;
        else if (bytes == power + power / 2 && bytes != 2 * power - 1)
            bytes = 2 * power - 1;
        else
            bytes = 2 * power;
    }
}

static void table(const char *operation, const char *commutes, long op)
{
    char text[1024], last[1024] = "";
    decision of = find(operation);
    if (!of)
        return;
    for (int ranks = 2; ranks <= MOST_RANKS; ranks++) {
        /* Beyond 64, boundaries are multiples of 64. */
        if (ranks > 65 && ranks % 64 != 0 && ranks % 64 != 1 && ranks % 64 != 63)
            continue;
        line(operation, of, ranks, op, text, sizeof text);
        if (strcmp(text, last))
            printf("%s\t%s\t%d\t%s\n", operation, commutes, ranks, text);
        strcpy(last, text);
    }
}

static void nothing(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    /* The number of members is the first int in the group that changes what MPI_Group_size returns. */
    for (int at = 0; at < 64 && !group_size; at++) {
        int *place = (int *)(void *)group + at, own = *place, size = 0;
        if (own != 1)
            continue;
        *place = 77;
        MPI_Group_size(group, &size);
        *place = own;
        if (size == 77)
            group_size = place;
    }
    if (!group_size) {
        fprintf(stderr, "the size of a group was not found\n");
        return 1;
    }
    MPI_Op other;
    MPI_Op_create(nothing, 0, &other);
    byte_type = (long)MPI_BYTE, sum = (long)MPI_SUM, world = (long)MPI_COMM_WORLD;
    const char *reducing[] = {"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block"};
    const char *others[] = {"allgather", "allgatherv", "alltoall", "alltoallv", "barrier", "bcast", "gather", "scatter"};
    for (int i = 0; i < 4; i++) {
        table(reducing[i], "yes", sum);
        table(reducing[i], "no", (long)other);
    }
    for (int i = 0; i < 8; i++)
        table(others[i], "any", sum);
    MPI_Op_free(&other);
    MPI_Group_free(&group);
    MPI_Finalize();
    return 0;
}
