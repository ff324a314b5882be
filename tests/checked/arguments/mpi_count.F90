! A negative count of a reduction, with use mpi.
!
! ranks: 2
! expect: argument.count
! bare: openmpi=aborts mpich=crashes
program checked
    use mpi
    implicit none
    integer :: error, mine(4), total(4), n
    call MPI_Init(error)
    mine = 1
#ifdef RIGHT
    n = 4
#else
    n = -4
#endif
    call MPI_Allreduce(mine, total, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! WRONG
    call MPI_Finalize(error)
end program
