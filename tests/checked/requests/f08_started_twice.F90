! A persistent receive is started while it is active, with use mpi_f08.
!
! ranks: 2
! expect: request.started-twice
! allow: request.never-completed message.lost
! bare: openmpi=ends mpich=aborts
program checked
    use mpi_f08
    implicit none
    integer :: rank, n
    integer, asynchronous :: value
    type(MPI_Request) :: request
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    value = rank
    if (rank == 1) then
        call MPI_Recv_init(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request)
        do n = 1, 2
            call MPI_Start(request) ! WRONG
#ifdef RIGHT
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_Wait(request, MPI_STATUS_IGNORE)
#endif
        end do
#ifndef RIGHT
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
#endif
        call MPI_Request_free(request)
    else
        do n = 1, 2
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_Send(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
        end do
    end if
    call MPI_Finalize()
end program
