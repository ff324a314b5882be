//! Derived datatypes, and messages with them.

use mpiscope_abi::Family;
use mpiscope_abi::predefined::DATATYPES;

use crate::calls::calls;
use crate::{Mpi, MpiError, Rank, Tag, done, symbol};

calls! {
    DatatypeCalls;
    Type_vector(count: i32, block: i32, stride: i32, old: usize, new: *mut usize);
    Type_indexed(count: i32, blocks: *const i32, places: *const i32, old: usize, new: *mut usize);
    Type_create_struct(count: i32, blocks: *const i32, places: *const isize, types: *const u8, new: *mut usize);
    Type_create_subarray(
        dimensions: i32,
        sizes: *const i32,
        parts: *const i32,
        starts: *const i32,
        order: i32,
        old: usize,
        new: *mut usize
    );
    Type_create_resized(old: usize, lower: isize, extent: isize, new: *mut usize);
    Type_commit(datatype: *mut usize);
    Type_free(datatype: *mut usize);
    Pack(from: *const u8, count: i32, datatype: usize, into: *mut u8, room: i32, position: *mut i32, comm: usize);
    Unpack(from: *const u8, length: i32, position: *mut i32, into: *mut u8, count: i32, datatype: usize, comm: usize);
}

/// Bytes of an element: `MPI_DOUBLE`, or two `MPI_INT`.
pub const ELEMENT: usize = 8;

/// The functions of an MPI for datatypes.
pub struct Datatypes<'a> {
    mpi: &'a Mpi,
    calls: DatatypeCalls,
    double: usize,
    int: usize,
    packed: usize,
}

/// A committed datatype, and how often it is in a message. It has to be freed; nothing frees it by itself.
pub struct Layout {
    handle: usize,
    count: i32,
    /// Bytes from the begin of the buffer to the last one of the message.
    reach: usize,
}

impl Mpi {
    /// Looks the functions up.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI lacks one of the functions, `MPI_DOUBLE`, `MPI_INT` or `MPI_PACKED`.
    pub fn datatypes(&self) -> Result<Datatypes<'_>, MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let calls = DatatypeCalls::find(find).map_err(|name| MpiError::Lacks { name })?;
        let known = |name: &'static str| self.predefined(&DATATYPES, name);
        let (double, int, packed) = (known("MPI_DOUBLE")?, known("MPI_INT")?, known("MPI_PACKED")?);
        Ok(Datatypes { mpi: self, calls, double, int, packed })
    }
}

impl Datatypes<'_> {
    /// `MPI_Type_vector`: so many blocks of elements, with this distance of their begins.
    ///
    /// # Errors
    ///
    /// If `MPI_Type_vector` returns an error code.
    pub fn vector(&self, count: usize, block: usize, stride: usize) -> Result<Layout, MpiError> {
        let reach = reach(&[(count - 1) * stride], block);
        let (count, block, stride) = (int(count)?, int(block)?, int(stride)?);
        // SAFETY: the handle is writable; an MPI with 32-bit handles writes its low half.
        let made = |new| unsafe { (self.calls.Type_vector)(count, block, stride, self.double, new) };
        self.made("MPI_Type_vector", 1, reach, made)
    }

    /// `MPI_Type_indexed`: blocks of elements at these places, which ascend.
    ///
    /// # Errors
    ///
    /// If `MPI_Type_indexed` returns an error code.
    pub fn indexed(&self, block: usize, places: &[usize]) -> Result<Layout, MpiError> {
        let reach = reach(places, block);
        let blocks = vec![int(block)?; places.len()];
        let places = places.iter().map(|&place| int(place)).collect::<Result<Vec<_>, _>>()?;
        let count = int(places.len())?;
        // SAFETY: both arrays have that many elements; otherwise as for `vector`.
        let made =
            |new| unsafe { (self.calls.Type_indexed)(count, blocks.as_ptr(), places.as_ptr(), self.double, new) };
        self.made("MPI_Type_indexed", 1, reach, made)
    }

    /// `MPI_Type_create_struct` and `MPI_Type_create_resized`: so many records of two `MPI_INT` and, if a block has more than one element,
    /// `MPI_DOUBLE` behind them, with this distance of their begins.
    ///
    /// # Errors
    ///
    /// If `MPI_Type_create_struct` or `MPI_Type_create_resized` returns an error code.
    pub fn records(&self, count: usize, block: usize, stride: usize) -> Result<Layout, MpiError> {
        let (blocks, places) = ([2, int(block - 1)?], [0, ELEMENT as isize]);
        let types = self.mpi.handles(&[self.int, self.double]);
        let members = if block > 1 { 2 } else { 1 };
        // SAFETY: the arrays have at least that many elements; otherwise as for `vector`.
        let record = self.made("MPI_Type_create_struct", 1, block * ELEMENT, |new| unsafe {
            (self.calls.Type_create_struct)(members, blocks.as_ptr(), places.as_ptr(), types.as_ptr().cast(), new)
        })?;
        let extent = (stride * ELEMENT) as isize;
        // SAFETY: as for `vector`.
        let made = |new| unsafe { (self.calls.Type_create_resized)(record.handle, 0, extent, new) };
        let layout = self.made("MPI_Type_create_resized", int(count)?, reach(&[(count - 1) * stride], block), made);
        self.free(record)?;
        layout
    }

    /// `MPI_Type_create_subarray`: the first `block` columns of a matrix with so many rows and columns.
    ///
    /// # Errors
    ///
    /// If `MPI_Type_create_subarray` returns an error code.
    pub fn subarray(&self, rows: usize, block: usize, columns: usize) -> Result<Layout, MpiError> {
        let (sizes, parts, starts) = ([int(rows)?, int(columns)?], [int(rows)?, int(block)?], [0, 0]);
        // `MPI_ORDER_C` of mpi.h of MPICH and of Open MPI; MPI-5.0 §20.3.
        let order = match self.mpi.constants.family {
            Family::Mpich => 56,
            Family::OpenMpi => 0,
            Family::Standard => 14,
        };
        // SAFETY: the arrays have two elements; otherwise as for `vector`.
        let made = |new| unsafe {
            (self.calls.Type_create_subarray)(
                2,
                sizes.as_ptr(),
                parts.as_ptr(),
                starts.as_ptr(),
                order,
                self.double,
                new,
            )
        };
        self.made("MPI_Type_create_subarray", 1, rows * columns * ELEMENT, made)
    }

    /// Frees the datatype.
    ///
    /// # Errors
    ///
    /// If `MPI_Type_free` returns an error code.
    pub fn free(&self, mut layout: Layout) -> Result<(), MpiError> {
        // SAFETY: the handle is writable and was made by this MPI.
        done("MPI_Type_free", unsafe { (self.calls.Type_free)(&mut layout.handle) })
    }

    /// Sends the elements of a layout.
    ///
    /// # Errors
    ///
    /// If `MPI_Send` returns an error code.
    ///
    /// # Panics
    /// If the layout reaches beyond the buffer; so do all functions below.
    pub fn send(&self, buffer: &[u8], layout: &Layout, to: Rank, tag: Tag) -> Result<(), MpiError> {
        assert!(layout.reach <= buffer.len());
        self.send_of(buffer, layout.count, layout.handle, to, tag)
    }

    /// Receives the elements of a layout.
    ///
    /// # Errors
    ///
    /// If `MPI_Recv` returns an error code.
    pub fn recv(&self, buffer: &mut [u8], layout: &Layout, from: Rank, tag: Tag) -> Result<(), MpiError> {
        assert!(layout.reach <= buffer.len());
        self.recv_of(buffer, layout.count, layout.handle, from, tag)
    }

    /// Sends as `MPI_PACKED`, which any type can receive.
    ///
    /// # Errors
    ///
    /// If `MPI_Send` returns an error code.
    pub fn send_packed(&self, buffer: &[u8], to: Rank, tag: Tag) -> Result<(), MpiError> {
        self.send_of(buffer, int(buffer.len())?, self.packed, to, tag)
    }

    /// Receives a message of any type as `MPI_PACKED`.
    ///
    /// # Errors
    ///
    /// If `MPI_Recv` returns an error code.
    pub fn recv_packed(&self, buffer: &mut [u8], from: Rank, tag: Tag) -> Result<(), MpiError> {
        let count = int(buffer.len())?;
        self.recv_of(buffer, count, self.packed, from, tag)
    }

    /// `MPI_Pack` to the begin of `into`.
    ///
    /// # Errors
    ///
    /// If `MPI_Pack` returns an error code.
    pub fn pack(&self, from: &[u8], layout: &Layout, into: &mut [u8]) -> Result<(), MpiError> {
        assert!(layout.reach <= from.len());
        let (room, mut position) = (int(into.len())?, 0);
        let (comm, count) = (self.mpi.constants.comm_world, layout.count);
        let into = into.as_mut_ptr();
        // SAFETY: the layout is within `from`; MPI does not write beyond `room`.
        let code = unsafe { (self.calls.Pack)(from.as_ptr(), count, layout.handle, into, room, &mut position, comm) };
        done("MPI_Pack", code)
    }

    /// `MPI_Unpack` from the begin of `from`.
    ///
    /// # Errors
    ///
    /// If `MPI_Unpack` returns an error code.
    pub fn unpack(&self, from: &[u8], into: &mut [u8], layout: &Layout) -> Result<(), MpiError> {
        assert!(layout.reach <= into.len());
        let (length, mut position) = (int(from.len())?, 0);
        let (comm, count) = (self.mpi.constants.comm_world, layout.count);
        let into = into.as_mut_ptr();
        // SAFETY: the layout is within `into`; MPI does not read beyond `length`.
        let code =
            unsafe { (self.calls.Unpack)(from.as_ptr(), length, &mut position, into, count, layout.handle, comm) };
        done("MPI_Unpack", code)
    }

    fn send_of(&self, buffer: &[u8], count: i32, datatype: usize, to: Rank, tag: Tag) -> Result<(), MpiError> {
        let comm = self.mpi.constants.comm_world;
        // SAFETY: the callers have checked that the message is within the buffer.
        done("MPI_Send", unsafe { (self.mpi.calls.Send)(buffer.as_ptr(), count, datatype, to, tag, comm) })
    }

    fn recv_of(&self, buffer: &mut [u8], count: i32, datatype: usize, from: Rank, tag: Tag) -> Result<(), MpiError> {
        let (comm, ignore) = (self.mpi.constants.comm_world, self.mpi.constants.status_ignore);
        // SAFETY: the callers have checked that the message is within the buffer.
        let code = unsafe { (self.mpi.calls.Recv)(buffer.as_mut_ptr(), count, datatype, from, tag, comm, ignore) };
        done("MPI_Recv", code)
    }

    fn made(
        &self,
        name: &'static str,
        count: i32,
        reach: usize,
        make: impl FnOnce(*mut usize) -> i32,
    ) -> Result<Layout, MpiError> {
        let mut handle = 0;
        done(name, make(&mut handle))?;
        // SAFETY: made above.
        done("MPI_Type_commit", unsafe { (self.calls.Type_commit)(&mut handle) })?;
        Ok(Layout { handle, count, reach })
    }
}

/// Bytes to the end of the last block.
fn reach(places: &[usize], block: usize) -> usize {
    places.last().map_or(0, |last| (last + block) * ELEMENT)
}

fn int(number: usize) -> Result<i32, MpiError> {
    i32::try_from(number).map_err(|_| MpiError::TooLong { bytes: number })
}
