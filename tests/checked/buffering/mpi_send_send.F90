! Two standard sends face each other, with use mpi.
!
! ranks: 2
! expect: deadlock.buffering
! lines: all
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer :: rank, error, mine, theirs, status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    mine = rank
#ifdef RIGHT
    call MPI_Sendrecv(mine, 1, MPI_INTEGER, 1 - rank, 0, theirs, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, status, error)
#else
    call MPI_Send(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, error) ! WRONG
    call MPI_Recv(theirs, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, status, error)
#endif
    call MPI_Finalize(error)
end program
