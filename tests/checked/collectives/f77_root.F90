! Roots that differ, through mpif.h.
!
! ranks: 2
! expect: collective.root
! bare: openmpi=ends mpich=ends
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, value, root
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    value = rank
#ifdef RIGHT
    root = 0
#else
    root = rank
#endif
    call MPI_Bcast(value, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error) ! WRONG
    call MPI_Finalize(error)
end program
