! The value that MPI_Fetch_and_op adds is changed before the unlock.
!
! ranks: 2
! expect: buffer.send-written
! bare: openmpi=ends mpich=ends
program f08_fetch_written
  use mpi_f08
  use iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: rank
  integer, asynchronous :: value, before
  type(MPI_Win) :: window
  type(c_ptr) :: base
  integer, pointer :: cells(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, window)
  call c_f_pointer(base, cells, [4])
  cells = 0
  value = 3
  before = 0
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) then
    call MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window)
    call MPI_Fetch_and_op(value, before, MPI_INTEGER, 1, 1_MPI_ADDRESS_KIND, MPI_SUM, window) ! WRONG
#ifdef RIGHT
    call MPI_Win_flush(1, window)
#endif
    value = 9
    call MPI_Win_unlock(1, window) ! WRONG
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_free(window)
  call MPI_Finalize()
  if (value < 0) print *, value, before
end program
