#!/bin/sh
# check.sh BUILD [RANKS ...]: runs every example and wants its OK, default on 2 and 4 ranks.
#
# MPIRUN is the launcher (default mpirun), RUN_WITH stands between it and the program, for
# example RUN_WITH="env LD_PRELOAD=…" or "mpiscope exec". PYTHON runs pyring.py; without
# mpi4py that one is skipped.
set -u
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- 2 4
: "${MPIRUN:=mpirun}" "${RUN_WITH:=}" "${PYTHON:=python3}"
case $($MPIRUN --version 2>&1) in
*"Open MPI"* | *OpenRTE*) extra="--oversubscribe --allow-run-as-root" ;;
*) extra= ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
status=0
reference=

# shellcheck disable=SC2086
go() { # expected exit status (or "bad"), command line
    want=$1
    shift
    timeout 120 $MPIRUN -n $ranks $extra $RUN_WITH "$@" >out 2>err </dev/null
    got=$?
    label="$(basename "$1") $(echo "$*" | cut -s -d' ' -f2-) on $ranks"
    if [ "$want" = bad ]; then
        [ $got -ne 0 ] && return 0
    elif [ $got -eq "$want" ] && { [ "$want" -ne 0 ] || grep -q 'OK$' out; }; then
        return 0
    fi
    echo "FAILED ($got): $label"
    tail -3 out err
    status=1
    return 1
}

# The last line must be the same on every number of ranks and for every variant.
same() { # key, command line
    key=$1
    shift
    go 0 "$@" || return
    line=$(grep 'OK$' out | sed 's/^[a-z0-9_]* //')
    case $reference in
    *"<$key>"*)
        case $reference in *"<$key>$line;"*) ;; *)
            echo "FAILED: $* on $ranks gives another result: $line"
            status=1
            ;;
        esac
        ;;
    *) reference="$reference<$key>$line;" ;;
    esac
}

for ranks in "$@"; do
    for variant in blocking irecv_send irecv_isend persistent neighbor rma_fence rma_pscw rma_lock; do
        same halo "$build/halo2d" --variant $variant
        same halo_periodic "$build/halo2d" --variant $variant --periodic --nx 61 --ny 47
    done
    go 0 "$build/halo2d" --slow-rank 1 --work 2
    same solver3 "$build/solver3" 20
    same halo_fortran "$build/halo_mpi"
    same halo_fortran "$build/halo_f08"
    same bucketsort "$build/bucketsort"
    for program in iowrite "callmix --reps 5" "callmix_mpi 5" "callmix_f08 5" weakref copyreloc nested regions "stencil3 --iters 5" threads sessions; do
        # shellcheck disable=SC2086
        go 0 "$build"/$program
    done
    for how in segv abort exit _exit kill mpiabort return; do
        go bad "$build/crash" --how $how
    done
    go 0 "$build/crash" --how none
    if $PYTHON -c 'import mpi4py' 2>/dev/null; then
        go 0 "$PYTHON" "$build/pyring.py"
    else
        echo "skipped: pyring.py on $ranks ($PYTHON has no mpi4py)"
    fi
done
"$build/nompi" >out && grep -q 'OK$' out || { echo "FAILED: nompi"; status=1; }
[ $status -eq 0 ] && echo "every example is OK"
exit $status
