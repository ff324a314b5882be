/* others: what NVTX, Kokkos and Caliper do in a program, by their interfaces alone.
 *
 *   others      prints "others OK" whatever is loaded
 *
 * NVTX:    loads the library of NVTX_INJECTION64_PATH and offers it two tables of callbacks.
 * Kokkos:  loads the library of KOKKOS_TOOLS_LIBS and looks for kokkosp_* in it.
 * Caliper: a library of that interface is linked (-DCALIPER).
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* NVTX: slots that an injected library may fill, by module and number. */
static void (*mark_a)(const char *);
static uint64_t (*start_a)(const char *);
static void (*end_id)(uint64_t);
static int (*push_a)(const char *);
static int (*pop)(void);
static int (*domain_push)(void *, const void *);
static int (*domain_pop)(void *);
static void *(*register_a)(void *, const char *);
static void *(*domain_create)(const char *);

static void **core[16] = {[2] = (void **)&mark_a, [5] = (void **)&start_a, [7] = (void **)&end_id,
                          [9] = (void **)&push_a, [11] = (void **)&pop};
static void **core2[16] = {[4] = (void **)&domain_push, [5] = (void **)&domain_pop, [10] = (void **)&register_a,
                           [12] = (void **)&domain_create};

static int module_table(int module, void ***(*table), unsigned *count)
{
    if (module != 1 && module != 5) return 0;
    *table = module == 1 ? core : core2;
    *count = 16;
    return 1;
}

static const struct {
    size_t bytes;
    int (*table)(int, void ***(*), unsigned *);
} callbacks = {sizeof callbacks, module_table};

static const void *export_table(uint32_t id) { return id == 1 ? &callbacks : NULL; }

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_kind;
    uint32_t color;
    int32_t payload_kind, reserved;
    uint64_t payload;
    int32_t message_kind;
    const void *message;
};

static void nvtx(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*inject)(const void *(*)(uint32_t)) = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    if (!inject || !inject(export_table) || !push_a) return;
    struct attributes a = {2, sizeof a, 0, 0, 0, 0, 0, 0, 3, register_a(NULL, "registered")};
    uint64_t id = start_a("free range");
    push_a("pushed");
    for (int i = 0; i < 3; i++) {
        domain_push(NULL, &a);
        MPI_Barrier(MPI_COMM_WORLD);
        domain_pop(NULL);
        mark_a("tick");
    }
    pop();
    end_id(id);
    /* Two domains: a pop is that of its own. */
    void *fft = domain_create("fft"), *io = domain_create("io");
    domain_push(fft, &a);
    domain_push(io, &a);
    MPI_Barrier(MPI_COMM_WORLD);
    domain_pop(io);
    MPI_Barrier(MPI_COMM_WORLD);
    domain_pop(fft);
    domain_pop(fft); /* one too many */
}

typedef struct {
    char name[64];
} Space;

static void kokkos(void)
{
    const char *path = getenv("KOKKOS_TOOLS_LIBS");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    if (!library) return;
    void (*push)(const char *) = dlsym(library, "kokkosp_push_profile_region");
    void (*pop)(void) = dlsym(library, "kokkosp_pop_profile_region");
    void (*begin)(const char *, uint32_t, uint64_t *) = dlsym(library, "kokkosp_begin_parallel_reduce");
    void (*end)(uint64_t) = dlsym(library, "kokkosp_end_parallel_reduce");
    void (*copy)(Space, const char *, const void *, Space, const char *, const void *, uint64_t) =
        dlsym(library, "kokkosp_begin_deep_copy");
    void (*copied)(void) = dlsym(library, "kokkosp_end_deep_copy");
    if (!push || !pop || !begin || !end || !copy || !copied) return;
    uint64_t id = 77;
    Space host = {"Host"};
    push("kernels");
    begin("dot", 0, &id);
    MPI_Barrier(MPI_COMM_WORLD);
    end(id);
    copy(host, "y", NULL, host, "x", NULL, 8);
    copied();
    pop();
}

#ifdef CALIPER
void cali_begin_region(const char *);
void cali_end_region(const char *);
#endif

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    nvtx();
    kokkos();
#ifdef CALIPER
    cali_begin_region("cali");
    MPI_Barrier(MPI_COMM_WORLD);
    cali_end_region("cali");
#endif
    if (rank == 0) puts("others OK");
    MPI_Finalize();
    return 0;
}
