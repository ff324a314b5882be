! A halo is read before it has come.
!
! ranks: 2
! lines: first
! flags: -fsanitize=thread
! expect: buffer.receive-read
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer :: rank, request, ierror
    double precision, allocatable :: field(:, :)
    double precision :: edge(100)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    allocate (field(100, 0:20))
    field = rank
    if (rank == 1) then
        call MPI_Irecv(field(1, 0), 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, request, ierror)
#ifndef RIGHT
        field(:, 1) = 0.5d0 * (field(:, 0) + field(:, 2)) ! WRONG
#endif
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        field(:, 1) = 0.5d0 * (field(:, 0) + field(:, 2))
    else
        edge = field(:, 20)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Send(edge, 100, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
    end if
    if (field(1, 1) < -1) print *, field(1, 1)
    call MPI_Finalize(ierror)
end program
