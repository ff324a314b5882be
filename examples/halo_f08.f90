! halo_f08: a two-dimensional halo exchange with `use mpi_f08`.
!
!   halo_f08 [iterations]        default 50
!
! The grid and its checksum are halo_mpi's (64 x 60), here cut both ways by a Cartesian
! communicator. Rows are not contiguous: they travel as array sections where the library
! takes those (MPI_SUBARRAYS_SUPPORTED), as a vector datatype, and as a copy. The last
! argument (ierror) is there in some calls and absent in others.
!
! Shows: the Fortran 2008 bindings with typed handles, descriptors (CFI) as buffers, and
! the many external names behind them.
program halo_f08
  use mpi_f08
  implicit none
  integer, parameter :: all_rows = 64, all_cols = 60
  type(MPI_Comm) :: comm, grid, line
  type(MPI_Datatype) :: row, block
  type(MPI_Request) :: requests(8)
  type(MPI_Status) :: status, statuses(8)
  integer :: rank, nranks, ierror, iters, it, rows, cols, row0, col0, i, j, failed, got
  integer :: dims(2), at(2), north, south, west, east
  integer, allocatable :: counts(:)
  integer(kind=8) :: mine, total
  double precision, allocatable, asynchronous :: u(:, :)
  double precision, allocatable :: v(:, :), from_north(:), from_south(:)
  double precision :: change, biggest
  character(len=32) :: argument

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Comm_size(comm, nranks)
  failed = 0
  iters = 50
  if (rank == 0 .and. command_argument_count() >= 1) then
     call get_command_argument(1, argument)
     read (argument, *) iters
  end if
  call MPI_Bcast(iters, 1, MPI_INTEGER, 0, comm)

  dims = 0
  call MPI_Dims_create(nranks, 2, dims)
  call MPI_Cart_create(comm, 2, dims, [.false., .false.], .false., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 2, at)
  call MPI_Cart_shift(grid, 0, 1, north, south, ierror)
  call MPI_Cart_shift(grid, 1, 1, west, east)
  call cut(all_rows, dims(1), at(1), rows, row0)
  call cut(all_cols, dims(2), at(2), cols, col0)

  allocate (u(0:rows + 1, 0:cols + 1), v(rows, cols), from_north(cols), from_south(cols), counts(nranks))
  u = 0
  do j = 1, cols
     do i = 1, rows
        u(i, j) = sin(0.2d0 * (row0 + i)) * cos(0.3d0 * (col0 + j))
     end do
  end do
  call MPI_Type_vector(cols, 1, rows + 2, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  call MPI_Type_create_subarray(2, [rows + 2, cols + 2], [rows, cols], [1, 1], MPI_ORDER_FORTRAN, &
       MPI_DOUBLE_PRECISION, block)
  call MPI_Type_commit(block, ierror)

  do it = 1, iters
     select case (mod(it, 3))
     case (0)
        call columns()
        call MPI_Waitall(4, requests(1:4), MPI_STATUSES_IGNORE)
        call MPI_Sendrecv(u(1, 1), 1, row, north, 3, u(rows + 1, 1), 1, row, south, 3, grid, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(u(rows, 1), 1, row, south, 4, u(0, 1), 1, row, north, 4, grid, status, ierror)
     case (1)
        call columns()
        if (MPI_SUBARRAYS_SUPPORTED) then
           call MPI_Irecv(u(0, 1:cols), cols, MPI_DOUBLE_PRECISION, north, 4, grid, requests(5))
           call MPI_Irecv(u(rows + 1, 1:cols), cols, MPI_DOUBLE_PRECISION, south, 3, grid, requests(6))
           call MPI_Isend(u(1, 1:cols), cols, MPI_DOUBLE_PRECISION, north, 3, grid, requests(7))
           call MPI_Isend(u(rows, 1:cols), cols, MPI_DOUBLE_PRECISION, south, 4, grid, requests(8))
        else
           call MPI_Irecv(u(0, 1), 1, row, north, 4, grid, requests(5))
           call MPI_Irecv(u(rows + 1, 1), 1, row, south, 3, grid, requests(6))
           call MPI_Isend(u(1, 1), 1, row, north, 3, grid, requests(7))
           call MPI_Isend(u(rows, 1), 1, row, south, 4, grid, requests(8))
        end if
        call MPI_Waitall(8, requests, statuses, ierror)
        if (west /= MPI_PROC_NULL) then
           call MPI_Get_count(statuses(1), MPI_DOUBLE_PRECISION, got)
           if (got /= rows .or. statuses(1)%MPI_SOURCE /= west .or. statuses(1)%MPI_TAG /= 2) failed = failed + 1
        end if
     case (2) ! blocking, a section on both sides: the compiler copies where it must
        call columns()
        from_north = 0
        from_south = 0
        call MPI_Sendrecv(u(1, 1:cols), cols, MPI_DOUBLE_PRECISION, north, 3, &
             from_south, cols, MPI_DOUBLE_PRECISION, south, 3, grid, status)
        call MPI_Sendrecv(u(rows, 1:cols), cols, MPI_DOUBLE_PRECISION, south, 4, &
             from_north, cols, MPI_DOUBLE_PRECISION, north, 4, grid, status)
        if (south /= MPI_PROC_NULL) u(rows + 1, 1:cols) = from_south
        if (north /= MPI_PROC_NULL) u(0, 1:cols) = from_north
        do i = 1, 4
           call MPI_Wait(requests(i), status)
        end do
     end select
     if (MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(u)
     do j = 1, cols
        do i = 1, rows
           v(i, j) = 0.25d0 * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)))
        end do
     end do
     change = maxval(abs(v - u(1:rows, 1:cols)))
     u(1:rows, 1:cols) = v
     if (mod(it, 10) == 0) then
        call MPI_Allreduce(change, biggest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
        if (biggest > 1) failed = failed + 1
     end if
  end do

  got = rows * cols
  call MPI_Gather(got, 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, grid)
  if (rank == 0) then
     if (sum(counts) /= all_rows * all_cols) failed = failed + 1
     do i = 1, nranks - 1
        call MPI_Probe(MPI_ANY_SOURCE, 9, grid, status)
        call MPI_Recv(got, 1, MPI_INTEGER, status%MPI_SOURCE, 9, grid, MPI_STATUS_IGNORE)
        if (counts(status%MPI_SOURCE + 1) /= got) failed = failed + 1
     end do
  else
     call MPI_Send(got, 1, MPI_INTEGER, 0, 9, grid)
  end if

  ! The inner cells as one subarray, sent to oneself.
  call MPI_Irecv(v, rows * cols, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(1))
  call MPI_Send(u, 1, block, 0, 1, MPI_COMM_SELF)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  if (any(v /= u(1:rows, 1:cols))) failed = failed + 1

  call MPI_Comm_split(grid, at(1), rank, line)
  got = 1
  call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, line)
  if (got /= dims(2)) failed = failed + 1
  call MPI_Comm_free(line)

  mine = 0
  do j = 1, cols
     do i = 1, rows
        mine = mine + nint(u(i, j) * 2d0**36, 8) * (mod(row0 + i + 3 * (col0 + j), 5) + 1)
     end do
  end do
  total = mine
  if (rank == 0) then
     call MPI_Reduce(MPI_IN_PLACE, total, 1, MPI_INTEGER8, MPI_SUM, 0, grid)
  else
     call MPI_Reduce(mine, total, 1, MPI_INTEGER8, MPI_SUM, 0, grid)
  end if
  call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
  if (rank == 0) write (*, '(a,i0,2a)') 'halo_f08 checksum ', total, ' ', trim(merge('OK    ', 'FAILED', failed == 0))

  call MPI_Type_free(row)
  call MPI_Type_free(block)
  call MPI_Comm_free(grid)
  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize()
  if (failed /= 0) stop 1

contains

  subroutine cut(n, parts, part, count, offset)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: count, offset
    count = n / parts + merge(1, 0, part < mod(n, parts))
    offset = part * (n / parts) + min(part, mod(n, parts))
  end subroutine cut

  ! Columns are contiguous; their four requests stay open.
  subroutine columns()
    call MPI_Irecv(u(1:rows, 0), rows, MPI_DOUBLE_PRECISION, west, 2, grid, requests(1))
    call MPI_Irecv(u(1:rows, cols + 1), rows, MPI_DOUBLE_PRECISION, east, 1, grid, requests(2), ierror)
    call MPI_Isend(u(1:rows, cols), rows, MPI_DOUBLE_PRECISION, east, 2, grid, requests(3))
    call MPI_Isend(u(1:rows, 1), rows, MPI_DOUBLE_PRECISION, west, 1, grid, requests(4), ierror)
  end subroutine columns
end program halo_f08
