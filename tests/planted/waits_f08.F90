! waits_f08: waits of several kinds in Fortran with mpi_f08, on a communicator in which ranks count from the other end.
!
! case: name=barrier ranks=4
! args: --kind 1 --late 2 --delay-us 8000 --count 30
! expect: finding=wait_at_barrier ranks=0,1,3 cause=2 seconds=planted tolerance=5%
! allow: load_imbalance
! repair: root=load_imbalance|wait_at_barrier cause=2 saves=measured
! case: name=bcast ranks=2
! args: --kind 2 --late 0
! expect: finding=late_broadcast ranks=1 cause=0 seconds=planted tolerance=5%
! allow: load_imbalance
! repair: root=load_imbalance|late_broadcast cause=0 saves=measured
! case: name=probe ranks=2
! args: --kind 3 --late 0
! expect: finding=late_sender ranks=1 cause=0 seconds=planted tolerance=5%
! allow: load_imbalance
! repair: root=load_imbalance|late_sender cause=0 saves=measured
! case: name=barrier_twin ranks=4
! args: --kind 1 --twin --delay-us 8000 --count 30
! expect: none
! case: name=bcast_twin ranks=2
! args: --kind 2 --twin
! expect: none
! case: name=probe_twin ranks=2
! args: --kind 3 --twin
! expect: none
program waits_f08
  use mpi_f08
  use stamps
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, size, mine, kind, i
  integer :: buffer(4)
  type(MPI_Comm) :: comm

  call planted_start()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call planted_ready(rank, size)
  kind = int(planted_long("--kind" // c_null_char, 1_c_long))
  call stamp_enter("MPI_Comm_split", __FILE__, __LINE__ + 1)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm)
  call planted_leave()
  call planted_part(role_entry, 0, -1)
  call planted_part(role_all, 0, -1)
  call MPI_Comm_rank(comm, mine)
  buffer = rank
  do i = -1, int(plan%count) - 1
     call work(i, rank, size)
     select case (kind)
     case (1)
        call stamp_enter("MPI_Barrier", __FILE__, __LINE__ + 1)
        call MPI_Barrier(comm)
        call planted_leave()
        call planted_part(role_entry, 0, -1)
        call planted_part(role_barrier, 0, -1)
     case (2)
        ! The root is rank 0 of MPI_COMM_WORLD.
        call stamp_enter("MPI_Bcast", __FILE__, __LINE__ + 1)
        call MPI_Bcast(buffer, 4, MPI_INTEGER, size - 1, comm)
        call planted_leave()
        call planted_part(role_entry, 0, -1)
        if (rank /= 0) call planted_part(role_root, 0, 0)
        ! The root does not run ahead.
        call stamp_enter("MPI_Barrier", __FILE__, __LINE__ + 1)
        call MPI_Barrier(comm)
        call planted_leave()
        call planted_part(role_entry, 0, -1)
        call planted_part(role_barrier, 0, -1)
     case (3)
        if (rank == 0) then
           call stamp_enter("MPI_Send", __FILE__, __LINE__ + 1)
           call MPI_Send(buffer, 4, MPI_INTEGER, size - 2, 1, comm)
           call planted_leave()
           call planted_part(role_send, 1, 1)
        else if (rank == 1) then
           call probe_and_receive()
        end if
     end select
  end do
  call planted_end()
  call MPI_Comm_free(comm)
  call MPI_Finalize()

contains

  subroutine probe_and_receive()
    type(MPI_Status) :: status
    call stamp_enter("MPI_Probe", __FILE__, __LINE__ + 1)
    call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status)
    call planted_leave()
    call planted_part(role_post, 1, 0)
    call planted_part(role_arrival, 1, 0)
    call stamp_enter("MPI_Recv", __FILE__, __LINE__ + 1)
    call MPI_Recv(buffer, 4, MPI_INTEGER, status%MPI_SOURCE, status%MPI_TAG, comm, MPI_STATUS_IGNORE)
    call planted_leave()
  end subroutine probe_and_receive
end program waits_f08
