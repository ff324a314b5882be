! A ring of synchronous sends, with use mpi_f08.
!
! ranks: 3
! expect: deadlock.cycle
! lines: all
! bare: openmpi=hangs mpich=hangs
program checked
    use mpi_f08
    implicit none
    integer :: rank, ranks, mine, theirs, left, right
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    mine = rank
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
#ifdef RIGHT
    call MPI_Sendrecv(mine, 1, MPI_INTEGER, right, 0, theirs, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#else
    call MPI_Ssend(mine, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD) ! WRONG
    call MPI_Recv(theirs, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#endif
    call MPI_Finalize()
end program
