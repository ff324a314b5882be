! More elements than an allocated array has, with use mpi_f08, which may pass arrays as descriptors.
!
! ranks: 2
! expect: argument.buffer-short | argument.buffer-inaccessible
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank
    double precision, allocatable :: values(:)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
#ifdef RIGHT
    allocate(values(1000))
#else
    allocate(values(100))
#endif
    values = rank
    if (rank == 0) then
        call MPI_Send(values, 50, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
    else
        call MPI_Recv(values, 1000, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! WRONG
    end if
    call MPI_Finalize()
end program
