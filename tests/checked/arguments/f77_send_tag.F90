! A negative tag, through mpif.h.
!
! ranks: 2
! expect: argument.tag
! bare: openmpi=aborts mpich=aborts
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, value, status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    value = rank
    if (rank == 0) then
#ifdef RIGHT
        call MPI_Send(value, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error)
#else
        call MPI_Send(value, 1, MPI_INTEGER, 1, -3, MPI_COMM_WORLD, error) ! WRONG
#endif
    else
        call MPI_Recv(value, 1, MPI_INTEGER, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
    end if
    call MPI_Finalize(error)
end program
