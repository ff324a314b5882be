! Two receives share an element, with use mpi_f08.
!
! ranks: 2
! expect: buffer.in-use
! allow: buffer.receive-written buffer.send-written
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank, second
    integer, asynchronous :: values(8)
    type(MPI_Request) :: requests(2)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    values = rank
#ifdef RIGHT
    second = 5
#else
    second = 4
#endif
    if (rank == 0) then
        call MPI_Irecv(values(1), 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(1)) ! WRONG
        call MPI_Irecv(values(second), 4, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, requests(2)) ! WRONG
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    else
        call MPI_Send(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
        call MPI_Send(values, 4, MPI_INTEGER, 0, 1, MPI_COMM_WORLD)
    end if
    call MPI_Finalize()
end program
