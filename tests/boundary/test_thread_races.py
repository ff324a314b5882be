"""Races between threads and MPI, by the compiler's own race detector; thread levels that nobody has asked for."""

import pytest
from checked_program import findings
from harness import MPISCOPE, ROOT, run

PROGRAMS = ROOT / "tests" / "checked"
FLAGS = ("-fsanitize=thread", "-g", "-O1")

# Both sides of every order that OpenMP of GCC makes, around a halo that the first thread exchanges.
ORDERS = """
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 3000 };
static double a[N], b[N], halo[N];
int main(int argc, char **argv)
{
    int level, rank, count = 0, locked = 0;
    double sum = 0;
    omp_lock_t lock;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    omp_init_lock(&lock);
    for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for
            for (int i = 0; i < N; i++)
                a[i] = i + round;
#pragma omp master
            MPI_Sendrecv(a, N, MPI_DOUBLE, 1 - rank, 0, halo, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp barrier
#pragma omp for schedule(dynamic, 100)
            for (int i = 0; i < N; i++)
                b[N - 1 - i] = halo[i] + a[i];
#pragma omp for reduction(+ : sum) nowait
            for (int i = 0; i < N; i++)
                sum += b[i];
#pragma omp critical
            count++;
            omp_set_lock(&lock);
            locked++;
            omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
            {
                for (int t = 0; t < 10; t++) {
#pragma omp task firstprivate(t)
                    a[t] += t;
                }
#pragma omp taskwait
                for (int t = 0; t < 10; t++)
                    sum += a[t];
            }
#pragma omp sections
            {
#pragma omp section
                a[0] = 1;
#pragma omp section
                a[1] = 2;
            }
            double copied;
#pragma omp single copyprivate(copied)
            copied = a[3];
#pragma omp atomic
            sum += copied;
#pragma omp for ordered
            for (int i = 0; i < 20; i++) {
#pragma omp ordered
                count += i;
            }
#pragma omp master
            {
#pragma omp taskloop grainsize(10)
                for (int i = 0; i < 100; i++)
                    b[i] = i;
#pragma omp task depend(out : a)
                a[7] = 2;
#pragma omp task depend(in : a)
                b[7] = a[7];
            }
        }
        for (int i = 0; i < N; i++)
            sum += a[i] + b[i];
    }
    printf("%.0f %d %d\\n", sum, count, locked);
    MPI_Finalize();
    return 0;
}
"""

# A thread may read what another has received, after a message from that thread.
ACROSS = """
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int values[100], level;
static void *receives(void *unused)
{
    MPI_Recv(values, 100, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; i++)
        values[i] = i;
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_SELF);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_create(&thread, NULL, receives, NULL);
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, values, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 100; i++)
        sum += values[i];
    pthread_join(thread, NULL);
    printf("sum %d\\n", sum);
    MPI_Finalize();
    return 0;
}
"""

PLAIN = """
#include <mpi.h>
#include <pthread.h>
static int counter;
static void *counts(void *unused)
{
    counter++; // here
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, counts, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

# Stands behind mpiscope: as an MPI that grants more than it is asked for.
GRANTS = """
#include <mpi.h>
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)required;
    return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided);
}
"""

SEVERAL = """
#include <mpi.h>
#include <pthread.h>
static void *calls(void *unused)
{
    MPI_Barrier(MPI_COMM_WORLD); // here
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int level;
    MPI_Init_thread(&argc, &argv, LEVEL, &level);
    pthread_create(&thread, NULL, calls, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
"""


def build(mpi, work, source, *flags):
    (work / "program.c").write_text(source)
    run([mpi.compiler, *flags, "program.c", "-o", "program"], cwd=work, env=mpi.env).ok()


def check(mpi, work, *options, **more):
    return run([MPISCOPE, "check", "-n", "2", "--force", *options, "./program"], cwd=work, env={**mpi.env, **more})


def line_of(source, mark):
    return 1 + next(i for i, line in enumerate(source.splitlines()) if line.endswith(mark))


@pytest.mark.parametrize("name, reads", [("race_late_thread", True), ("race_early_thread", False), ("race_openmp", True)])
def test_an_access_without_an_order_is_found_whenever_it_happens(mpi, work, name, reads):
    source = (PROGRAMS / "buffers" / f"{name}.c").read_text()
    flags = (*FLAGS, "-pthread", "-fopenmp", f"-I{PROGRAMS}/buffers")
    build(mpi, work, source, *flags)
    done = check(mpi, work, "--thread-races")
    assert done.code == 10, done
    found = findings(work)
    # Where it comes in time by luck, the finding states that.
    in_time = {"buffer.receive-read"} if name == "race_openmp" else set()
    assert found and {f["id"] for f in found} <= {"buffer.race"} | in_time, found
    for access, call, *_ in (f["parties"] for f in found):
        assert access["line"] == line_of(source, "/* WRONG */"), found
        assert access["role"] == ("reads" if reads else "writes") and call["function"].startswith("MPI_"), found
    assert "the compiler's runtime detects data races between threads" in done.err
    logs = list((work / "program.mpiscope").glob("threads.*"))
    assert any("WARNING: ThreadSanitizer: data race" in log.read_text() for log in logs)
    build(mpi, work, source, *flags, "-DRIGHT")
    done = check(mpi, work, "--thread-races")
    assert (done.code, findings(work)) == (0, []), done


def test_what_openmp_orders_is_no_race(mpi, work):
    """The detector's own log may hold reports about the OpenMP library, which mpiscope leaves out: what counts is what it reports."""
    build(mpi, work, ORDERS, *FLAGS, "-fopenmp")
    done = check(mpi, work, "--thread-races")
    assert (done.code, findings(work)) == (0, []), done
    assert len(set(done.out.splitlines())) == 1 and len(done.out.splitlines()) == 2, done.out


def test_what_messages_order_is_no_race(openmpi, work):
    """Not with MPICH, whose threads starve each other on few cores: the program alone hangs now and then."""
    build(openmpi, work, ACROSS, *FLAGS, "-pthread")
    done = check(openmpi, work, "--thread-races")
    assert (done.code, findings(work)) == (0, []), done
    assert done.out.count("sum 9900") == 2, done


def test_a_touch_in_time_is_told_by_its_own_rule(mpi, work):
    source = (PROGRAMS / "buffers" / "tsan_isend_written.c").read_text()
    build(mpi, work, source, *FLAGS, f"-I{PROGRAMS}/buffers")
    done = check(mpi, work, "--thread-races")
    found = findings(work)
    assert done.code == 10 and [f["id"] for f in found] == ["buffer.send-written"], done
    assert found[0]["parties"][0]["line"] == line_of(source, "/* WRONG */")


def test_races_without_mpi_are_warnings(openmpi, work):
    build(openmpi, work, PLAIN, *FLAGS, "-pthread")
    done = check(openmpi, work, "--thread-races")
    found = findings(work)
    assert done.code == 0 and {f["id"] for f in found} == {"race.memory"}, done
    assert all(p["line"] == line_of(PLAIN, "// here") for f in found for p in f["parties"]), found
    assert all(f["severity"] == "warning" and f["confidence"] == "possible" for f in found), found
    done = check(openmpi, work, "--thread-races", TSAN_OPTIONS="exitcode=7")
    assert done.code == 7, "what the user asks of it counts"


def test_a_program_that_is_not_instrumented(openmpi, work):
    build(openmpi, work, PLAIN, "-pthread")
    done = check(openmpi, work, "--thread-races")
    assert done.code == 0 and "--thread-races has no effect" in done.err, done
    assert "is not compiled with -fsanitize=thread" in done.err


def test_a_level_that_was_granted_unasked(mpi, work):
    (work / "grants.c").write_text(GRANTS)
    run([mpi.compiler, "-shared", "-fPIC", "grants.c", "-o", "grants.so"], cwd=work, env=mpi.env).ok()
    for level, wanted in (("MPI_THREAD_FUNNELED", ["life.thread-unasked"]), ("MPI_THREAD_SERIALIZED", [])):
        build(mpi, work, SEVERAL, "-pthread", "-g", f"-DLEVEL={level}")
        done = check(mpi, work, LD_PRELOAD=str(work / "grants.so"))
        found = findings(work)
        assert (done.code, [f["id"] for f in found]) == (0, wanted), done
        assert all(f["parties"][0]["line"] == line_of(SEVERAL, "// here") for f in found), found


def test_threads_where_one_was_asked_for(mpi, work):
    source = (PROGRAMS / "arguments" / "thread_openmp_single.c").read_text()
    for twin, wanted in ((), ["life.thread-single"]), (("-DRIGHT",), []):
        build(mpi, work, source, "-fopenmp", "-g", f"-I{PROGRAMS}/arguments", *twin)
        done = check(mpi, work)
        assert (done.code, [f["id"] for f in findings(work)]) == (0, wanted), done
