"""Programs compiled with -fsanitize=thread: their loads and stores are known to `mpiscope check`, and to nobody else."""

import json
import os
import shutil

import pytest
from checked_program import findings
from harness import BIN, MPISCOPE, run

FLAGS = ("-fsanitize=thread", "-g", "-O1")

READS = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, values[5000] = {0}, copy[5000];
    long sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            MPI_Irecv(values, 5000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            for (int i = 0; i < 5000; i++)
                sum += values[i]; // here
            memcpy(copy, values, sizeof copy); // copied
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            values[4999] = 7;
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Send(values, 5000, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("sum %ld, last %d, copied %d\\n", sum, values[4999], copy[4999]);
    MPI_Finalize();
    return 0;
}
"""

# Atomics of all widths and orders, by four threads, while a receive is under way; what is received lies between them.
ATOMICS = """
#include <mpi.h>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
template <typename Word> struct Box {
    std::atomic<Word> sum{0}, flips{0}, most{0}, turn{0};
    Word plain = 0;
};
static Box<unsigned char> bytes;
static Box<short> halves;
static int arrived[4];
static Box<int> words;
static Box<long> longs;
template <typename Word> static void work(Box<Word> &box)
{
    for (int i = 0; i < 5000; i++) {
        box.sum.fetch_add(3, std::memory_order_relaxed);
        box.sum.fetch_sub(1);
        box.flips ^= 5;
        box.flips |= 0;
        box.flips &= Word(~Word(0));
        Word seen = box.most.load(std::memory_order_acquire);
        while (seen < Word(i) && !box.most.compare_exchange_weak(seen, Word(i), std::memory_order_acq_rel))
            ;
        while (box.turn.exchange(1, std::memory_order_acquire))
            std::this_thread::yield();
        box.plain++;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        box.turn.store(0, std::memory_order_release);
    }
}
template <typename Word> static long right(const Box<Word> &box)
{
    Word wanted = Word(4 * 5000 * 2), plain = Word(4 * 5000);
    return box.sum == wanted && box.plain == plain && box.flips == 0 && (sizeof(Word) < 2 || box.most == 4999);
}
int main(int argc, char **argv)
{
    int rank, level, next;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Irecv(arrived, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] { work(bytes), work(halves), work(words), work(longs); });
    for (auto &thread : threads)
        thread.join();
    next = 4 + rank;
    int out[4] = {next, next, next, next};
    MPI_Send(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    bool all = right(bytes) && right(halves) && right(words) && right(longs) && arrived[3] == 5 - rank;
    try {
        if (all)
            throw rank;
    } catch (int) {
        std::puts("right");
    }
    MPI_Finalize();
    return 0;
}
"""

# A reduction of its own is given any buffer by the MPI, also those that are in flight.
REDUCES = """
#include <mpi.h>
#include <stdio.h>
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
int main(int argc, char **argv)
{
    int rank, in[300], out[300];
    MPI_Request request;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < 300; i++)
        in[i] = i + rank;
    MPI_Iallreduce(in, out, 300, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(MPI_IN_PLACE, in, 300, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (out[9] == 19 && in[299] == 599)
        puts("right");
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
"""


def build(mpi, work, source, *flags, name="program.c", compiler=None):
    (work / name).write_text(source)
    command = [compiler or mpi.compiler, *FLAGS, *flags, name, "-o", "program"]
    run(command, cwd=work, env=mpi.env).ok()


def cxx(mpi):
    found = shutil.which(f"mpicxx.{mpi.name}")
    return found or pytest.skip(f"no mpicxx of {mpi.name}")


def check(mpi, work, *options):
    return run([MPISCOPE, "check", "-n", "2", "--force", *options, "./program"], cwd=work, env=mpi.env)


def line_of(source, mark):
    return 1 + next(i for i, line in enumerate(source.splitlines()) if line.endswith(mark))


def test_each_place_that_reads_is_told_once(mpi, work):
    build(mpi, work, READS)
    done = check(mpi, work)
    assert done.code == 10, done.err
    assert done.out == "sum 14, last 7, copied 7\n"
    found = findings(work)
    assert {f["id"] for f in found} == {"buffer.receive-read"}, found
    assert sorted(f["parties"][0]["line"] for f in found) == [line_of(READS, "// here"), line_of(READS, "// copied")]
    assert all(f["count"] == 3 for f in found), found
    assert "compiled with -fsanitize=thread: accesses to buffers in flight are checked" in done.err


def test_without_buffers_the_compiler_s_runtime_stays(openmpi, work):
    source = READS.replace("int rank,", 'printf("%s", "");\n    int rank,').replace(
        "    MPI_Finalize();", '    FILE *maps = fopen("/proc/self/maps", "r");\n    char line[4096];\n'
        '    while (fgets(line, sizeof line, maps))\n        if (strstr(line, "tsan.so"))\n'
        '            fprintf(stderr, "maps %s", strrchr(line, \'/\') + 1);\n    MPI_Finalize();')
    build(openmpi, work, source)
    bare = openmpi.bare(2, "./program", cwd=work).ok()
    recorded = run([MPISCOPE, "run", "-n", "2", "--force", "./program"], cwd=work, env=openmpi.env).ok()
    for done in (bare, recorded, check(openmpi, work, "--check-bytes=0")):
        assert "maps libtsan.so" in done.err and "maps libmpiscope_tsan" not in done.err, done
        assert done.out == bare.out
    done = check(openmpi, work)
    assert "maps libmpiscope_tsan.so" in done.err and "maps libtsan.so" not in done.err, done


def test_a_run_that_is_recorded_has_its_calls(openmpi, work):
    build(openmpi, work, READS)
    run([MPISCOPE, "run", "-n", "2", "--force", "./program"], cwd=work, env=openmpi.env).ok()
    calls = json.loads(run([MPISCOPE, "report", "--json", "program.mpiscope"], cwd=work).ok().out)
    assert "MPI_Irecv" in json.dumps(calls)


def test_atomic_operations_are_done(mpi, work):
    build(mpi, work, ATOMICS, "-std=c++17", "-pthread", name="program.cpp", compiler=cxx(mpi))
    done = check(mpi, work)
    # Lines of two ranks may mix.
    assert done.out.count("right") == 2, done
    assert done.code == 0 and findings(work) == [], done.err


def test_a_reduction_of_the_program_may_have_any_buffer(mpi, work):
    build(mpi, work, REDUCES)
    done = check(mpi, work)
    assert (done.code, done.out.count("right")) == (0, 2), done
    assert findings(work) == []


def test_programs_of_other_compilers_need_it_by_another_name(openmpi, work):
    """As GCC 11 would have linked it."""
    build(openmpi, work, READS)
    program = (work / "program").read_bytes()
    assert program.count(b"libtsan.so.2\0") == 1
    (work / "program").write_bytes(program.replace(b"libtsan.so.2\0", b"libtsan.so.0\0"))
    cache, folder = work / "cache", work / "gcc11"
    folder.mkdir()
    (folder / "libtsan.so.0").symlink_to(run(["gcc", "-print-file-name=libtsan.so"]).ok().out.strip())
    done = run([MPISCOPE, "check", "-n", "2", "--force", "./program"], cwd=work,
               env={**openmpi.env, "XDG_CACHE_HOME": str(cache), "LD_LIBRARY_PATH": str(folder)})
    assert done.code == 10 and "buffer.receive-read" in done.err, done
    assert len(list(cache.glob("mpiscope/*/libmpiscope_tsan.so"))) == 1


def test_why_loads_and_stores_are_not_looked_at(openmpi, work):
    build(openmpi, work, READS, "-static-libtsan")
    done = check(openmpi, work, "--guard=off")
    assert done.code == 0 and "its compiler's runtime is part of the executable" in done.err, done
    build(openmpi, work, READS.replace("int main", "void __tsan_testonly_barrier_init(void *, unsigned);\n"
                                       "int main") .replace("MPI_Finalize();",
                                       "if (argc > 9) __tsan_testonly_barrier_init(values, 2);\n    MPI_Finalize();"))
    done = check(openmpi, work, "--guard=off")
    assert done.code == 0 and "it uses __tsan_testonly_barrier_init" in done.err, done


def test_clang(openmpi, work):
    """Its own runtime in the executable, as a library, and none: linked by GCC."""
    clang = shutil.which("clang") or shutil.which("clang-14") or pytest.skip("no clang")
    # Elements of arrays on the stack clang 14 leaves out.
    source = READS.replace("int rank, values[5000] = {0}, copy[5000];", "int rank; static int values[5000], copy[5000];")
    (work / "program.c").write_text(source)
    own = {**openmpi.env, "OMPI_CC": clang}
    run([openmpi.compiler, *FLAGS, "-c", "program.c"], cwd=work, env=own).ok()
    run([openmpi.compiler, *FLAGS, "program.o", "-o", "program"], cwd=work, env=openmpi.env).ok()
    done = check(openmpi, work)
    assert done.code == 10 and len(findings(work)) == 2, done
    if run([openmpi.compiler, *FLAGS, "program.c", "-o", "program"], cwd=work, env=own).code == 0:
        done = check(openmpi, work, "--guard=off")
        assert done.code == 0 and "its compiler's runtime is part of the executable" in done.err, done
    folder = run([clang, "-print-resource-dir"]).ok().out.strip() + "/lib/linux"
    shared = [*FLAGS, "-shared-libsan", f"-Wl,-rpath,{folder}"]
    if run([openmpi.compiler, *shared, "program.c", "-o", "program"], cwd=work, env=own).code == 0:
        done = run([MPISCOPE, "check", "-n", "2", "--force", "./program"], cwd=work,
                   env={**openmpi.env, "XDG_CACHE_HOME": str(work / "cache")})
        assert done.code == 10 and len(findings(work)) == 2, done


def test_other_preloads_stay(openmpi, work):
    (work / "other.c").write_text('#include <unistd.h>\n__attribute__((constructor)) static void f(void) { write(2, "other\\n", 6); }\n')
    run(["cc", "-shared", "-fPIC", "other.c", "-o", "other.so"], cwd=work).ok()
    build(openmpi, work, READS)
    done = run([MPISCOPE, "check", "-n", "2", "--force", "./program"], cwd=work,
               env={**openmpi.env, "LD_PRELOAD": str(work / "other.so")})
    assert done.code == 10 and "other\n" in done.err, done


def test_the_runtime_needs_nobody(openmpi, work):
    """Preloaded by hand, into programs that know nothing of it."""
    library = BIN / "libmpiscope_tsan.so"
    done = run(["python3", "-c", "print(bytes(3) + b'x' * 5)"], env={"LD_PRELOAD": str(library)})
    assert done.out == "b'\\x00\\x00\\x00xxxxx'\n" and done.err == ""
    build(openmpi, work, READS)
    bare = openmpi.bare(2, "./program", cwd=work)
    done = openmpi.bare(2, "env", f"LD_PRELOAD={library}", "./program", cwd=work)
    assert (done.code, done.out) == (0, bare.out), done
    assert os.environ.get("LD_PRELOAD") is None
