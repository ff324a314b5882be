//! Planted mistakes are found, and what people usually set is not reported.

use std::collections::BTreeMap;

use mpiscope_tune::{Certainty, Family, Finding, Input, Listed, Setting, Source, Target, Version, Words, examine};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    mistake: Vec<Mistake>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    mpi: String,
    rule: String,
    #[serde(default)]
    set: BTreeMap<String, String>,
    launcher: Option<String>,
    meant: Option<String>,
}

fn input(mpi: &str, set: &[(&str, &str)], launcher: Option<&str>) -> Input {
    let (name, version) = mpi.split_once(' ').unwrap();
    let family = Family::by_word(name).unwrap();
    let words: Option<Vec<String>> = launcher.map(|line| line.split(' ').map(Into::into).collect());
    let words = words.map(|words| Words::read(&words, family == Family::OpenMpi));
    let mut settings: Vec<Setting> = set
        .iter()
        .map(|(name, value)| Setting {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            source: Source::Environment,
        })
        .collect();
    settings.extend(words.iter().flat_map(|words| words.settings.clone()));
    Input {
        target: Some(Target {
            family,
            version: Version::parse(version),
            title: format!("{} {version}", family.title()),
            device: (family == Family::Mpich).then(|| "ch4:ucx".to_owned()),
        }),
        settings,
        leaves_host: launcher.is_some_and(|line| line.contains("-host")),
        words,
        ..Input::default()
    }
}

fn findings(mpi: &str, set: &[(&str, &str)], launcher: Option<&str>) -> Vec<Finding> {
    examine(&input(mpi, set, launcher)).findings
}

#[test]
fn planted_mistakes_are_found() {
    let file: File = toml::from_str(include_str!("mistakes.toml")).unwrap();
    assert!(file.mistake.len() >= 60);
    let mut missed = Vec::new();
    for mistake in &file.mistake {
        let set: Vec<(&str, &str)> = mistake.set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let found = findings(&mistake.mpi, &set, mistake.launcher.as_deref());
        let is_meant = |finding: &Finding| {
            let text = format!("{} {}", finding.text, finding.advice.as_deref().unwrap_or_default());
            finding.rule.id() == mistake.rule && mistake.meant.as_ref().is_none_or(|meant| text.contains(meant))
        };
        if !found.iter().any(is_meant) {
            missed.push(format!("{} {} {set:?}: {found:#?}", mistake.mpi, mistake.rule));
        }
    }
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), file.mistake.len(), missed.join("\n"));
}

#[test]
fn usual_environments_are_silent() {
    let usual = [
        ("PATH", "/usr/bin"),
        ("HOME", "/home/u"),
        ("LD_LIBRARY_PATH", "/opt/mpi/lib"),
        ("MPI_HOME", "/opt/mpi"),
        ("MPI_ROOT", "/opt/mpi"),
        ("MPICC", "mpicc"),
        ("OMPI_CC", "clang"),
        ("MPICH_CC", "clang"),
        ("I_MPI_ROOT", "/opt/intel"),
        ("OMP_NUM_THREADS", "4,2"),
        ("OMP_PLACES", "cores"),
        ("OMP_PROC_BIND", "close"),
        ("SLURM_JOB_ID", "1"),
        ("SLURM_NTASKS", "16"),
        ("SLURM_MPI_TYPE", "pmix"),
        ("FI_PROVIDER", "tcp"),
        ("NCCL_DEBUG", "INFO"),
        ("NCCL_NEW_FEATURE", "1"),
        ("HYDRA_FULL_ERROR", "1"),
        ("MALLOC_ARENA_MAX", "2"),
        ("PMIX_INSTALL_PREFIX", "/opt/pmix"),
        ("CRAY_MPICH_DIR", "/opt/cray"),
        ("MPISCOPE_BUFFER", "1M"),
        ("MPLCONFIGDIR", "/tmp"),
        ("FILES", "x"),
        ("mpi_rank", "3"),
    ];
    for mpi in ["openmpi 4.1.4", "openmpi 5.0.8", "mpich 4.0.2", "mpich 5.0.2", "intel 2021.18.1", "cray-mpich 8.1"] {
        let found = findings(mpi, &usual, None);
        assert!(found.is_empty(), "{mpi}: {found:#?}");
    }
}

/// Valid settings of each MPI, in several ways to write them.
#[test]
fn valid_settings_are_silent() {
    let open = [
        ("OMPI_MCA_btl", "self,vader,tcp"),
        ("OMPI_MCA_pml", "^cm"),
        ("OMPI_MCA_btl_tcp_if_include", "10.0.0.0/8"),
        ("OMPI_MCA_btl_tcp_eager_limit", "32k"),
        ("OMPI_MCA_coll_tuned_use_dynamic_rules", "true"),
        ("OMPI_MCA_coll_tuned_bcast_algorithm", "binomial"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_mpi_leave_pinned", "auto"),
        ("OMPI_MCA_mpi_leave_pinned_pipeline", "0"),
        ("OMPI_MCA_btl_base_verbose", "30"),
        ("UCX_TLS", "^tcp"),
        ("UCX_RNDV_THRESH", "inf"),
        ("UCX_IB_TX_QUEUE_LEN", "512"),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ];
    let found = findings("openmpi 4.1.4", &open, Some("mpirun --mca btl_tcp_links 2 -n 4"));
    assert!(found.is_empty(), "{found:#?}");
    let mpich = [
        ("MPIR_CVAR_ASYNC_PROGRESS", "yes"),
        ("MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "dissemination"),
        ("MPICH_ALLREDUCE_INTRA_ALGORITHM", "recursive_doubling"),
        ("MPIR_PARAM_BCAST_SHORT_MSG_SIZE", "4096"),
        ("MPIR_CVAR_CH4_UCX_MAX_VNIS", "1"),
        ("HYDRA_LAUNCHER", "slurm"),
        ("MPIEXEC_TIMEOUT", "60"),
    ];
    let found = findings("mpich 4.0.2", &mpich, None);
    assert!(found.iter().all(|finding| finding.name == "MPIR_CVAR_CH4_UCX_MAX_VNIS"), "{found:#?}");
    let intel = [
        ("I_MPI_PIN_DOMAIN", "omp"),
        ("I_MPI_ADJUST_ALLREDUCE", "1:0-1024;2:1025-4096"),
        ("I_MPI_DEBUG", "4"),
        ("I_MPI_PIN", "yes"),
    ];
    let found = findings("intel 2021.18.1", &intel, None);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_strongest_source_wins() {
    let mut input = input("openmpi 4.1.4", &[("OMPI_MCA_btl", "self,tcp")], Some("mpirun --mca btl self,vader"));
    input.settings.push(Setting {
        name: "btl".into(),
        value: "^tcp".into(),
        source: Source::UserFile { path: "p".into(), line: 1 },
    });
    let report = examine(&input);
    let in_force: Vec<&str> =
        report.settings.iter().filter(|set| set.is_in_force).map(|set| set.value.as_str()).collect();
    assert_eq!(in_force, ["self,vader"]);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert!(report.settings[0].why_not.as_ref().unwrap().contains("--mca"));
}

#[test]
fn values_of_any_length_and_bytes_are_shown_shortened() {
    let long = "x".repeat(1 << 20);
    let set = [("OMPI_MCA_btl_tcp_eager_limit", long.as_str()), ("OMPI_MCA_pml", "a\u{1b}[0m\nb")];
    let report = examine(&input("openmpi 4.1.4", &set, None));
    for text in report.findings.iter().map(|finding| &finding.text).chain(report.settings.iter().map(|set| &set.value))
    {
        assert!(text.len() < 400 && !text.contains(char::is_control), "{text}");
    }
    let many = vec!["tcp"; 100_000].join(",");
    assert!(!examine(&input("openmpi 4.1.4", &[("OMPI_MCA_btl", &many)], None)).findings.is_empty());
}

/// Variables for another MPI are set by login scripts; commands that start programs do not report them.
#[test]
fn other_mpis_are_not_worth_a_line() {
    let report = examine(&input("mpich 4.0.2", &[("OMPI_MCA_btl", "tcp,self"), ("PRTE_MCA_mapby", "core")], None));
    assert!(report.has_certain() && report.worth_a_line().is_empty());
    let report = examine(&input("mpich 4.0.2", &[("MPIR_CVAR_ASYNC_PROGRESS", "maybe")], None));
    assert_eq!(report.worth_a_line().len(), 1);
}

/// A default of the table may be another one in this version; one of the library is not.
#[test]
fn comparisons_with_defaults_need_the_library() {
    let set = [("MPIR_CVAR_BCAST_SHORT_MSG_SIZE", "1000000")];
    let mut input = input("mpich 4.0.2", &set, None);
    let certain = |input: &Input| examine(input).has_certain();
    assert!(!certain(&input));
    let listed = |bytes: &str| Listed {
        variables: [("MPIR_CVAR_BCAST_LONG_MSG_SIZE".to_owned(), Some(bytes.to_owned()))].into(),
    };
    input.library = Some(listed("524288"));
    assert!(certain(&input));
    input.library = Some(listed("2000000"));
    assert!(examine(&input).findings.is_empty());
}

#[test]
fn cells_that_are_larger_than_the_buffers_abort_in_init() {
    let cell = ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "32768");
    let buffer = |bytes| ("MPIR_CVAR_CH4_PACK_BUFFER_SIZE", bytes);
    let has_certain = |set: &[_]| examine(&input("mpich 5.0.2", set, None)).has_certain();
    assert!(has_certain(&[cell, buffer("16384")]) && !has_certain(&[cell, buffer("32768")]));
}

#[test]
fn what_the_library_has_is_not_unknown() {
    let set = [("OMPI_MCA_btl_tcp_new_option", "1")];
    let mut input = input("openmpi 4.1.4", &set, None);
    assert!(examine(&input).has_certain());
    input.library = Some(Listed { variables: [("btl_tcp_new_option".to_owned(), None)].into() });
    assert!(examine(&input).findings.is_empty());
}

/// One environment for both versions of Open MPI and for MPICH, as the tests of this project have it.
#[test]
fn settings_for_several_versions_are_not_worth_a_line() {
    let set = [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
        ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
        ("PRTE_MCA_hwloc_default_binding_policy", "none"),
    ];
    for mpi in ["openmpi 4.1.4", "openmpi 5.0.11", "mpich 4.0.2", "mpich 5.0.2", "intel 2021.18.1"] {
        let report = examine(&input(mpi, &set, None));
        assert!(report.worth_a_line().is_empty(), "{mpi}: {:#?}", report.worth_a_line());
    }
    let report = examine(&input("openmpi 5.0.11", &set[..5], None));
    assert_eq!(report.worth_a_line().len(), 2, "{:#?}", report.worth_a_line());
}

#[test]
fn the_list_of_ucx_decides_about_its_variables() {
    let mut input = input("mpich 4.0.2", &[("UCX_TLZ", "tcp"), ("UCX_NEWER_THING", "1")], None);
    let names = |input: &Input| examine(input).findings.into_iter().map(|found| found.name).collect::<Vec<_>>();
    assert_eq!(names(&input), ["UCX_TLZ"]);
    input.below = [(Family::Ucx, ["UCX_TLS".to_owned()].into())].into();
    assert_eq!(names(&input), ["UCX_TLZ", "UCX_NEWER_THING"]);
    input.below = [(Family::Ucx, ["UCX_TLZ".to_owned(), "UCX_NEWER_THING".to_owned()].into())].into();
    assert!(names(&input).is_empty());
}

/// Builds have different components: what packages lack may be in another build of the same version.
#[test]
fn parameters_of_components_of_other_builds_are_silent() {
    let set = [("OMPI_MCA_mtl_psm2_connect_timeout", "180")];
    let found = findings("openmpi 5.0.8", &set, None);
    assert!(found.is_empty(), "{found:#?}");
    let set = [("OMPI_MCA_btl_usnic_links", "1"), ("OMPI_MCA_mtl_psm2_path_query", "1")];
    let found = findings("openmpi 5.0.8", &set, None);
    assert!(found.iter().all(|finding| finding.certainty == Certainty::Possible), "{found:#?}");
}
