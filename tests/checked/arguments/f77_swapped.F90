! Count and datatype swapped, which no compiler notices with mpif.h.
!
! ranks: 2
! expect: argument.datatype | argument.count
! bare: openmpi=aborts mpich=aborts
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, values(4), status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = rank
    if (rank == 0) then
#ifdef RIGHT
        call MPI_Send(values, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
#else
        call MPI_Send(values, MPI_INTEGER, -4, 1, 0, MPI_COMM_WORLD, error) ! WRONG
#endif
    else
        call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)
    end if
    call MPI_Finalize(error)
end program
