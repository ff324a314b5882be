! Reals are sent, half as many doubles received, through mpif.h.
!
! ranks: 2
! expect: message.datatype
! allow: argument.variable-type
! bare: openmpi=ends mpich=ends
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, status(MPI_STATUS_SIZE)
    real :: values(8)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = real(rank)
    if (rank == 0) then
        call MPI_Send(values, 8, MPI_REAL, 1, 0, MPI_COMM_WORLD, error) ! WRONG
    else
#ifdef RIGHT
        call MPI_Recv(values, 8, MPI_REAL, 0, 0, MPI_COMM_WORLD, status, error)
#else
        call MPI_Recv(values, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, error) ! WRONG
#endif
    end if
    call MPI_Finalize(error)
end program
