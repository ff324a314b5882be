//! The rest of the interface, which does not concern buffers: threads, locks, fibers, reports.

/// Functions without a result, or whose result is 0. Arguments are ignored.
macro_rules! nothing {
    ($($name:ident)*) => { $(#[unsafe(no_mangle)] pub extern "C" fn $name() -> u64 { 0 })* };
}

nothing! {
    __tsan_init __tsan_func_entry __tsan_func_exit __tsan_flush_memory
    __tsan_ignore_thread_begin __tsan_ignore_thread_end __tsan_acquire __tsan_release
    __tsan_mutex_create __tsan_mutex_destroy __tsan_mutex_pre_lock __tsan_mutex_post_lock __tsan_mutex_pre_unlock
    __tsan_mutex_post_unlock __tsan_mutex_pre_signal __tsan_mutex_post_signal __tsan_mutex_pre_divert
    __tsan_mutex_post_divert
    __tsan_destroy_fiber __tsan_switch_to_fiber __tsan_set_fiber_name
    __tsan_external_register_header __tsan_external_assign_tag
    __tsan_java_init __tsan_java_fini __tsan_java_alloc __tsan_java_free __tsan_java_move __tsan_java_find
    __tsan_java_finalize __tsan_java_mutex_lock __tsan_java_mutex_unlock __tsan_java_mutex_read_lock
    __tsan_java_mutex_read_unlock __tsan_java_mutex_lock_rec __tsan_java_mutex_unlock_rec __tsan_java_acquire
    __tsan_java_release __tsan_java_release_store
    __tsan_get_current_report __tsan_get_report_data __tsan_get_report_tag __tsan_get_report_stack
    __tsan_get_report_mop __tsan_get_report_loc __tsan_get_report_loc_object_type __tsan_get_report_mutex
    __tsan_get_report_thread __tsan_get_report_unique_tid __tsan_get_alloc_stack
    __sanitizer_print_stack_trace __sanitizer_set_death_callback __sanitizer_set_report_path
    __sanitizer_set_report_fd __sanitizer_report_error_summary __sanitizer_install_malloc_and_free_hooks
    AnnotateBenignRace AnnotateBenignRaceSized AnnotateCondVarSignal AnnotateCondVarSignalAll AnnotateCondVarWait
    AnnotateEnableRaceDetection AnnotateExpectRace AnnotateFlushExpectedRaces AnnotateFlushState AnnotateHappensAfter
    AnnotateHappensBefore AnnotateIgnoreReadsBegin AnnotateIgnoreReadsEnd AnnotateIgnoreSyncBegin
    AnnotateIgnoreSyncEnd AnnotateIgnoreWritesBegin AnnotateIgnoreWritesEnd AnnotateMemoryIsInitialized
    AnnotateMemoryIsUninitialized AnnotateMutexIsNotPHB AnnotateMutexIsUsedAsCondVar AnnotateNewMemory AnnotateNoOp
    AnnotatePCQCreate AnnotatePCQDestroy AnnotatePCQGet AnnotatePCQPut AnnotatePublishMemoryRange
    AnnotateRWLockAcquired AnnotateRWLockCreate AnnotateRWLockCreateStatic AnnotateRWLockDestroy
    AnnotateRWLockReleased AnnotateThreadName AnnotateTraceMemory AnnotateUnpublishMemoryRange
    WTFAnnotateBenignRaceSized WTFAnnotateHappensAfter WTFAnnotateHappensBefore
    RunningOnValgrind
}

/// Functions that return an object that the program only passes back.
macro_rules! something {
    ($($name:ident)*) => { $(#[unsafe(no_mangle)] pub extern "C" fn $name() -> *const u64 { &raw const SOMETHING })* };
}

static SOMETHING: u64 = 0;

something! { __tsan_get_current_fiber __tsan_create_fiber __tsan_external_register_tag }

/// The slowdown that the compiler's runtime reports.
#[unsafe(no_mangle)]
pub extern "C" fn ValgrindSlowdown() -> f64 {
    10.0
}

/// Functions that read and write words at any address.
macro_rules! unaligned {
    ($($load:ident $store:ident $word:ty;)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(at: *const $word) -> $word {
            unsafe { at.read_unaligned() }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(at: *mut $word, value: $word) {
            unsafe { at.write_unaligned(value) };
        }
    )* };
}

unaligned! {
    __sanitizer_unaligned_load16 __sanitizer_unaligned_store16 u16;
    __sanitizer_unaligned_load32 __sanitizer_unaligned_store32 u32;
    __sanitizer_unaligned_load64 __sanitizer_unaligned_store64 u64;
}
