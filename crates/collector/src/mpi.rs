//! Finds the MPI of this process, and the few of its functions that are called when an object is created.

use std::sync::atomic::{AtomicUsize, Ordering};

use mpiscope_abi::{Constants, Family};

use crate::chained_tools::Behind;
use crate::elf::{self, Object};

/// The MPI of the process.
pub struct Mpi {
    /// The library that defines `PMPI_Init`.
    pub library: Object,
    /// Objects of the MPI: the library and its Fortran parts. Calls from inside them while another
    /// call is in flight are the MPI's own.
    pub parts: Vec<Object>,
    /// Constants, with Open MPI's addresses filled in.
    pub constants: Constants,
    /// Paths of further, different MPI libraries.
    pub others: Vec<String>,
    /// Other tools, and the MPI's own Fortran.
    pub behind: Behind,
    /// Addresses that mean `MPI_IN_PLACE` in Fortran.
    fortran_in_place: [usize; 3],
    /// Addresses that mean `MPI_STATUS_IGNORE` or `MPI_STATUSES_IGNORE` in Fortran.
    pub fortran_ignore: [usize; 6],
}

/// The MPI libraries among the mapped objects: those that themselves define `PMPI_Init`.
pub fn libraries(objects: &[Object]) -> Vec<&Object> {
    let own = own_range();
    objects.iter().filter(|o| o.range != own && o.defines("PMPI_Init").is_some()).collect()
}

/// The libraries and what belongs to them (Fortran), in the order in which routines are looked for.
///
/// Programs and other tools may have Fortran routines of their own. Such an object that stands before
/// us in the order of loading comes last: it got the call first and has handed it on to us, and to hand
/// it back would never end.
pub fn parts(objects: &[Object]) -> Vec<Object> {
    const SIGNS: [&str; 6] =
        ["PMPI_Init", "mpi_init_", "pmpi_init_", "mpi_init_f08_", "mpi_send_f08_", "mpi_send_f08ts_"];
    let own = own_range();
    let (front, behind) = objects.split_at(objects.iter().position(|o| o.range == own).unwrap_or(0));
    let part = |o: &&Object| o.range != own && SIGNS.iter().any(|n| o.defines(n).is_some());
    behind.iter().chain(front).filter(part).cloned().collect()
}

impl Mpi {
    /// Looks through the mapped objects; `None` when none of them is an MPI.
    pub fn find() -> Option<Mpi> {
        let objects = elf::objects();
        let own = own_range();
        let libraries = libraries(&objects);
        // An MPI may bring its standard-ABI library as a layer over its own one; the program
        // speaks to the layer.
        let library = (*libraries.iter().find(|o| is_standard(o)).or(libraries.first())?).clone();
        let family = Family::of(is_standard(&library), |name| library.defines(name).is_some());
        let directory = |path: &str| path.rsplit_once('/').map_or("", |p| p.0).to_owned();
        let others = libraries
            .iter()
            .filter(|o| o.range != library.range && directory(&o.path) != directory(&library.path))
            .map(|o| o.path.clone())
            .collect();
        let constants = Constants::of(family, |name| open_mpi_handle(&objects, &library, name));
        let anywhere =
            |name: &str| objects.iter().filter(|o| o.range != own).find_map(|o| o.defines(name)).unwrap_or(0);
        let privates = [anywhere("mpipriv1_"), anywhere("mpipriv2_")];
        let behind = Behind::new(&objects, own, |o| libraries.iter().any(|l| l.range == o.range));
        // MPICH: COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE(5);
        // COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE(5), …
        let offset = |base: usize, by: usize| if base == 0 { 0 } else { base + by };
        Some(Mpi {
            fortran_in_place: [
                offset(privates[0], 4),
                anywhere("MPIR_F08_MPI_IN_PLACE"),
                anywhere("mpi_fortran_in_place_"),
            ],
            fortran_ignore: [
                offset(privates[0], 8),
                privates[1],
                anywhere("mpi_fortran_status_ignore_"),
                anywhere("mpi_fortran_statuses_ignore_"),
                anywhere("MPIR_F08_MPI_STATUS_IGNORE_OBJ"),
                anywhere("MPIR_F08_MPI_STATUSES_IGNORE_OBJ"),
            ],
            behind,
            library,
            parts: parts(&objects),
            constants,
            others,
        })
    }

    /// Whether a buffer argument from Fortran is `MPI_IN_PLACE`; `descriptor`: it is a C descriptor, whose
    /// first member is the base address.
    ///
    /// # Safety
    /// `address` is such an argument.
    #[inline(always)]
    pub unsafe fn is_in_place(&self, address: u64, descriptor: bool) -> bool {
        let mut address = address as usize;
        if descriptor && address != 0 {
            // SAFETY: the caller's promise.
            address = unsafe { *(address as *const usize) };
        }
        address != 0 && self.fortran_in_place.contains(&address)
    }

    /// A function of the library by its `PMPI_` name.
    pub fn function(&self, name: &str) -> Option<usize> {
        self.library.defines(name)
    }
}

/// Address of a predefined Open MPI object as the program sees it: a non-PIE program holds its own
/// copy (copy relocation), which comes first in the search order.
pub fn open_mpi_handle(objects: &[Object], library: &Object, name: &str) -> usize {
    let program = objects.first().and_then(|o| o.defines(name));
    program.or_else(|| library.defines(name)).unwrap_or(0)
}

fn is_standard(library: &Object) -> bool {
    let Some(address) = library.defines("PMPI_Abi_get_version").or_else(|| library.defines("MPI_Abi_get_version"))
    else {
        return false;
    };
    // SAFETY: int MPI_Abi_get_version(int *major, int *minor), callable at any time (MPI-5.0 §20.2).
    // A library that is not the standard ABI answers −1.
    unsafe {
        let call: extern "C" fn(*mut i32, *mut i32) -> i32 = std::mem::transmute(address);
        let (mut major, mut minor) = (-1, -1);
        call(&mut major, &mut minor) == 0 && major >= 1
    }
}

/// The address range of this library.
pub fn own_range() -> (usize, usize) {
    static RANGE: std::sync::OnceLock<(usize, usize)> = std::sync::OnceLock::new();
    *RANGE.get_or_init(|| elf::containing(own_range as fn() -> (usize, usize) as usize).map_or((0, 0), |o| o.range))
}

/// Functions of the MPI that the library calls itself, each looked up once.
macro_rules! queries {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        /// Calls into the MPI. Handles are words. Each returns whether the function exists and
        /// succeeded.
        #[allow(non_snake_case)]
        #[allow(clippy::too_many_arguments)] // as many as the standard says
        pub mod call {
            use super::{AtomicUsize, Ordering};
            $(
                pub fn $name($($arg: $type),*) -> bool {
                    static ADDRESS: AtomicUsize = AtomicUsize::new(0);
                    let mut address = ADDRESS.load(Ordering::Relaxed);
                    if address == 0 {
                        address = crate::process::mpi()
                            .and_then(|m| m.function(concat!("PMPI_", stringify!($name))))
                            .unwrap_or(1);
                        ADDRESS.store(address, Ordering::Relaxed);
                    }
                    if address == 1 {
                        return false;
                    }
                    // SAFETY: the types are those of the C binding; integer handles take the low half
                    // of a word.
                    let function: unsafe extern "C" fn($($type),*) -> i32 = unsafe { std::mem::transmute(address) };
                    unsafe { function($($arg),*) == 0 }
                }
            )*
        }
    };
}

queries! {
    Comm_rank(comm: usize, rank: *mut i32);
    Comm_size(comm: usize, size: *mut i32);
    Comm_group(comm: usize, group: *mut usize);
    Comm_remote_group(comm: usize, group: *mut usize);
    Comm_test_inter(comm: usize, flag: *mut i32);
    Comm_get_attr(comm: usize, key: i32, value: *mut u8, found: *mut i32);
    Group_size(group: usize, size: *mut i32);
    Group_rank(group: usize, rank: *mut i32);
    Group_free(group: *mut usize);
    Group_translate_ranks(group: usize, n: i32, ranks: *const i32, world: usize, out: *mut i32);
    Group_from_session_pset(session: usize, name: *const u8, group: *mut usize);
    File_get_position(file: usize, offset: *mut i64);
    Error_string(code: i32, text: *mut u8, length: *mut i32);
    Error_class(code: i32, class: *mut i32);
    Topo_test(comm: usize, status: *mut i32);
    Cartdim_get(comm: usize, dims: *mut i32);
    Cart_get(comm: usize, max: i32, dims: *mut i32, periods: *mut i32, coords: *mut i32);
    Graph_neighbors(comm: usize, rank: i32, max: i32, neighbors: *mut i32);
    Graph_neighbors_count(comm: usize, rank: i32, count: *mut i32);
    Graphdims_get(comm: usize, nodes: *mut i32, edges: *mut i32);
    Dist_graph_neighbors(
        comm: usize,
        max_in: i32,
        sources: *mut i32,
        in_weights: *mut i32,
        max_out: i32,
        destinations: *mut i32,
        out_weights: *mut i32
    );
    Dist_graph_neighbors_count(comm: usize, indegree: *mut i32, outdegree: *mut i32, weighted: *mut i32);
    Type_size_x(datatype: usize, size: *mut i64);
    Type_size(datatype: usize, size: *mut i32);
    Type_get_extent(datatype: usize, lb: *mut isize, extent: *mut isize);
    Type_get_true_extent(datatype: usize, lb: *mut isize, extent: *mut isize);
    Type_get_envelope(datatype: usize, integers: *mut i32, addresses: *mut i32, types: *mut i32, combiner: *mut i32);
    Pack_external_size(representation: *const u8, count: i32, datatype: usize, size: *mut isize);
    Info_get_nkeys(info: usize, count: *mut i32);
    Info_get(info: usize, key: *const u8, most: i32, value: *mut u8, found: *mut i32);
    Info_get_valuelen(info: usize, key: *const u8, length: *mut i32, found: *mut i32);
    Get_processor_name(name: *mut u8, length: *mut i32);
    Get_library_version(name: *mut u8, length: *mut i32);
    Get_version(major: *mut i32, minor: *mut i32);
    Query_thread(level: *mut i32);
    T_init_thread(required: i32, provided: *mut i32);
    T_cvar_get_index(name: *const u8, index: *mut i32);
    T_cvar_get_info(
        index: i32,
        name: *mut u8,
        name_length: *mut i32,
        verbosity: *mut i32,
        datatype: *mut usize,
        kind: *mut usize,
        text: *mut u8,
        text_length: *mut i32,
        bind: *mut i32,
        scope: *mut i32
    );
    T_cvar_handle_alloc(index: i32, object: *mut u8, handle: *mut usize, count: *mut i32);
    T_cvar_read(handle: usize, value: *mut u8);
    T_cvar_handle_free(handle: *mut usize);
    T_pvar_get_index(name: *const u8, class: i32, index: *mut i32);
    T_pvar_get_info(
        index: i32,
        name: *mut u8,
        name_length: *mut i32,
        verbosity: *mut i32,
        class: *mut i32,
        datatype: *mut usize,
        kind: *mut usize,
        text: *mut u8,
        text_length: *mut i32,
        bind: *mut i32,
        readonly: *mut i32,
        continuous: *mut i32,
        atomic: *mut i32
    );
    T_pvar_session_create(session: *mut usize);
    T_pvar_session_free(session: *mut usize);
    T_pvar_handle_alloc(session: usize, index: i32, object: *mut u8, handle: *mut usize, count: *mut i32);
    T_pvar_handle_free(session: usize, handle: *mut usize);
    T_pvar_read(session: usize, handle: usize, value: *mut u8);
    Send_init(buffer: *mut u8, count: i32, datatype: usize, dest: i32, tag: i32, comm: usize, request: *mut usize);
    Test(request: *mut usize, flag: *mut i32, status: *mut u8);
    Request_free(request: *mut usize);
    Request_get_status(request: usize, flag: *mut i32, status: *mut u8);
    Status_set_elements(status: *mut u8, datatype: usize, count: i32);
}

/// Handle conversions `MPI_X_f2c` (before MPI-5) or `MPI_X_fromint` (standard ABI).
pub fn from_fortran(class: &str, handle: i32) -> usize {
    let Some(mpi) = crate::process::mpi() else { return 0 };
    if mpi.constants.int_handles {
        return handle as u32 as usize;
    }
    converted(mpi, class, handle)
}

/// The same for a file: those of MPICH are addresses, unlike its other handles.
pub fn file_from_fortran(handle: i32) -> usize {
    crate::process::mpi().map_or(0, |mpi| converted(mpi, "File", handle))
}

fn converted(mpi: &Mpi, class: &str, handle: i32) -> usize {
    let address = ["_fromint", "_f2c"].iter().find_map(|suffix| mpi.function(&format!("PMPI_{class}{suffix}")));
    let Some(address) = address else { return 0 };
    // SAFETY: MPI_X MPI_X_f2c(MPI_Fint), both word-sized returns.
    let convert: unsafe extern "C" fn(i32) -> usize = unsafe { std::mem::transmute(address) };
    unsafe { convert(handle) }
}
