! A datatype that was not committed, with use mpi_f08.
!
! ranks: 2
! expect: argument.datatype-uncommitted
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi_f08
    implicit none
    integer :: rank, values(4)
    type(MPI_Datatype) :: pair
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    values = rank
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
#ifdef RIGHT
    call MPI_Type_commit(pair)
#endif
    if (rank == 0) then
        call MPI_Send(values, 2, pair, 1, 0, MPI_COMM_WORLD) ! WRONG
    else
        call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call MPI_Type_free(pair)
    call MPI_Finalize()
end program
