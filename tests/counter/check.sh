#!/bin/sh
# check.sh BUILD EXAMPLES: the counter against the tallies that programs keep themselves.
# Polling functions may be called more often from run to run, so both come from one run.
set -eu
build=$(cd "$1" && pwd)
examples=$(cd "$2" && pwd)
: "${MPIRUN:=mpirun}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
extra=
case $($MPIRUN --version 2>&1) in *"Open MPI"* | *OpenRTE*) extra="--oversubscribe --allow-run-as-root" ;; esac
status=0
# shellcheck disable=SC2086
run() { # the command line, counted into $work/count.<rank>
    rm -f "$work"/tally.* "$work"/count.*
    $MPIRUN -n 2 $extra env MPICOUNT_OUT="$work/count" \
        LD_PRELOAD="$build/libmpicount.so${LD_PRELOAD:+:$LD_PRELOAD}" "$@" >"$work/stdout" 2>"$work/stderr" ||
        { echo "$1: the program failed"; tail -5 "$work/stdout" "$work/stderr"; status=1; return 1; }
}

agree() { # name, rank: $work/want against what was counted
    LC_ALL=C sort "$work/want" >"$work/want.sorted"
    LC_ALL=C sort "$work/count.$2" >"$work/got"
    if diff -u "$work/want.sorted" "$work/got" >"$work/diff"; then
        echo "$1 rank $2: $(wc -l <"$work/got") lines agree"
    else
        echo "$1 rank $2: differs (- program, + counter)"
        cat "$work/diff"
        status=1
    fi
}

# Programs that keep a tally for each rank.
tallied() { # name, arguments ...
    name=$1
    shift
    run "$examples/$name" "$@" || return 0
    for rank in 0 1; do
        cp "$work/tally.$rank" "$work/want"
        agree "$name" $rank
    done
}
tallied callmix --reps 7 --tally "$work/tally"
tallied callmix_mpi 7 "$work/tally"
tallied callmix_f08 7 "$work/tally"

# Rank 0 prints `nested MPI_X direct 3 callback 2`.
if run "$examples/nested" --reps 5; then
    awk '$3 == "direct" && $4 > 0 { print $2, $4 } $5 == "callback" && $6 > 0 { print $2 "/callback", $6 }' \
        "$work/stdout" >"$work/want"
    agree nested 0
fi

# Known beforehand.
expect() { # name, function, calls
    got=$(awk -v f="$2" '$1 == f { print $2 }' "$work/count.1")
    [ "${got:-0}" = "$3" ] && echo "$1: $2 $3" || { echo "$1: $2 ${got:-0}, expected $3"; status=1; }
}
if run "$examples/crash" --how none --after 123; then expect crash MPI_Sendrecv 123; fi
if run "$examples/halo2d" --iters 50 --variant blocking; then
    expect halo2d MPI_Sendrecv 200
    expect halo2d MPI_Allreduce 7 # five residuals, the checksum, the failures
fi
if run "$examples/threads" --iters 300; then
    expect threads MPI_Recv 1200
    expect threads MPI_Allreduce 301
fi
if run "$examples/solver3" 30; then expect solver3 MPI_Isend 480; fi
exit $status
