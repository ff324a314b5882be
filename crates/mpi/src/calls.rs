//! The functions that are called, with the types of the C binding: a handle is a word, a status an address.

/// Declares a table and how it is filled.
macro_rules! calls {
    ($table:ident; $($name:ident($($arg:ident: $type:ty),*);)*) => {
        /// Addresses of functions.
        #[allow(non_snake_case)] // the names of the standard
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($arg: $type),*) -> i32,)*
        }

        impl $table {
            /// Looks up every function; `Err` is the name of one that is missing.
            pub fn find(address: impl Fn(&str) -> Option<usize>) -> Result<$table, &'static str> {
                Ok($table {
                    $($name: {
                        const NAME: &str = concat!("MPI_", stringify!($name));
                        // SAFETY: the type is that of the C binding.
                        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($($arg: $type),*) -> i32>(address(NAME).ok_or(NAME)?) }
                    },)*
                })
            }
        }
    };
}
pub(crate) use calls;

calls! {
    Calls;
    Init_thread(argc: *mut i32, argv: *mut *mut *mut u8, required: i32, provided: *mut i32);
    Finalize();
    Abort(comm: usize, code: i32);
    Comm_rank(comm: usize, rank: *mut i32);
    Comm_size(comm: usize, size: *mut i32);
    Get_library_version(text: *mut u8, length: *mut i32);
    Send(buffer: *const u8, count: i32, datatype: usize, dest: i32, tag: i32, comm: usize);
    Recv(buffer: *mut u8, count: i32, datatype: usize, source: i32, tag: i32, comm: usize, status: usize);
    Sendrecv(
        out: *const u8,
        out_count: i32,
        out_type: usize,
        dest: i32,
        out_tag: i32,
        into: *mut u8,
        in_count: i32,
        in_type: usize,
        source: i32,
        in_tag: i32,
        comm: usize,
        status: usize
    );
    Isend(buffer: *const u8, count: i32, datatype: usize, dest: i32, tag: i32, comm: usize, request: *mut u8);
    Irecv(buffer: *mut u8, count: i32, datatype: usize, source: i32, tag: i32, comm: usize, request: *mut u8);
    Waitall(count: i32, requests: *mut u8, statuses: usize);
    Test(request: *mut u8, flag: *mut i32, status: usize);
    Testall(count: i32, requests: *mut u8, flag: *mut i32, statuses: usize);
    Barrier(comm: usize);
    Bcast(buffer: *mut u8, count: i32, datatype: usize, root: i32, comm: usize);
    Send_init(buffer: *const u8, count: i32, datatype: usize, dest: i32, tag: i32, comm: usize, request: *mut u8);
    Recv_init(buffer: *mut u8, count: i32, datatype: usize, source: i32, tag: i32, comm: usize, request: *mut u8);
    Startall(count: i32, requests: *mut u8);
    Request_free(request: *mut u8);
    Comm_dup(comm: usize, new: *mut usize);
    Comm_split(comm: usize, color: i32, key: i32, new: *mut usize);
    Comm_free(comm: *mut usize);
    Cart_create(comm: usize, dimensions: i32, dims: *const i32, periods: *const i32, reorder: i32, new: *mut usize);
    Info_create(info: *mut usize);
    Info_free(info: *mut usize);
    Dist_graph_create_adjacent(
        comm: usize,
        in_degree: i32,
        sources: *const i32,
        source_weights: *const i32,
        out_degree: i32,
        destinations: *const i32,
        destination_weights: *const i32,
        info: usize,
        reorder: i32,
        new: *mut usize
    );
    Neighbor_alltoallv(
        out: *const u8,
        out_counts: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut u8,
        in_counts: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize
    );
    Iprobe(source: i32, tag: i32, comm: usize, flag: *mut i32, status: usize);
}
