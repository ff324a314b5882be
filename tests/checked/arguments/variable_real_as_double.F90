! An array of default reals is sent as MPI_DOUBLE_PRECISION.
!
! ranks: 2
! flags: -O0
! expect: argument.variable-type | argument.variable-short
! allow-both: message.untyped
! bare: openmpi=ends mpich=ends
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, status(MPI_STATUS_SIZE)
    real :: field(8)
    double precision :: there(8)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    field = rank
    there = 0
    if (rank == 0) then
#ifdef RIGHT
        call MPI_Send(field, 8, MPI_REAL, 1, 0, MPI_COMM_WORLD, error)
#else
        call MPI_Send(field, 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error) ! WRONG
#endif
    else
        call MPI_Recv(there, 64, MPI_BYTE, 0, 0, MPI_COMM_WORLD, status, error)
    end if
    print *, sum(there) * 0
    call MPI_Finalize(error)
end program
