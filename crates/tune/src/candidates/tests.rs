use super::*;
use crate::Version;

fn facts(family: Family, version: &str, device: Option<&str>, launcher: &str) -> Facts {
    Facts {
        target: Some(Target {
            family,
            version: Version::parse(version),
            title: String::new(),
            device: device.map(Into::into),
        }),
        launcher: launcher.split(' ').map(Into::into).collect(),
        ranks: 4,
        ranks_per_host: 4,
        cores: 8,
        hosts: 1,
        calls: [("MPI_Allreduce".to_owned(), 0.3), ("MPI_Waitall".to_owned(), 0.2), ("MPI_Bcast".to_owned(), 0.001)]
            .into(),
        messages: vec![(1024, 100), (16384, 1000)],
        ..Facts::default()
    }
}

fn open_mpi() -> Facts {
    facts(Family::OpenMpi, "4.1.4", None, "/usr/bin/mpirun.openmpi")
}

fn mpich() -> Facts {
    facts(Family::Mpich, "4.0.2", Some("ch4:ucx"), "mpirun.mpich")
}

fn titles(facts: &Facts) -> Vec<String> {
    candidates(facts).candidates.into_iter().map(|candidate| candidate.title).collect()
}

fn environment(name: &str, value: &str) -> Setting {
    Setting { name: name.into(), value: value.into(), source: Source::Environment }
}

#[test]
fn one_subject_leads_to_each_mpi_s_name() {
    let own = titles(&open_mpi());
    for expected in [
        "OMPI_MCA_btl_vader_eager_limit=32768",
        "OMPI_MCA_coll_tuned_allreduce_algorithm=4 (ring)",
        "--bind-to none",
        "--bind-to core",
    ] {
        assert!(own.iter().any(|title| title == expected), "{expected}: {own:?}");
    }
    assert!(!own.iter().any(|title| title.contains("bcast")), "too small a share: {own:?}");
    let other = titles(&mpich());
    for expected in [
        "UCX_RNDV_THRESH=32768",
        "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring (ring)",
        "-bind-to none",
        "MPIR_CVAR_ASYNC_PROGRESS=1",
    ] {
        assert!(other.iter().any(|title| title == expected), "{expected}: {other:?}");
    }
}

/// Within a host, MPICH over several networks uses its own shared memory, and UCX's limit has no effect.
#[test]
fn the_eager_limit_is_that_of_the_device() {
    let limit = |version: &str, device: &str, hosts: u64| {
        let facts = Facts { hosts, ..facts(Family::Mpich, version, Some(device), "mpirun") };
        let found = candidates(&facts).candidates.into_iter().find(|of| of.subject == "eager-limit");
        found.map(|of| of.title.split('=').next().unwrap_or_default().to_owned())
    };
    let cma = Some("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD");
    assert_eq!(limit("5.0.2", "ch4:ucx ofi", 1).as_deref(), cma);
    assert_eq!(limit("5.0.2", "ch4:ofi", 1).as_deref(), cma);
    assert_eq!(limit("5.0.2", "ch4:ucx ofi", 2).as_deref(), Some("UCX_RNDV_THRESH"));
    assert_eq!(limit("4.0.2", "ch4:ucx", 1).as_deref(), Some("UCX_RNDV_THRESH"));
    assert_eq!(limit("4.0.2", "ch4:ofi", 1), None);
    assert_eq!(limit("3.4.3", "ch3:nemesis", 1).as_deref(), Some("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE"));
}

#[test]
fn algorithms_of_open_mpi_come_with_the_switch_that_makes_them_count() {
    let found = candidates(&open_mpi()).candidates;
    let ring = found.iter().find(|candidate| candidate.title.contains("(ring)")).unwrap();
    assert_eq!(ring.changes.len(), 2);
    assert_eq!(ring.question.as_deref(), Some("MPI_Allreduce=ring"));
    // MPICH's have no effect within a host unless its shared memory is left out.
    let found = candidates(&mpich()).candidates;
    let ring = found.iter().find(|candidate| candidate.title.contains("(ring)")).unwrap();
    let mpir = Change::Set { variable: "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM".into(), value: "mpir".into() };
    assert_eq!(ring.changes[1..], [mpir]);
}

#[test]
fn what_is_set_is_also_tried_without() {
    let mut facts = open_mpi();
    facts.settings = vec![
        environment("OMPI_MCA_btl_vader_eager_limit", "256"),
        environment("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
        environment("OMPI_MCA_coll_tuned_allreduce_algorithm", "4"),
        environment("UCX_RNDV_THRESH_TYPO", "1"),
        environment("PATH", "/bin"),
        environment("OMPI_MCA_btl_base_verbose", "100"),
        environment("MPIR_CVAR_ASYNC_PROGRESS", "1"),
        Setting {
            name: "mpi_yield_when_idle".into(),
            value: "1".into(),
            source: Source::Launcher { option: "--mca".into() },
        },
    ];
    let all = titles(&facts);
    let without: Vec<&str> = all.iter().map(String::as_str).filter(|title| title.starts_with("without")).collect();
    assert_eq!(
        without,
        [
            "without OMPI_MCA_btl_vader_eager_limit",
            "without OMPI_MCA_coll_tuned_allreduce_algorithm",
            "without --mca mpi_yield_when_idle",
            "without these 2 variables: OMPI_MCA_btl_vader_eager_limit, OMPI_MCA_coll_tuned_allreduce_algorithm",
        ]
    );
    assert!(!all.iter().any(|title| title.contains("algorithm=4")), "it is in force: {all:?}");
    assert!(all.iter().any(|title| title.contains("eager_limit=2048")), "above what is set: {all:?}");
}

#[test]
fn more_ranks_than_cores_yield_and_are_not_bound() {
    let crowd = |facts: Facts| Facts { cores: 2, yield_library: Some("/l/libmpiscope_yield.so".into()), ..facts };
    let own = titles(&crowd(open_mpi()));
    assert!(own.contains(&"OMPI_MCA_mpi_yield_when_idle=1".to_owned()), "{own:?}");
    assert!(!own.contains(&"--bind-to core".to_owned()));
    assert!(titles(&crowd(mpich())).contains(&"LD_PRELOAD=libmpiscope_yield.so".to_owned()));
    let found = candidates(&crowd(mpich()));
    assert!(found.untried.iter().any(|left| left.why == "no core is free for it"), "{:?}", found.untried);
}

#[test]
fn reasons_are_given_for_what_is_not_tried() {
    let found = candidates(&Facts { launcher: vec!["srun".into()], ranks: 1, cores: 1, ..Facts::default() });
    assert_eq!(found.candidates, []);
    for what in ["eager limit", "binding", "yielding", "progress thread", "malloc and huge pages", "order of the ranks"]
    {
        assert!(found.untried.iter().any(|left| left.what == what), "{what}: {:?}", found.untried);
    }
}

#[test]
fn predictions_decide_the_order() {
    let mut found = candidates(&open_mpi()).candidates;
    let last = found.len() - 1;
    found[last].predicted = Some(0.9);
    let title = found[last].title.clone();
    order(&mut found);
    assert_eq!(found[0].title, title);
}

fn of_subject(facts: &Facts, subject: &str) -> Vec<String> {
    let found = candidates(facts).candidates;
    found.into_iter().filter(|candidate| candidate.subject == subject).map(|candidate| candidate.title).collect()
}

#[test]
fn files_lead_to_hints_of_romio_and_parameters_of_ompio() {
    let io = |mut facts: Facts| {
        facts.calls.insert("MPI_File_write_all".into(), 0.2);
        Facts { hints_directory: Some("/d/hints".into()), ..facts }
    };
    let hints = of_subject(&io(mpich()), "hints");
    assert_eq!(hints.len(), hint_files().count());
    assert_eq!(hints[0], "ROMIO_HINTS=/d/hints/collective");
    let found = of_subject(&io(open_mpi()), "io_ompio_num_aggregators");
    assert_eq!(found, ["OMPI_MCA_io_ompio_num_aggregators=1", "OMPI_MCA_io_ompio_num_aggregators=4"]);
    assert_eq!(of_subject(&io(open_mpi()), "io"), ["OMPI_MCA_io=^ompio (ROMIO)"]);
    assert!(candidates(&mpich()).untried.iter().any(|left| left.what == "access to files"));
    assert!(hint_files().all(|(_, text)| text.lines().all(|line| line.split(' ').count() == 2)));
}

#[test]
fn an_order_of_the_ranks_is_tried_where_it_saves_traffic() {
    let order = RankOrder {
        what: "blocks".into(),
        saved: 0.4,
        hosts_file: "/d/hosts".into(),
        machines_file: "/d/machines".into(),
    };
    let several = |facts: Facts| Facts { hosts: 2, ranks_per_host: 2, rank_order: Some(order.clone()), ..facts };
    let changes = |facts: &Facts| {
        let found = candidates(facts).candidates;
        found.into_iter().find(|candidate| candidate.subject == "rank-order").map(|candidate| candidate.changes)
    };
    let hydra = Start::new(&mpich().launcher, Some(Family::Mpich), &changes(&several(mpich())).unwrap());
    assert_eq!(hydra.words, ["mpirun.mpich", "-f", "/d/machines"]);
    let own = Start::new(&open_mpi().launcher, Some(Family::OpenMpi), &changes(&several(open_mpi())).unwrap());
    assert_eq!(own.as_options()[1..], ["--hostfile", "/d/hosts", "--mca", "rmaps", "seq"]);
    let five = facts(Family::OpenMpi, "5.0.8", None, "mpirun");
    let five = Start::new(&five.launcher, Some(Family::OpenMpi), &changes(&several(five.clone())).unwrap());
    assert_eq!(five.words[1..], ["--map-by", "seq", "--hostfile", "/d/hosts"]);
    let little = Facts { rank_order: Some(RankOrder { saved: 0.01, ..order.clone() }), ..several(mpich()) };
    assert_eq!(changes(&little), None);
    assert_eq!(changes(&mpich()), None);
}

#[test]
fn interfaces_are_tried_between_hosts() {
    let several = |facts: Facts| Facts { hosts: 2, interfaces: vec!["eth0".into(), "ib0".into()], ..facts };
    assert_eq!(of_subject(&several(mpich()), "interfaces"), ["UCX_NET_DEVICES=eth0", "UCX_NET_DEVICES=ib0"]);
    let own = of_subject(&several(open_mpi()), "interfaces");
    assert_eq!(own, ["OMPI_MCA_btl_tcp_if_include=eth0", "OMPI_MCA_btl_tcp_if_include=ib0"]);
    assert_eq!(of_subject(&Facts { hosts: 1, ..several(mpich()) }, "interfaces"), [""; 0]);
    assert_eq!(of_subject(&Facts { interfaces: vec!["eth0".into()], ..several(mpich()) }, "interfaces"), [""; 0]);
}

#[test]
fn sends_that_take_long_get_more_buffers() {
    let sending = |mut facts: Facts| {
        facts.calls.insert("MPI_Send".into(), 0.2);
        facts
    };
    assert_eq!(of_subject(&sending(open_mpi()), "queues"), ["OMPI_MCA_btl_vader_free_list_max=2048"]);
    assert_eq!(of_subject(&sending(mpich()), "queues"), ["MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS=256"]);
    assert_eq!(of_subject(&mpich(), "queues"), [""; 0]);
    let found = candidates(&mpich()).untried;
    let reason = found.iter().find(|left| left.what == "buffers for early messages").map(|left| left.why.as_str());
    assert_eq!(reason, Some("sends take only 0.0 % of the ranks' time"));
}

#[test]
fn functions_with_large_counts_are_the_same_functions() {
    let found = shares([("MPI_Send", 1), ("MPI_Send_c", 2), ("MPI_Recv_c", 1)].into_iter(), 10);
    assert_eq!(found, [("MPI_Recv".to_owned(), 0.1), ("MPI_Send".to_owned(), 0.1 + 0.2)].into());
}
