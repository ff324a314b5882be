//! How the C library keeps memory. By itself it gives each thread a heap of its own, and what is free in one is of no use to the
//! others: with ten thousand ranks hundreds of megabytes that another thread takes anew.

/// So many threads share a heap: more would wait for each other.
#[cfg(target_env = "gnu")]
const THREADS_PER_HEAP: usize = 4;

/// Lets threads share heaps. To be called before there are any.
pub fn share_heaps() {
    #[cfg(target_env = "gnu")]
    {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let heaps = threads.div_ceil(THREADS_PER_HEAP).max(2);
        // SAFETY: it sets a number.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, heaps.try_into().unwrap_or(libc::c_int::MAX));
        }
    }
}

/// Gives free memory back to the system.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes no memory that is in use, and may be called by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
