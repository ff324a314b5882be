//! The tables themselves: complete, consistent, and equal to their page.

use std::path::Path;

use mpiscope_tune::{Family, entries, entry, every, page, search, subjects};

#[test]
fn the_page_is_what_the_notes_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tuning/variables.md");
    let wanted = page();
    if std::env::var_os("MPISCOPE_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "{} is stale: set MPISCOPE_BLESS=1", path.display());
}

#[test]
fn variables_of_the_first_tuning_guides_are_known() {
    let sun = ["MPI_SPIN", "MPI_PROCBIND", "MPI_POLLALL", "MPI_SHM_CPOOLSIZE", "MPI_SHM_CYCLESTART"];
    let more_sun = ["MPI_SHM_RENDVSIZE", "MPI_SHM_NUMPOSTBOX", "PRISM_TNFDIR"];
    let cray = [
        "MPICH_MAX_SHORT_MSG_SIZE",
        "MPICH_UNEX_BUFFER_SIZE",
        "MPICH_PTLS_EAGER_LONG",
        "MPICH_PTL_UNEX_EVENTS",
        "MPICH_PTL_UNEXPECTED_EVENTS",
        "MPICH_PTL_OTHER_EVENTS",
        "MPICH_MAX_VSHORT_MSG_SIZE",
        "MPICH_VSHORT_BUFFERS",
        "MPICH_DBMASK",
        "MPICH_PTL_SEND_CREDITS",
        "MPICH_ALLTOALL_SHORT_MSG",
        "MPICH_BCAST_ONLY_TREE",
        "MPICH_REDUCE_SHORT_MSG",
        "MPICH_ALLTOALLVW_SENDRECV",
    ];
    let fujitsu = [
        "btl_tofu_eager_limit",
        "common_tofu_fastmode_threshold",
        "common_tofu_large_rcv_buf_size",
        "common_tofu_max_fastmode_procs",
        "common_tofu_max_tnis",
        "common_tofu_medium_rcv_buf_size",
        "common_tofu_memory_limit",
        "common_tofu_memory_limit_peers",
        "common_tofu_num_mrqs_entries",
        "common_tofu_packet_gap",
        "common_tofu_packet_mtu",
        "common_tofu_use_multi_path",
        "coll_base_reduce_commute_safe",
        "coll_tbi_use_on_bcast",
        "coll_tuned_bcast_same_count",
        "coll_tuned_prealloc_size",
        "coll_tuned_use_6d_algorithm",
        "dpm_ple_socket_timeout",
        "mca_base_param_file_prefix",
        "mpi_check_buffer_write",
        "mpi_deadlock_timeout",
        "mpi_deadlock_timeout_delay",
        "mpi_preconnect_mpi",
        "mpi_print_stats",
        "mpi_print_stats_ranks",
        "opal_progress_thread_mode",
    ];
    for (family, names) in [
        (Family::SunMpi, &sun[..]),
        (Family::SunMpi, &more_sun),
        (Family::CrayMpich, &cray),
        (Family::Fujitsu, &fujitsu),
    ] {
        for name in names {
            let found = entry(family, name).unwrap_or_else(|| panic!("{name}"));
            assert!(found.note.subject.is_some() && found.note.changes.is_some(), "{name}");
        }
    }
}

#[test]
fn every_variable_is_found_under_its_name_once() {
    for family in Family::ALL {
        let all = entries(family);
        assert!(!all.is_empty(), "{family:?}");
        assert!(all.windows(2).all(|pair| pair[0].name < pair[1].name), "{family:?} is not sorted");
    }
    assert!(every().count() > 3_000);
}

/// A note about a variable that no package has must say what kind of values it takes, where it is from, and in which versions it
/// exists if the family has packages: otherwise it is a misspelled name.
#[test]
fn notes_are_complete() {
    for entry in every().filter(|entry| !entry.note.name.is_empty()) {
        assert!(entry.note.source.is_some(), "{}: no source", entry.name);
        let text = entry.note.changes.as_deref().unwrap_or(".");
        assert!(text.ends_with('.'), "{}: {text}", entry.name);
        for part in [&entry.note.helps, &entry.note.costs].into_iter().flatten() {
            assert!(!part.ends_with('.'), "{}: {part}", entry.name);
        }
        let is_open_mpi = entry.family == Family::OpenMpi && entry.seen.is_empty();
        let is_environment = entry.name.starts_with("OMPI_");
        assert!(!is_open_mpi || is_environment || entry.note.versions.is_some(), "{}: in no package", entry.name);
    }
}

/// One subject leads to the right name under each MPI.
#[test]
fn a_subject_has_a_name_in_each_mpi() {
    for subject in ["eager-limit", "collective-algorithm", "binding", "progress"] {
        assert!(subjects().contains(&subject));
        for family in [Family::OpenMpi, Family::Mpich, Family::CrayMpich, Family::Intel, Family::Mvapich] {
            let has =
                |subject: &str| entries(family).iter().any(|entry| entry.note.subject.as_deref() == Some(subject));
            // Binding is up to the launcher of Cray MPICH, which is Slurm or PALS.
            assert!(has(subject) || (family == Family::CrayMpich && subject == "binding"), "{subject} of {family:?}");
        }
    }
}

#[test]
fn what_reads_variables_leads_to_them() {
    for family in Family::ALL {
        let hits = search(&[family.word().to_owned()], None, None);
        assert!(hits.iter().any(|hit| hit.entry.family == family), "{}", family.title());
    }
}

#[test]
fn a_search_finds_the_exact_name_first() {
    let words = |text: &str| text.split(' ').map(Into::into).collect::<Vec<String>>();
    let first = |text, family| search(&words(text), family, None).first().map(|hit| hit.entry.variable());
    assert_eq!(first("btl_tcp_eager_limit", Some(Family::OpenMpi)).as_deref(), Some("OMPI_MCA_btl_tcp_eager_limit"));
    assert_eq!(first("UCX_TLS", None).as_deref(), Some("UCX_TLS"));
    assert!(
        search(&words("eager tcp"), Some(Family::OpenMpi), None).len()
            < search(&words("eager"), Some(Family::OpenMpi), None).len()
    );
    assert_eq!(first("no such words", None), None);
}
