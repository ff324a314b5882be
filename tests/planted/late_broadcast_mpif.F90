! late_broadcast_mpif: late_broadcast in Fortran with mpif.h.
!
! case: name=bcast ranks=2
! args: --late 0
! expect: finding=late_broadcast ranks=1 cause=0 function=MPI_Bcast seconds=planted tolerance=5%
! allow: load_imbalance
! repair: root=load_imbalance|late_broadcast cause=0 saves=measured
! case: name=twin ranks=2
! args: --twin
! expect: none
program late_broadcast_mpif
  use stamps
  implicit none
  include 'mpif.h'
  integer :: rank, size, i, ierror
  double precision :: field(64)

  call planted_start()
  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  call planted_ready(rank, size)
  field = rank
  do i = -1, int(plan%count) - 1
     call work(i, rank, size)
     call stamp_enter("MPI_Bcast", __FILE__, __LINE__ + 1)
     call MPI_BCAST(field, 64, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
     call planted_leave()
     call planted_part(role_entry, 0, -1)
     if (rank /= 0) call planted_part(role_root, 0, 0)
     if (mod(i, 8) == 7) then
        call stamp_enter("MPI_Barrier", __FILE__, __LINE__ + 1)
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call planted_leave()
        call planted_part(role_entry, 0, -1)
        call planted_part(role_barrier, 0, -1)
     end if
  end do
  call planted_end()
  call MPI_FINALIZE(ierror)
end program late_broadcast_mpif
