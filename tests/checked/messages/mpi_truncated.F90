! A message that is longer than its receive, with use mpi.
!
! ranks: 2
! expect: message.truncated
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi
    implicit none
    integer :: rank, error, room, values(10), status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = rank
#ifdef RIGHT
    room = 10
#else
    room = 5
#endif
    if (rank == 0) then
        call MPI_Send(values, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error) ! WRONG
    else
        call MPI_Recv(values, room, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error) ! WRONG
    end if
    call MPI_Finalize(error)
end program
