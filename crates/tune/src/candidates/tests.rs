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

#[test]
fn algorithms_of_open_mpi_come_with_the_switch_that_makes_them_count() {
    let found = candidates(&open_mpi()).candidates;
    let ring = found.iter().find(|candidate| candidate.title.contains("(ring)")).unwrap();
    assert_eq!(ring.changes.len(), 2);
    assert_eq!(ring.question.as_deref(), Some("MPI_Allreduce=ring"));
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
