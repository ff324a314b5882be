! Both ranks receive first, through mpif.h.
!
! ranks: 2
! expect: deadlock.cycle
! lines: all
! bare: openmpi=hangs mpich=hangs
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, mine, theirs, status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    mine = rank
#ifdef RIGHT
    call MPI_Sendrecv(mine, 1, MPI_INTEGER, 1 - rank, 0, theirs, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, status, error)
#else
    call MPI_Recv(theirs, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, status, error) ! WRONG
    call MPI_Send(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, error)
#endif
    call MPI_Finalize(error)
end program
