use super::*;

fn mpi(text: &str, device: Option<&str>, settings: &[(&str, &str)]) -> Mpi {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Mpi { target: Target::of_text(text, device).unwrap(), settings, is_threaded: Some(false) }
}

fn open_mpi(settings: &[(&str, &str)]) -> Mpi {
    mpi("Open MPI v4.1.4", None, settings)
}

fn mpich(settings: &[(&str, &str)]) -> Mpi {
    mpi("MPICH Version: 4.0.2", Some("ch4:ofi"), settings)
}

/// Calls with doubles on one host.
fn call(function: &str, ranks: u64, bytes: u64) -> Call {
    Call {
        function: format!("MPI_{function}"),
        ranks,
        hosts: 1,
        ranks_per_host: ranks,
        is_inter: false,
        is_consecutive: true,
        bytes: Some(bytes),
        count: bytes / 8,
        is_in_place: false,
        commutes: Some(true),
        is_built_in: true,
    }
}

fn across(hosts: u64, call: Call) -> Call {
    Call { hosts, ranks_per_host: call.ranks.div_ceil(hosts), ..call }
}

/// Steps in one text: `within reduce:release_gather, between recursive_doubling`.
fn steps(mpi: &Mpi, call: &Call) -> String {
    match mpi.infer(call) {
        Inferred::Known { parts, .. } => parts.iter().map(step).collect::<Vec<_>>().join(", "),
        Inferred::NotKnown { why, .. } => format!("not known: {why}"),
    }
}

fn step(part: &Part) -> String {
    let place = match part.place {
        Place::All => "",
        Place::WithinHosts => "within ",
        Place::BetweenHosts => "between ",
    };
    let operation = part.operation.as_ref().map(|of| format!("{of}:")).unwrap_or_default();
    format!("{place}{operation}{}", part.algorithm)
}

#[test]
fn open_mpi_decides_by_ranks_and_bytes() {
    let mpi = open_mpi(&[]);
    // From coll_tuned_decision_fixed.c, on both sides of boundaries; with what an algorithm calls if its own condition does not hold.
    for (function, ranks, bytes, expected) in [
        ("Allreduce", 2, 8, "recursive_doubling"),
        ("Allreduce", 2, 4095, "recursive_doubling"),
        ("Allreduce", 2, 4096, "ring"),
        ("Allreduce", 3, 8192, "recursive_doubling"),
        ("Allreduce", 3, 65536, "ring"),
        ("Allreduce", 3, 262_144, "rabenseifner"),
        ("Allreduce", 4, 8, "recursive_doubling"),
        ("Allreduce", 4, 8191, "recursive_doubling"),
        ("Allreduce", 4, 8192, "rabenseifner"),
        ("Allreduce", 32, 128, "basic_linear"),
        ("Allreduce", 32, 256, "rabenseifner"),
        ("Allreduce", 200, 4096, "nonoverlapping"),
        ("Bcast", 2, 31, "pipeline"),
        ("Bcast", 2, 32, "binary_tree"),
        ("Bcast", 4, 2048, "binomial"),
        ("Bcast", 4, 1_048_576, "chain"),
        ("Bcast", 64, 1, "knomial"),
        ("Alltoall", 2, 64, "pairwise"),
        ("Alltoall", 2, 256, "two_proc"),
        ("Alltoall", 4, 8191, "linear_sync"),
        ("Alltoall", 4, 8192, "linear"),
        ("Alltoall", 16, 511, "modified_bruck"),
        ("Allgather", 2, 8, "two_proc"),
        ("Allgather", 4, 8, "recursive_doubling"),
        ("Allgather", 6, 8, "bruck"),
        ("Allgather", 33, 1024, "ring"),
        ("Allgather", 34, 1024, "neighbor"),
        ("Reduce", 2, 8, "binary"),
        ("Reduce", 2, 16, "pipeline"),
        ("Reduce", 8, 8191, "binary"),
        ("Reduce", 8, 8192, "binomial"),
        ("Barrier", 3, 0, "recursive_doubling"),
        ("Barrier", 4, 0, "linear"),
        ("Barrier", 64, 0, "bruck"),
        ("Gather", 8, 8, "binomial"),
        ("Scatter", 2, 131_072, "linear_nb"),
        ("Reduce_scatter", 4, 262_144, "ring"),
        ("Reduce_scatter_block", 4, 32, "butterfly"),
        ("Allgatherv", 4, 256, "neighbor"),
        ("Allgatherv", 5, 256, "ring"),
        ("Alltoallv", 4, 8, "basic_linear"),
        ("Scan", 4, 8, "linear"),
    ] {
        assert_eq!(steps(&mpi, &call(function, ranks, bytes)), expected, "{function}, {ranks} ranks, {bytes} B");
    }
    let other = Call { commutes: Some(false), is_built_in: false, ..call("Reduce", 4, 8) };
    assert_eq!(steps(&mpi, &other), "linear");
    assert_eq!(steps(&mpi, &Call { bytes: None, ..call("Bcast", 4, 0) }).split(':').next(), Some("not known"));
    assert_eq!(steps(&mpi, &call("Bcast_c", 4, 8)), steps(&mpi, &call("Bcast", 4, 8)));
    // The size does not matter for these.
    assert_eq!(steps(&mpi, &Call { bytes: None, ..call("Alltoallv", 4, 0) }), "basic_linear");
}

#[test]
fn open_mpi_without_rules_is_not_known() {
    for (text, call) in [
        ("Open MPI v4.0.7", call("Bcast", 4, 8)),
        ("Open MPI v6.0.0", call("Bcast", 4, 8)),
        ("Open MPI v4.0.7", call("Ibcast", 4, 8)),
        ("Open MPI v4.1.4", Call { is_inter: true, ..call("Bcast", 4, 8) }),
    ] {
        assert!(matches!(mpi(text, None, &[]).infer(&call), Inferred::NotKnown { .. }), "{text}");
    }
    assert_eq!(steps(&open_mpi(&[]), &across(2, call("Bcast", 4, 8))), "binary_tree");
    assert_eq!(steps(&open_mpi(&[]), &call("Bcast", 1, 8)), "none");
}

#[test]
fn settings_of_open_mpi_decide_first() {
    let forced = [("OMPI_MCA_coll_tuned_bcast_algorithm", "6"), ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")];
    let own = call("Bcast", 4, 8);
    assert_eq!(steps(&open_mpi(&forced), &own), "binomial");
    assert_eq!(steps(&open_mpi(&[("OMPI_MCA_coll_tuned_bcast_algorithm", "chain"), forced[1]]), &own), "chain");
    // One element cannot be split.
    let split = [("OMPI_MCA_coll_tuned_bcast_algorithm", "4"), forced[1]];
    assert_eq!(steps(&open_mpi(&split), &own), "chain");
    assert_eq!(steps(&open_mpi(&split), &call("Bcast", 4, 16)), "split_binary_tree");
    // Without the switch, it has no effect.
    assert_eq!(steps(&open_mpi(&forced[..1]), &own), "binary_tree");
    for settings in [
        &[("OMPI_MCA_coll_tuned_dynamic_rules_filename", "rules"), forced[1]][..],
        &[("OMPI_MCA_coll", "^tuned")],
        &[("OMPI_MCA_coll", "basic,libnbc,self")],
        &[("OMPI_MCA_coll_adapt_priority", "50")],
        &[("OMPI_MCA_coll_tuned_bcast_algorithm", "42"), forced[1]],
    ] {
        assert!(steps(&open_mpi(settings), &own).starts_with("not known"), "{settings:?}");
    }
    assert_eq!(steps(&open_mpi(&[("OMPI_MCA_coll_sm_priority", "90")]), &own), "shared memory");
    assert_eq!(steps(&open_mpi(&[("OMPI_MCA_coll", "^sm"), ("OMPI_MCA_coll_sm_priority", "90")]), &own), "binary_tree");
    let han = [("OMPI_MCA_coll_han_priority", "50")];
    assert!(steps(&open_mpi(&han), &across(2, own.clone())).contains("coll/han"));
    assert_eq!(steps(&open_mpi(&han), &own), "binary_tree");
}

/// As two hosts with two ranks each are seen to do it.
#[test]
fn han_makes_steps_within_and_between_hosts() {
    let mpi = |settings: &[(&str, &str)]| self::mpi("Open MPI v5.0.11", None, settings);
    let own = |function: &str, bytes: u64| across(2, call(function, 4, bytes));
    for (call, expected) in [
        (own("Barrier", 0), "within recursive_doubling, between recursive_doubling, within recursive_doubling"),
        (own("Bcast", 8), "between pipeline, within pipeline"),
        (own("Bcast", 131_072), "between binary_tree, within binary_tree"),
        (own("Reduce", 64), "within linear, between ireduce of coll/libnbc"),
        (
            own("Allreduce", 16),
            "within reduce:pipeline, between reduce:ireduce of coll/libnbc, between bcast:ibcast of coll/libnbc, within bcast:pipeline",
        ),
        (own("Gather", 131_072), "within linear_sync, between linear_sync"),
        (own("Allgather", 131_072), "within gather:linear_sync, between two_proc, within bcast:binomial"),
        (own("Scatter", 8), "between basic_linear, within basic_linear"),
        // Not its own.
        (own("Scan", 8), "linear"),
        (call("Bcast", 4, 8), "binary_tree"),
        // One rank on each host, a host with fewer ranks, an order that counts.
        (across(4, call("Bcast", 4, 8)), "binary_tree"),
        (across(2, call("Bcast", 3, 8)), "pipeline"),
        (Call { commutes: Some(false), ..own("Allreduce", 8) }, "recursive_doubling"),
    ] {
        assert_eq!(steps(&mpi(&[]), &call), expected, "{call:?}");
    }
    let simple = [("OMPI_MCA_coll_han_use_allreduce_algorithm", "simple")];
    let allreduce = own("Allreduce", 16);
    assert_eq!(
        steps(&mpi(&simple), &allreduce),
        "within reduce:pipeline, between recursive_doubling, within bcast:pipeline"
    );
    for without in [
        &[("OMPI_MCA_coll", "^han")][..],
        &[("OMPI_MCA_coll_han_priority", "10")],
        &[("OMPI_MCA_coll_han_reproducible", "1")],
        &[("OMPI_MCA_coll_han_use_allreduce_algorithm", "3")],
    ] {
        assert_eq!(steps(&mpi(without), &allreduce), "recursive_doubling", "{without:?}");
    }
    for unknown in [
        "coll_han_allreduce_up_module",
        "coll_han_allreduce_dynamic_intra_node_module",
        "coll_han_use_dynamic_file_rules",
    ] {
        let name = format!("OMPI_MCA_{unknown}");
        assert!(steps(&mpi(&[(&name, "1")]), &allreduce).starts_with("not known"), "{unknown}");
    }
    // What is set for another operation has no effect on this one.
    assert_eq!(steps(&mpi(&[("OMPI_MCA_coll_han_bcast_up_module", "1")]), &allreduce), steps(&mpi(&[]), &allreduce));
    let others: Vec<String> = mpi(&[]).others(&own("Bcast", 8)).into_iter().map(|other| other.when).collect();
    assert!(others.contains(&"on one host".to_owned()), "{others:?}");
    let Inferred::Known { parts, by, .. } = mpi(&[]).infer(&own("Bcast", 131_072)) else { panic!("it is known") };
    assert!(by.starts_with("coll/han, whose priority (35)"), "{by}");
    assert_eq!(
        parts[0].note.as_deref(),
        Some("the first of 2 segments of 65,536 B; the others by ibcast of coll/libnbc")
    );
}

#[test]
fn mpich_composes_steps() {
    let mpi = mpich(&[]);
    for (call, expected) in [
        (call("Allreduce", 4, 8), "release_gather"),
        (call("Bcast", 4, 8), "within release_gather"),
        (call("Barrier", 4, 0), "within release_gather, within bcast:release_gather"),
        (call("Allgather", 4, 8), "recursive_doubling"),
        (call("Allgather", 3, 8), "brucks"),
        (call("Allgather", 4, 131_071), "recursive_doubling"),
        (call("Allgather", 4, 131_072), "ring"),
        (call("Alltoall", 4, 256), "scattered"),
        (call("Alltoall", 8, 256), "brucks"),
        (call("Alltoall", 8, 257), "scattered"),
        (call("Alltoall", 8, 32_768), "scattered"),
        (call("Alltoall", 8, 32_769), "pairwise"),
        (Call { is_in_place: true, ..call("Alltoall", 8, 8) }, "pairwise_sendrecv_replace"),
        (call("Gather", 4, 8), "binomial"),
        (call("Reduce_scatter_block", 4, 131_072), "pairwise"),
        (call("Exscan", 4, 8), "recursive_doubling"),
        (
            across(2, call("Allreduce", 8, 8)),
            "within reduce:release_gather, between recursive_doubling, within bcast:release_gather",
        ),
        (across(4, call("Allreduce", 4, 8)), "recursive_doubling"),
        (across(4, call("Allreduce", 4, 4096)), "reduce_scatter_allgather"),
        (across(8, call("Bcast", 8, 12_288)), "binomial"),
        (across(8, call("Bcast", 8, 12_289)), "scatter_recursive_doubling_allgather"),
        (across(8, call("Bcast", 8, 524_289)), "scatter_ring_allgather"),
        (across(9, call("Bcast", 9, 12_289)), "scatter_ring_allgather"),
        (across(2, call("Bcast", 8, 100)), "between binomial, within release_gather"),
        (across(4, call("Reduce", 4, 2048)), "binomial"),
        (across(4, call("Reduce", 4, 2056)), "reduce_scatter_gather"),
    ] {
        assert_eq!(steps(&mpi, &call), expected, "{call:?}");
    }
    let threaded = Mpi { is_threaded: Some(true), ..mpi.clone() };
    assert_eq!(steps(&threaded, &call("Allreduce", 4, 8)), "recursive_doubling");
    let ucx = self::mpi("MPICH Version: 4.0.2", Some("ch4:ucx"), &[]);
    assert_eq!(steps(&ucx, &call("Allreduce", 4, 8)), "recursive_doubling");
    assert_eq!(steps(&ucx, &call("Bcast", 4, 8)), "within binomial");
    let both = self::mpi("MPICH Version: 5.0.2", Some("ch4:ucx ofi"), &[]);
    assert_eq!(steps(&both, &call("Allreduce", 4, 8)), "release_gather");
    let other = Call { commutes: Some(false), is_built_in: false, ..call("Allreduce", 4, 4096) };
    assert_eq!(steps(&mpi, &other), "recursive_doubling");
}

#[test]
fn settings_of_mpich_decide_first() {
    let own = call("Allreduce", 4, 8);
    let set = |name: &str, value: &str| steps(&mpich(&[(name, value)]), &own);
    // The device's shared memory comes before the algorithm among messages.
    assert_eq!(set("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "recursive_doubling"), "release_gather");
    assert_eq!(set("MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM", "mpir"), "recursive_doubling");
    assert_eq!(set("MPICH_ALLREDUCE_POSIX_INTRA_ALGORITHM", "mpir"), "recursive_doubling");
    assert_eq!(set("MPIR_CVAR_DEVICE_COLLECTIVES", "none"), "recursive_doubling");
    assert_eq!(set("MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE", "0"), "recursive_doubling");
    assert!(set("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "mine.json").starts_with("not known"));
    let both = [("MPIR_CVAR_DEVICE_COLLECTIVES", "none"), ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "smp")];
    assert_eq!(steps(&mpich(&both), &own), "smp");
    let ch3 = mpi("MPICH Version: 4.0.2", Some("ch3:nemesis"), &[]);
    assert_eq!(steps(&ch3, &own), "recursive_doubling");
    assert_eq!(steps(&ch3, &call("Barrier", 4, 0)), "smp");
    assert!(steps(&mpi("MPICH Version: 3.2", Some("ch3:nemesis"), &[]), &own).starts_with("not known"));
    let Inferred::Known { parts, .. } = mpich(&[]).infer(&own) else { panic!() };
    assert!(parts[0].note.as_ref().unwrap().contains("recursive_doubling in the first 4 "), "{parts:?}");
}

#[test]
fn every_version_of_mpich_has_its_trees() {
    let of = |version: &str, call: &Call| steps(&mpi(&format!("MPICH Version: {version}"), Some("ch4:ofi"), &[]), call);
    for version in ["3.4.3", "4.0.3", "4.1.3", "4.2.3", "4.3.2", "5.0.2"] {
        assert_eq!(of(version, &call("Allreduce", 4, 8)), "release_gather", "{version}");
        assert_eq!(of(version, &call("Alltoall", 4, 8)), "scattered", "{version}");
        assert_eq!(of(version, &across(4, call("Scan", 4, 8))), "recursive_doubling", "{version}");
    }
    for version in ["3.3.2", "5.1.0"] {
        assert!(of(version, &call("Allreduce", 4, 8)).starts_with("not known"), "{version}");
    }
    let barrier = across(4, call("Barrier", 4, 0));
    assert_eq!(of("4.0.3", &barrier), "dissemination");
    assert_eq!(of("4.1.3", &barrier), "k_dissemination");
}

#[test]
fn mpich_ignores_settings_whose_conditions_do_not_hold() {
    let of = |version: &str, settings: &[(&str, &str)], call: &Call| {
        steps(&mpi(&format!("MPICH Version: {version}"), Some("ch4:ofi"), settings), call)
    };
    let name = "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM";
    let forced = [(name, "reduce_scatter_allgather")];
    let (few, many) = (across(4, call("Allreduce", 4, 8)), across(4, call("Allreduce", 4, 64)));
    assert_eq!(of("4.1.3", &forced, &few), "recursive_doubling");
    assert_eq!(of("4.1.3", &forced, &many), "reduce_scatter_allgather");
    assert_eq!(of("3.4.3", &forced, &many), "reduce_scatter_allgather");
    // It would fail: 3.4 does not check.
    assert!(of("3.4.3", &forced, &few).starts_with("not known"));
    let own = Call { commutes: None, is_built_in: false, ..many.clone() };
    assert_eq!(of("4.1.3", &forced, &own), "recursive_doubling");
    assert!(of("4.1.3", &forced, &Call { bytes: None, ..many.clone() }).contains("differ"));
    assert_eq!(of("4.1.3", &[(name, "nb")], &few), "recursive_doubling");
    assert!(of("5.0.2", &[(name, "recursive_multiplying")], &few).starts_with("not known"));
    let doubling = [("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "recursive_doubling")];
    assert_eq!(of("4.3.2", &doubling, &call("Allgather", 3, 8)), "brucks");
    assert_eq!(of("4.3.2", &doubling, &call("Allgather", 4, 131_072)), "recursive_doubling");
    let one_by_one = [("MPIR_CVAR_NOLOCAL", "1")];
    assert_eq!(of("4.3.2", &one_by_one, &call("Allreduce", 4, 8)), "recursive_doubling");
    assert!(of("4.3.2", &[("MPIR_CVAR_NUM_CLIQUES", "2")], &few).starts_with("not known"));
}

#[test]
fn compositions_of_mpich_have_numbers() {
    let of = |version: &str, number: &str, call: &Call| {
        let name = format!("MPIR_CVAR_{}_COMPOSITION", call.operation().to_uppercase());
        steps(&mpi(&format!("MPICH Version: {version}"), Some("ch4:ofi"), &[(&name, number)]), call)
    };
    let own = call("Allreduce", 4, 8);
    assert_eq!(of("4.1.3", "1", &own), "within reduce:release_gather, within bcast:release_gather");
    assert_eq!(of("4.1.3", "2", &own), "recursive_doubling");
    assert_eq!(of("4.1.3", "3", &own), "release_gather");
    assert!(of("4.1.3", "4", &own).starts_with("not known"));
    // One member on each host, so that the first does not fit.
    assert_eq!(of("5.0.2", "1", &across(4, own.clone())), "recursive_doubling");
    // There is no such variable.
    assert_eq!(of("4.0.3", "2", &own), "release_gather");
    assert_eq!(of("5.0.2", "2", &call("Allgather", 4, 8)), "recursive_doubling");
}

#[test]
fn settings_of_intel_mpi_are_algorithms() {
    let of = |version: &str, value: &str, call: &Call| {
        let name = format!("I_MPI_ADJUST_{}", call.operation().to_uppercase());
        steps(&mpi(&format!("Intel(R) MPI Library {version} for Linux* OS"), None, &[(&name, value)]), call)
    };
    let own = call("Allreduce", 4, 1024);
    assert_eq!(of("2021.10", "2", &own), "Rabenseifner's");
    assert_eq!(of("2021.1", "12", &own), "topology aware SHM-based knary");
    assert_eq!(of("2021.10", "1:0-512;8:513-2048@2-4;3", &own), "ring");
    assert_eq!(of("2021.10", "1:0-512;8:513-2048@8;3", &own), "reduce + bcast");
    assert_eq!(of("2021.10", "5:1024,2048", &own), "binomial gather + scatter");
    assert_eq!(of("2021.10", "4", &call("Bcast", 4, 8)), "topology aware binomial");
    for (version, value) in [
        ("2021.10", "0"),
        ("2021.10", "13"),
        ("2021.10", "many"),
        ("2021.10", "1:few"),
        ("2021.10", "1:0-512"),
        // Presets without names.
        ("2021.18", "2"),
    ] {
        assert!(of(version, value, &own).starts_with("not known"), "{version}: {value}");
    }
    assert!(of("2021.10", "1:0-512", &Call { bytes: None, ..own.clone() }).contains("differ"));
    assert!(of("2021.10", "1", &call("Scan", 4, 8)).starts_with("not known"));
    let unset = mpi("Intel(R) MPI Library 2021.10 for Linux* OS", None, &[]);
    assert!(steps(&unset, &own).contains("I_MPI_ADJUST_ALLREDUCE"));
}

#[test]
fn other_conditions_are_the_nearest_ones() {
    let text = |mpi: &Mpi, call: &Call| {
        let one =
            |other: &Other| format!("{}: {}", other.when, other.parts.iter().map(step).collect::<Vec<_>>().join(", "));
        mpi.others(call).iter().map(one).collect::<Vec<_>>()
    };
    let found = text(&open_mpi(&[]), &call("Allreduce", 4, 1024));
    assert_eq!(found[0], "from 8,192 B: rabenseifner", "{found:?}");
    let found = text(&open_mpi(&[]), &call("Allgather", 4, 8));
    assert_eq!(found, ["if the number of ranks is not a power of two: bruck"]);
    let found = text(&open_mpi(&[]), &call("Allgather", 6, 8));
    assert_eq!(found, ["if the number of ranks is a power of two: recursive_doubling"]);
    let found = text(&open_mpi(&[]), &call("Allgather", 34, 1024));
    assert!(found.contains(&"with one rank less or more: ring".to_owned()), "{found:?}");
    let found = text(&open_mpi(&[]), &call("Barrier", 4, 0));
    assert_eq!(found, ["with 3 ranks: recursive_doubling", "with 8 ranks: recursive_doubling"]);
    let found = text(&open_mpi(&[]), &call("Reduce", 4, 1024));
    assert!(found.contains(&"if the operation does not commute: linear".to_owned()), "{found:?}");
    let found = text(&mpich(&[]), &call("Alltoall", 8, 1024));
    assert_eq!(found[..2], ["below 257 B: brucks", "from 32,769 B: pairwise"]);
    assert!(found.contains(&"with MPI_IN_PLACE: pairwise_sendrecv_replace".to_owned()), "{found:?}");
    let found = text(&mpich(&[]), &call("Allreduce", 4, 8));
    assert!(found.contains(&"with MPI_THREAD_MULTIPLE: recursive_doubling".to_owned()), "{found:?}");
}

#[test]
fn every_rule_of_open_mpi_has_a_name() {
    let mpi = open_mpi(&[]);
    let functions = [
        "Allreduce",
        "Reduce",
        "Reduce_scatter",
        "Reduce_scatter_block",
        "Allgather",
        "Allgatherv",
        "Alltoall",
        "Alltoallv",
        "Barrier",
        "Bcast",
        "Gather",
        "Scatter",
    ];
    for function in functions {
        let first = call(function, 2, 0);
        let found = super::open_mpi::boundaries(&first);
        assert!(!found.ranks.is_empty(), "{function} is not in the table");
        for &ranks in &found.ranks {
            for commutes in [true, false] {
                let sizes = found.bytes.iter().flat_map(|&bytes| [bytes.saturating_sub(1), bytes]);
                for bytes in sizes {
                    let one = Call { commutes: Some(commutes), ..call(function, ranks, bytes) };
                    assert!(!steps(&mpi, &one).starts_with("not known"), "{one:?}");
                }
            }
        }
    }
}

#[test]
fn fujitsu_has_conditions() {
    let mpi = mpi("FUJITSU MPI Library 4.0.0", None, &[]);
    let Inferred::NotKnown { possible, .. } = mpi.infer(&Call { is_in_place: true, ..call("Allreduce", 4, 8) }) else {
        panic!()
    };
    assert_eq!(possible.len(), 2);
    let state = |of: &Possible, part: &str| of.conditions.iter().find(|(text, _)| text.contains(part)).unwrap().1;
    assert_eq!(state(&possible[0], "one rank per node"), Some(false));
    assert_eq!(state(&possible[0], "MPI_IN_PLACE"), Some(false));
    assert_eq!(state(&possible[0], "multiple of 4"), Some(true));
    assert_eq!(state(&possible[0], "2 x 2 x 2"), None);
}

#[test]
fn open_mpi_decides_on_non_blocking_operations() {
    // As Open MPI 4.1.4 and 5.0.11 count the messages of one operation each.
    for (function, ranks, bytes, expected) in [
        ("Ibarrier", 5, 0, "dissemination"),
        ("Ibcast", 4, 1 << 20, "linear"),
        ("Ibcast", 5, 1 << 20, "binomial"),
        ("Iallreduce", 2, 1 << 20, "binomial"),
        ("Iallreduce", 4, 65_528, "binomial"),
        ("Iallreduce", 4, 65_536, "rabenseifner"),
        ("Allreduce_init", 4, 65_536, "rabenseifner"),
        ("Ireduce", 2, 65_528, "binomial"),
        ("Ireduce", 2, 65_536, "chain"),
        ("Ireduce", 3, 8, "binomial"),
        ("Ireduce", 3, 16, "rabenseifner"),
        ("Ireduce", 5, 24, "binomial"),
        ("Ireduce", 5, 32, "rabenseifner"),
        ("Iallgather", 4, 8, "linear"),
        ("Ialltoallv", 8, 1 << 20, "linear"),
        ("Iscan", 4, 8, "linear"),
        ("Ireduce_scatter", 4, 8, "binomial reduce and linear scatter"),
        ("Ineighbor_alltoallw", 4, 8, "linear"),
    ] {
        assert_eq!(steps(&open_mpi(&[]), &call(function, ranks, bytes)), expected, "{function} {ranks} {bytes}");
    }
    let in_place = Call { is_in_place: true, ..call("Iallreduce", 8, 1 << 20) };
    assert_eq!(steps(&open_mpi(&[]), &in_place), "binomial");
    let few_large = Call { count: 3, ..call("Iallreduce", 4, 1 << 20) };
    assert_eq!(steps(&open_mpi(&[]), &few_large), "ring");
    let varies = Call { bytes: None, ..call("Iallreduce", 4, 8) };
    assert_eq!(steps(&open_mpi(&[]), &varies), format!("not known: {DIFFERENT_SIZES}"));
    assert_eq!(steps(&open_mpi(&[]), &Call { ranks: 3, ..varies }), "binomial");
}

#[test]
fn settings_of_non_blocking_operations_count() {
    let with =
        |name: &str, value: &str, call: &Call| steps(&open_mpi(&[(&format!("OMPI_MCA_coll_{name}"), value)]), call);
    let by_size = |ranks, bytes| with("libnbc_ibcast_skip_dt_decision", "false", &call("Ibcast", ranks, bytes));
    assert_eq!([by_size(4, 65_536), by_size(5, 65_528), by_size(5, 65_536)], ["linear", "binomial", "chain"]);
    assert_eq!(with("libnbc_ibcast_algorithm", "4", &call("Ibcast", 4, 8)), "knomial");
    assert_eq!(with("libnbc_ibcast_algorithm", "ignore", &call("Ibcast", 4, 8)), "linear");
    // What a setting selects, where it fits.
    let allgather = |ranks| with("libnbc_iallgather_algorithm", "recursive_doubling", &call("Iallgather", ranks, 8));
    assert_eq!([allgather(4), allgather(5)], ["recursive_doubling", "linear"]);
    let reduce = |ranks, bytes| with("libnbc_ireduce_algorithm", "3", &call("Ireduce", ranks, bytes));
    assert_eq!([reduce(5, 8), reduce(2, 160_000), reduce(5, 160_000)], ["chain", "chain", "rabenseifner"]);
    assert_eq!(with("libnbc_iallreduce_algorithm", "3", &call("Iallreduce", 5, 8)), "ring");
    // Another component makes it, or none does.
    let unknown =
        [("", "tuned,basic"), ("adapt_priority", "50"), ("libnbc_priority", "-1"), ("libnbc_ibcast_algorithm", "9")];
    for (name, value) in unknown {
        let name = if name.is_empty() { "OMPI_MCA_coll".to_owned() } else { format!("OMPI_MCA_coll_{name}") };
        let found = steps(&open_mpi(&[(&name, value)]), &call("Ibcast", 8, 8));
        assert!(found.starts_with("not known"), "{name}={value}: {found}");
    }
    let others = open_mpi(&[]).others(&call("Iallreduce", 4, 8));
    assert!(others.iter().any(|other| other.when == "from 65,536 B"), "{others:?}");
}
