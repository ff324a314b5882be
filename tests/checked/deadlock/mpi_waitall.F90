! MPI_Waitall before the messages are sent, with use mpi.
!
! ranks: 2
! expect: deadlock.cycle
! lines: all
! bare: openmpi=hangs mpich=hangs
program checked
    use mpi
    implicit none
    integer :: rank, error, mine, theirs, requests(1), statuses(MPI_STATUS_SIZE, 1)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    mine = rank
    call MPI_Irecv(theirs, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1), error)
#ifdef RIGHT
    call MPI_Send(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, error)
    call MPI_Waitall(1, requests, statuses, error)
#else
    call MPI_Waitall(1, requests, statuses, error) ! WRONG
    call MPI_Send(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, error)
#endif
    call MPI_Finalize(error)
end program
