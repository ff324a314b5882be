! nxn_f08: nxn in Fortran with mpi_f08: an allreduce and, in every fourth iteration, an alltoall.
!
! case: name=allreduce ranks=2 quick
! args: --late 1
! expect: finding=wait_at_nxn ranks=0 cause=1 seconds=planted tolerance=5%
! allow: load_imbalance
! repair: root=load_imbalance|wait_at_nxn cause=1 saves=measured
! case: name=twin ranks=2
! args: --twin
! expect: none
program nxn_f08
  use mpi_f08
  use stamps
  implicit none
  integer :: rank, size, i
  real(8) :: mine, total
  real(8), allocatable :: out(:), in(:)

  call planted_start()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call planted_ready(rank, size)
  allocate (out(size), in(size))
  out = rank
  mine = rank
  do i = -1, int(plan%count) - 1
     call work(i, rank, size)
     if (mod(i, 4) == 3) then
        call stamp_enter("MPI_Alltoall", __FILE__, __LINE__ + 1)
        call MPI_Alltoall(out, 1, MPI_DOUBLE_PRECISION, in, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call planted_leave()
     else
        call stamp_enter("MPI_Allreduce", __FILE__, __LINE__ + 1)
        call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        call planted_leave()
     end if
     call planted_part(role_entry, 0, -1)
     call planted_part(role_all, 0, -1)
  end do
  call planted_end()
  call MPI_Finalize()
end program nxn_f08
