! A complex number is not two reals, with use mpi_f08.
!
! ranks: 2
! expect: message.datatype
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank
    complex :: values(4)
    real :: parts(8)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    values = (1.0, 2.0)
    parts = 0
    if (rank == 0) then
        call MPI_Send(values, 4, MPI_COMPLEX, 1, 0, MPI_COMM_WORLD) ! WRONG
    else
#ifdef RIGHT
        call MPI_Recv(values, 4, MPI_COMPLEX, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#else
        call MPI_Recv(parts, 8, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! WRONG
#endif
    end if
    call MPI_Finalize()
end program
