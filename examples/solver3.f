C solver3: implicit diffusion on a cube, one line solve for each axis
C
C   solver3 [iterations [cells]]     default 200 iterations, 60**2 x 20
C
C Imitates the communication of a 3-axis line-solver CFD code. Ranks
C form a px x py grid (25 ranks: 5 x 5); z is local. An iteration is:
C   phase 1  tridiagonal solves along x, pipelined over the ranks of
C            a row communicator: isend/irecv/wait, forward and back
C   phase 2  the same along y in a column communicator
C   phase 3  along z, local; every 10 iterations an allreduce
C
C Shows: pipelines (waiting at both ends of a row), row and column
C communicators, a small allreduce, mpif.h.
C Check: the start is an eigenvector of all three operators, so that
C every iteration divides it by a known number. The checksum does not
C depend on the number of ranks: a line is eliminated in the same
C order wherever it is cut.

      module grid
      implicit none
      integer nblock
      parameter (nblock = 4)
      integer nx, ny, nz, px, py, ix, iy, x0, y0
      integer rowcom, colcom
      double precision coef
      parameter (coef = 0.4d0)
      double precision, allocatable :: u(:,:,:), cp(:,:,:)
      end module grid

      program solver3
      use grid
      implicit none
      include 'mpif.h'
      integer ierr, rank, size, iters, cells, it, i, j, k, failed
      integer cart, dims(2), at(2)
      logical periods(2), keep(2)
      character(len=32) arg
      double precision pi, decay, norm, first, err, worst, t0, wall
      double precision part, expected
      double precision total
      integer*8 mine
      external solvex, solvey, solvez

      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      iters = 200
      cells = 60
      if (command_argument_count() .ge. 1) then
         call get_command_argument(1, arg)
         read (arg, *) iters
      end if
      if (command_argument_count() .ge. 2) then
         call get_command_argument(2, arg)
         read (arg, *) cells
      end if

      dims = 0
      periods = .false.
      call MPI_DIMS_CREATE(size, 2, dims, ierr)
      call MPI_CART_CREATE(MPI_COMM_WORLD, 2, dims, periods, .false.,
     &     cart, ierr)
      call MPI_COMM_RANK(cart, rank, ierr)
      call MPI_CART_COORDS(cart, rank, 2, at, ierr)
      keep = (/ .true., .false. /)
      call MPI_CART_SUB(cart, keep, rowcom, ierr)
      call MPI_COMM_SPLIT(cart, at(1), at(2), colcom, ierr)
      px = dims(1)
      py = dims(2)
      ix = at(1)
      iy = at(2)
      if (cells .lt. max(px, py)) then
         if (rank .eq. 0) write (0, *) 'solver3: too few cells'
         call MPI_ABORT(MPI_COMM_WORLD, 2, ierr)
      end if
      nx = cells / px
      if (ix .lt. mod(cells, px)) nx = nx + 1
      x0 = ix * (cells / px) + min(ix, mod(cells, px))
      ny = cells / py
      if (iy .lt. mod(cells, py)) ny = ny + 1
      y0 = iy * (cells / py) + min(iy, mod(cells, py))
      nz = 20
      allocate (u(nx, ny, nz), cp(nx, ny, nz))

      pi = 4 * atan(1d0)
      do k = 1, nz
         do j = 1, ny
            do i = 1, nx
               u(i, j, k) = sin(pi * (x0 + i) / (cells + 1))
     &              * sin(2 * pi * (y0 + j) / (cells + 1))
     &              * sin(pi * k / (nz + 1))
            end do
         end do
      end do
      decay = (1 + 4 * coef * sin(pi / (2 * (cells + 1)))**2)
     &      * (1 + 4 * coef * sin(pi / (cells + 1))**2)
     &      * (1 + 4 * coef * sin(pi / (2 * (nz + 1)))**2)
      first = maxval(abs(u))
      expected = 1
      norm = 0

      call MPI_BARRIER(cart, ierr)
      t0 = MPI_WTIME()
      do it = 1, iters
         call solvex
         call solvey
         call solvez
         expected = expected / decay
         if (mod(it, 10) .eq. 0) then
            part = maxval(abs(u))
            call MPI_ALLREDUCE(part, norm, 1, MPI_DOUBLE_PRECISION,
     &           MPI_MAX, cart, ierr)
         end if
      end do
      part = MPI_WTIME() - t0
      call MPI_REDUCE(part, wall, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0,
     &     cart, ierr)

      err = 0
      mine = 0
      do k = 1, nz
         do j = 1, ny
            do i = 1, nx
               part = sin(pi * (x0 + i) / (cells + 1))
     &              * sin(2 * pi * (y0 + j) / (cells + 1))
     &              * sin(pi * k / (nz + 1)) * expected
               err = max(err, abs(u(i, j, k) - part))
               mine = mine + nint(u(i, j, k) / expected * 2d0**30, 8)
     &              * (mod(x0 + i + 3 * (y0 + j) + 5 * k, 7) + 1)
            end do
         end do
      end do
      call MPI_ALLREDUCE(err, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX,
     &     cart, ierr)
C     A sum of whole numbers below 2**53 is exact in any order.
      part = mine
      call MPI_REDUCE(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &     cart, ierr)
      failed = 0
      if (worst .gt. 1d-10 * expected * (1 + iters)) failed = 1
      if (rank .eq. 0) then
         write (0, '(a,i0,a,i0,a,f8.3,a)') ' solver3: ', px, ' x ', py,
     &        ' ranks, ', wall, ' s'
         if (failed .eq. 0) then
            write (*, '(a,es12.5,a,i0,a)') 'solver3 norm ', norm,
     &           ' checksum ', nint(total, 8), ' OK'
         else
            write (*, '(a,es12.5,a)') 'solver3 error ', worst, ' FAILED'
         end if
      end if
      call MPI_COMM_FREE(rowcom, ierr)
      call MPI_COMM_FREE(colcom, ierr)
      call MPI_COMM_FREE(cart, ierr)
      call MPI_FINALIZE(ierr)
      if (failed .ne. 0) stop 1
      end program solver3

C Phase 1. A line is eliminated upwards and substituted downwards; what
C crosses a border is c' and d' on the way up, the value on the way
C down. Planes of z go in blocks, so that the pipeline can fill.
      subroutine solvex
      use grid
      implicit none
      include 'mpif.h'
      double precision in(ny, (nz + nblock - 1) / nblock, 2)
      double precision out(ny, (nz + nblock - 1) / nblock, 2, nblock)
      integer req(nblock), rreq, ierr, b, k, k1, k2, i, j, n
      integer prev, next, st(MPI_STATUS_SIZE)
      double precision c, d, w

      prev = ix - 1
      if (ix .eq. 0) prev = MPI_PROC_NULL
      next = ix + 1
      if (ix .eq. px - 1) next = MPI_PROC_NULL
      n = ny * ((nz + nblock - 1) / nblock)
      do b = 1, nblock
         k1 = (b - 1) * nz / nblock + 1
         k2 = b * nz / nblock
         in = 0
         call MPI_IRECV(in, 2 * n, MPI_DOUBLE_PRECISION, prev, 10 + b,
     &        rowcom, rreq, ierr)
         call MPI_WAIT(rreq, st, ierr)
         do k = k1, k2
            do j = 1, ny
               c = in(j, k - k1 + 1, 1)
               d = in(j, k - k1 + 1, 2)
               do i = 1, nx
                  w = 1 / (1 + 2 * coef + coef * c)
                  c = -coef * w
                  d = (u(i, j, k) + coef * d) * w
                  cp(i, j, k) = c
                  u(i, j, k) = d
               end do
               out(j, k - k1 + 1, 1, b) = c
               out(j, k - k1 + 1, 2, b) = d
            end do
         end do
         call MPI_ISEND(out(1, 1, 1, b), 2 * n, MPI_DOUBLE_PRECISION,
     &        next, 10 + b, rowcom, req(b), ierr)
      end do
      do b = 1, nblock
         call MPI_WAIT(req(b), MPI_STATUS_IGNORE, ierr)
      end do

      do b = 1, nblock
         k1 = (b - 1) * nz / nblock + 1
         k2 = b * nz / nblock
         in = 0
         call MPI_IRECV(in, n, MPI_DOUBLE_PRECISION, next, 20 + b,
     &        rowcom, rreq, ierr)
         call MPI_WAIT(rreq, st, ierr)
         do k = k1, k2
            do j = 1, ny
               d = in(j, k - k1 + 1, 1)
               do i = nx, 1, -1
                  d = u(i, j, k) - cp(i, j, k) * d
                  u(i, j, k) = d
               end do
               out(j, k - k1 + 1, 1, b) = d
            end do
         end do
         call MPI_ISEND(out(1, 1, 1, b), n, MPI_DOUBLE_PRECISION,
     &        prev, 20 + b, rowcom, req(b), ierr)
      end do
      do b = 1, nblock
         call MPI_WAIT(req(b), MPI_STATUS_IGNORE, ierr)
      end do
      end subroutine solvex

C Phase 2: the same along y.
      subroutine solvey
      use grid
      implicit none
      include 'mpif.h'
      double precision in(nx, (nz + nblock - 1) / nblock, 2)
      double precision out(nx, (nz + nblock - 1) / nblock, 2, nblock)
      integer req(nblock), rreq, ierr, b, k, k1, k2, i, j, n
      integer prev, next, st(MPI_STATUS_SIZE)
      double precision w

      prev = iy - 1
      if (iy .eq. 0) prev = MPI_PROC_NULL
      next = iy + 1
      if (iy .eq. py - 1) next = MPI_PROC_NULL
      n = nx * ((nz + nblock - 1) / nblock)
      do b = 1, nblock
         k1 = (b - 1) * nz / nblock + 1
         k2 = b * nz / nblock
         in = 0
         call MPI_IRECV(in, 2 * n, MPI_DOUBLE_PRECISION, prev, 30 + b,
     &        colcom, rreq, ierr)
         call MPI_WAIT(rreq, st, ierr)
         do k = k1, k2
            do j = 1, ny
               do i = 1, nx
                  w = 1 / (1 + 2 * coef
     &                 + coef * in(i, k - k1 + 1, 1))
                  in(i, k - k1 + 1, 1) = -coef * w
                  in(i, k - k1 + 1, 2) =
     &                 (u(i, j, k) + coef * in(i, k - k1 + 1, 2)) * w
                  cp(i, j, k) = in(i, k - k1 + 1, 1)
                  u(i, j, k) = in(i, k - k1 + 1, 2)
               end do
            end do
         end do
         out(:, :, :, b) = in
         call MPI_ISEND(out(1, 1, 1, b), 2 * n, MPI_DOUBLE_PRECISION,
     &        next, 30 + b, colcom, req(b), ierr)
      end do
      do b = 1, nblock
         call MPI_WAIT(req(b), MPI_STATUS_IGNORE, ierr)
      end do

      do b = 1, nblock
         k1 = (b - 1) * nz / nblock + 1
         k2 = b * nz / nblock
         in = 0
         call MPI_IRECV(in, n, MPI_DOUBLE_PRECISION, next, 40 + b,
     &        colcom, rreq, ierr)
         call MPI_WAIT(rreq, st, ierr)
         do k = k1, k2
            do j = ny, 1, -1
               do i = 1, nx
                  in(i, k - k1 + 1, 1) = u(i, j, k)
     &                 - cp(i, j, k) * in(i, k - k1 + 1, 1)
                  u(i, j, k) = in(i, k - k1 + 1, 1)
               end do
            end do
         end do
         out(:, :, 1, b) = in(:, :, 1)
         call MPI_ISEND(out(1, 1, 1, b), n, MPI_DOUBLE_PRECISION,
     &        prev, 40 + b, colcom, req(b), ierr)
      end do
      do b = 1, nblock
         call MPI_WAIT(req(b), MPI_STATUS_IGNORE, ierr)
      end do
      end subroutine solvey

C Phase 3: along z, no communication.
      subroutine solvez
      use grid
      implicit none
      integer i, j, k
      double precision c(nx, ny), w

      c = 0
      do k = 1, nz
         do j = 1, ny
            do i = 1, nx
               w = 1 / (1 + 2 * coef + coef * c(i, j))
               c(i, j) = -coef * w
               cp(i, j, k) = c(i, j)
               if (k .eq. 1) then
                  u(i, j, k) = u(i, j, k) * w
               else
                  u(i, j, k) = (u(i, j, k) + coef * u(i, j, k - 1)) * w
               end if
            end do
         end do
      end do
      do k = nz - 1, 1, -1
         do j = 1, ny
            do i = 1, nx
               u(i, j, k) = u(i, j, k) - cp(i, j, k) * u(i, j, k + 1)
            end do
         end do
      end do
      end subroutine solvez
