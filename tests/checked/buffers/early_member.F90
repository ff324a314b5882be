! One number of a derived type is used while the others of its array are being received with it.
!
! ranks: 2
! expect: buffer.receive-read
! lines: first
! flags: -O0
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    type cell
        integer :: number
        double precision :: flux(5)
        double precision :: mass
    end type
    type(cell) :: cells(4)
    integer :: rank, error, request, i
    double precision :: total
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    do i = 1, 4
        cells(i)%number = i
        cells(i)%flux = 0
        cells(i)%mass = 1
    end do
    total = 0
    if (rank == 0) then
        call MPI_Irecv(cells(3)%flux, 5, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, error)
        do i = 2, 4
            total = total + cells(i)%mass
#ifndef RIGHT
            total = total + cells(i)%flux(4) ! WRONG
#endif
        end do
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        if (total < 0) print *, total
    else
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Send(cells(3)%flux, 5, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, error)
    end if
    call MPI_Finalize(error)
end program
