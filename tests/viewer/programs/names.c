/* names: a program whose names try to be more than text. A page that shows them must not run them. */
#include <mpi.h>
#include <mpiscope.h>

#define SCRIPT "</script><script>window.hacked=1</script>"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    double sum, one = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, SCRIPT "\xe2\x80\xa8'\"`${1}");
    for (int step = 0; step < 50; step++) {
        mpiscope_begin("<img src=x onerror=window.hacked=1>" SCRIPT);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        mpiscope_end(NULL);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
