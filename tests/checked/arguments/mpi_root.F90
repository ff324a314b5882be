! A root counted from 1, with use mpi.
!
! ranks: 3
! expect: argument.root
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi
    implicit none
    integer :: error, value, root
    call MPI_Init(error)
    value = 1
#ifdef RIGHT
    root = 2
#else
    root = 3
#endif
    call MPI_Bcast(value, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error) ! WRONG
    call MPI_Finalize(error)
end program
