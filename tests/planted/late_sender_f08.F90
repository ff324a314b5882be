! late_sender_f08: late_sender in Fortran with mpi_f08: a receive, and MPI_Irecv with MPI_Wait.
!
! case: name=recv ranks=2 quick
! args: --late 0
! expect: finding=late_sender ranks=1 cause=0 seconds=planted tolerance=5%
! allow: load_imbalance
! repair: root=load_imbalance|late_sender cause=0 saves=measured
! case: name=twin ranks=2
! args: --twin
! expect: none
program late_sender_f08
  use mpi_f08
  use stamps
  implicit none
  integer :: rank, size, i
  real(8) :: field(128), from_other(128)

  call planted_start()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call planted_ready(rank, size)
  field = rank
  call stamp_enter("MPI_Barrier", __FILE__, __LINE__ + 1)
  call MPI_Barrier(MPI_COMM_WORLD)
  call planted_leave()
  call planted_part(role_entry, 0, -1)
  call planted_part(role_barrier, 0, -1)
  do i = -1, int(plan%count) - 1
     call work(i, rank, size)
     if (rank == 0) then
        call send()
     else if (mod(i, 2) == 0) then
        call receive()
     else
        call receive_later()
     end if
  end do
  call planted_end()
  call MPI_Finalize()

contains

  subroutine send()
    call stamp_enter("MPI_Send", __FILE__, __LINE__ + 1)
    call MPI_Send(field, 128, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD)
    call planted_leave()
    call planted_part(role_send, 1, 1)
  end subroutine send

  subroutine receive()
    call stamp_enter("MPI_Recv", __FILE__, __LINE__ + 1)
    call MPI_Recv(from_other, 128, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call planted_leave()
    call planted_part(role_post, 1, 0)
    call planted_part(role_arrival, 1, 0)
  end subroutine receive

  subroutine receive_later()
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    call stamp_enter("MPI_Irecv", __FILE__, __LINE__ + 1)
    call MPI_Irecv(from_other, 128, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, request)
    call planted_leave()
    call planted_part(role_post, 1, 0)
    call stamp_enter("MPI_Wait", __FILE__, __LINE__ + 1)
    call MPI_Wait(request, status)
    call planted_leave()
    call planted_part(role_arrival, 1, 0)
  end subroutine receive_later
end program late_sender_f08
