! halo_mpi: a one-dimensional halo exchange with `use mpi`.
!
!   halo_mpi [iterations]        default 50
!
! Columns of a 64 x 60 grid are spread over the ranks; the exchange changes its form from
! iteration to iteration: Isend/Irecv/Waitall with real statuses and with
! MPI_STATUSES_IGNORE, Sendrecv, and a row of a vector datatype. Around it: Bcast, Reduce
! with MPI_IN_PLACE, Allreduce, Gather, Probe and Recv with MPI_ANY_SOURCE, communicator
! dup/split/free.
!
! Shows: the Fortran 90 bindings with their integer handles and status arrays. The
! checksum is the same for every number of ranks, and the same as halo_f08's.
program halo_mpi
  use mpi
  implicit none
  integer, parameter :: rows = 64, all_cols = 60
  integer :: rank, nranks, comm, half, ierror, iters, it, cols, col0, left, right, i, j, failed
  integer :: strided, column, extent_size
  integer(kind=8) :: mine, total
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4), requests(4), got
  integer, allocatable :: counts(:)
  double precision, allocatable :: u(:, :), v(:, :)
  double precision :: change, biggest
  character(len=32) :: argument

  call MPI_Init(ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Comm_size(comm, nranks, ierror)
  failed = 0

  iters = 50
  if (rank == 0 .and. command_argument_count() >= 1) then
     call get_command_argument(1, argument)
     read (argument, *) iters
  end if
  call MPI_Bcast(iters, 1, MPI_INTEGER, 0, comm, ierror)

  cols = all_cols / nranks + merge(1, 0, rank < mod(all_cols, nranks))
  col0 = rank * (all_cols / nranks) + min(rank, mod(all_cols, nranks))
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < nranks - 1)
  allocate (u(0:rows + 1, 0:cols + 1), v(0:rows + 1, 0:cols + 1), counts(nranks))
  u = 0
  do j = 1, cols
     do i = 1, rows
        u(i, j) = sin(0.2d0 * i) * cos(0.3d0 * (col0 + j))
     end do
  end do
  v = u

  ! A whole column is contiguous; every second cell of one is not. Two of the latter, one
  ! begun a cell later, make a column.
  call MPI_Type_contiguous(rows, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_vector(rows / 2, 1, 2, MPI_DOUBLE_PRECISION, strided, ierror)
  call MPI_Type_commit(column, ierror)
  call MPI_Type_commit(strided, ierror)
  call MPI_Type_size(strided, extent_size, ierror)
  if (extent_size /= 8 * (rows / 2)) failed = failed + 1

  do it = 1, iters
     select case (mod(it, 4))
     case (0) ! real statuses
        call post_and_send()
        call MPI_Waitall(4, requests, statuses, ierror)
        if (left /= MPI_PROC_NULL) then
           call MPI_Get_count(statuses(:, 1), MPI_DOUBLE_PRECISION, got, ierror)
           if (got /= rows .or. statuses(MPI_SOURCE, 1) /= left .or. statuses(MPI_TAG, 1) /= 2) failed = failed + 1
        end if
     case (1)
        call post_and_send()
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
     case (2)
        call MPI_Sendrecv(u(1, cols), 1, column, right, 1, u(1, 0), 1, column, left, 1, comm, status, ierror)
        call MPI_Sendrecv(u(1, 1), 1, column, left, 2, u(1, cols + 1), 1, column, right, 2, comm, &
             MPI_STATUS_IGNORE, ierror)
     case (3) ! odd cells, then even ones
        do i = 1, 2
           call MPI_Sendrecv(u(i, cols), 1, strided, right, 3, u(i, 0), 1, strided, left, 3, comm, status, ierror)
           call MPI_Sendrecv(u(i, 1), 1, strided, left, 4, u(i, cols + 1), 1, strided, right, 4, comm, status, ierror)
        end do
     end select
     do j = 1, cols
        do i = 1, rows
           v(i, j) = 0.25d0 * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)))
        end do
     end do
     change = maxval(abs(v(1:rows, 1:cols) - u(1:rows, 1:cols)))
     u(1:rows, 1:cols) = v(1:rows, 1:cols)
     if (mod(it, 10) == 0) then
        call MPI_Allreduce(change, biggest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierror)
        if (biggest > 1) failed = failed + 1
     end if
  end do

  ! Every rank sends rank 0 its number of columns, twice: by Gather and by messages that
  ! rank 0 takes in the order of their arrival.
  call MPI_Gather(cols, 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, comm, ierror)
  if (rank == 0) then
     if (sum(counts) /= all_cols) failed = failed + 1
     do i = 1, nranks - 1
        call MPI_Probe(MPI_ANY_SOURCE, 9, comm, status, ierror)
        call MPI_Recv(got, 1, MPI_INTEGER, status(MPI_SOURCE), 9, comm, status, ierror)
        if (counts(status(MPI_SOURCE) + 1) /= got) failed = failed + 1
     end do
  else
     call MPI_Send(cols, 1, MPI_INTEGER, 0, 9, comm, ierror)
  end if
  call MPI_Barrier(comm, ierror)
  if (rank == 0) then
     do i = 1, nranks - 1
        call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status, ierror)
        if (status(MPI_TAG) /= 20 + status(MPI_SOURCE)) failed = failed + 1
     end do
  else
     call MPI_Send(cols, 1, MPI_INTEGER, 0, 20 + rank, comm, ierror)
  end if

  call MPI_Comm_split(comm, mod(rank, 2), rank, half, ierror)
  got = 1
  call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, half, ierror)
  if (got /= (nranks + 1 - mod(rank, 2)) / 2) failed = failed + 1
  call MPI_Comm_free(half, ierror)

  mine = 0
  do j = 1, cols
     do i = 1, rows
        mine = mine + nint(u(i, j) * 2d0**36, 8) * (mod(i + 3 * (col0 + j), 5) + 1)
     end do
  end do
  total = mine
  if (rank == 0) then
     call MPI_Reduce(MPI_IN_PLACE, total, 1, MPI_INTEGER8, MPI_SUM, 0, comm, ierror)
  else
     call MPI_Reduce(mine, total, 1, MPI_INTEGER8, MPI_SUM, 0, comm, ierror)
  end if
  got = failed
  call MPI_Allreduce(got, failed, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
  if (rank == 0) write (*, '(a,i0,2a)') 'halo_mpi checksum ', total, ' ', trim(merge('OK    ', 'FAILED', failed == 0))

  call MPI_Type_free(column, ierror)
  call MPI_Type_free(strided, ierror)
  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize(ierror)
  if (failed /= 0) stop 1

contains

  subroutine post_and_send()
    call MPI_Irecv(u(1, 0), rows, MPI_DOUBLE_PRECISION, left, 2, comm, requests(1), ierror)
    call MPI_Irecv(u(1, cols + 1), rows, MPI_DOUBLE_PRECISION, right, 1, comm, requests(2), ierror)
    call MPI_Isend(u(1, cols), rows, MPI_DOUBLE_PRECISION, right, 2, comm, requests(3), ierror)
    call MPI_Isend(u(1, 1), rows, MPI_DOUBLE_PRECISION, left, 1, comm, requests(4), ierror)
  end subroutine post_and_send
end program halo_mpi
