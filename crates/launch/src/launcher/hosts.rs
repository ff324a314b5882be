//! Command lines that start one process on each of several hosts, or ranks on hosts in a given order, with the job's launcher.

use std::path::Path;

use super::Launcher;
use crate::job::{self, Env};
use crate::mpi::Vendor;

/// A launcher's options for the placement of processes.
struct Words {
    /// Placement options with an argument. They are replaced.
    places: &'static [&'static str],
    /// Those of them that select hosts.
    hosts: &'static [&'static str],
    /// The option for a list of hosts with one process on each.
    list: &'static str,
    one_each: &'static [&'static str],
    /// Variables that select hosts.
    variables: &'static [&'static str],
    /// The words before the name of a file that lists the host of each rank; the file itself may also be in `order_variable`.
    order: &'static [&'static str],
    order_variable: Option<&'static str>,
}

/// mpirun(1) of Open MPI 4 and 5: a host that is listed once has one slot.
const OPEN_MPI: Words = Words {
    places: &[
        "-H",
        "-host",
        "--host",
        "-hostfile",
        "--hostfile",
        "-machinefile",
        "--machinefile",
        "-npernode",
        "--npernode",
        "-N",
        "-npersocket",
        "--npersocket",
        "-map-by",
        "--map-by",
        "-rank-by",
        "--rank-by",
        "-rf",
        "--rankfile",
        "-rankfile",
    ],
    hosts: &[
        "-H",
        "-host",
        "--host",
        "-hostfile",
        "--hostfile",
        "-machinefile",
        "--machinefile",
        "-rf",
        "--rankfile",
        "-rankfile",
    ],
    list: "--host",
    one_each: &[],
    variables: &["OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"],
    order: &["--mca", "rmaps", "seq", "--hostfile"],
    order_variable: None,
};

/// MPICH's Hydra user guide; Intel MPI uses the same options.
const HYDRA: Words = Words {
    places: &[
        "-hosts",
        "--hosts",
        "-host",
        "-f",
        "-hostfile",
        "-machinefile",
        "--machinefile",
        "-ppn",
        "-perhost",
        "-map-by",
        "-bind-to",
    ],
    hosts: &["-hosts", "--hosts", "-host", "-f", "-hostfile", "-machinefile", "--machinefile"],
    list: "-hosts",
    one_each: &["-ppn", "1"],
    variables: &["HYDRA_HOST_FILE"],
    // Intel MPI counts how often `-f` lists a host, and forgets the order.
    order: &["-machinefile"],
    order_variable: None,
};

/// srun(1). A separate step in the allocation, where the remains of the job's step may still occupy all processors; or in a
/// new allocation. `--overlap` exists since Slurm 20.11.
const SRUN: Words = Words {
    places: &[
        "-w",
        "--nodelist",
        "-N",
        "--nodes",
        "-F",
        "--nodefile",
        "-x",
        "--exclude",
        "--ntasks-per-node",
        "-m",
        "--distribution",
        "-r",
        "--relative",
    ],
    hosts: &["-w", "--nodelist", "-F", "--nodefile"],
    list: "--nodelist",
    one_each: &["--ntasks-per-node", "1", "--overlap"],
    variables: &[],
    order: &["--distribution=arbitrary"],
    order_variable: Some("SLURM_HOSTFILE"),
};

impl Launcher {
    fn host_words(&self) -> Option<&'static Words> {
        match self.vendor {
            Some(Vendor::OpenMpi) => Some(&OPEN_MPI),
            Some(Vendor::Mpich | Vendor::Intel) => Some(&HYDRA),
            None => Path::new(self.words.first()?).file_name().filter(|name| *name == "srun").map(|_| &SRUN),
        }
    }

    /// Whether its processes may run on other hosts: by its options or variables, or inside a batch job.
    pub fn may_leave_host(&self, env: Env) -> bool {
        let given = self.host_words().is_some_and(|words| {
            let in_words = self.words.iter().skip(1).any(|word| words.hosts.iter().any(|known| is_option(word, known)));
            in_words || words.variables.iter().any(|name| env(name).is_some())
        });
        given || !job::batch_jobs(env).is_empty() || self.vendor.is_none()
    }

    /// The words that start one process on each of these hosts; `None` for unsupported launchers.
    pub fn on_hosts(&self, hosts: &[String], extra: &[String]) -> Option<Vec<String>> {
        let words = self.host_words()?;
        let style = self.style();
        let mut command = self.without_places(words)?;
        command.extend_from_slice(extra);
        command.extend([words.list.to_owned(), hosts.join(",")]);
        command.extend(words.one_each.iter().map(|word| (*word).to_owned()));
        command.extend([style.ranks.to_owned(), hosts.len().to_string()]);
        Some(command)
    }

    /// The words, and a variable, that start so many ranks on the hosts that `file` lists, one line for each rank; `None` for unsupported launchers.
    pub fn in_order(&self, file: &Path, ranks: usize) -> Option<InOrder> {
        let words = self.host_words()?;
        let file = file.to_string_lossy().into_owned();
        let mut command = self.without_places(words)?;
        let major = self.version.as_deref().and_then(|text| text.split('.').next()?.parse::<u32>().ok());
        match self.vendor {
            // Since 5, mappers are selected by their policy.
            Some(Vendor::OpenMpi) if major.is_some_and(|major| major >= 5) => {
                command.extend(["--map-by", "seq", "--hostfile"].map(str::to_owned));
            }
            _ => command.extend(words.order.iter().map(|word| (*word).to_owned())),
        }
        let variable = words.order_variable.map(|name| (name, file.clone()));
        if variable.is_none() {
            command.push(file);
        }
        command.extend([self.style().ranks.to_owned(), ranks.to_string()]);
        Some(InOrder { words: command, variable })
    }

    /// Its words without those that place ranks or count them.
    fn without_places(&self, words: &Words) -> Option<Vec<String>> {
        let style = self.style();
        let mut command = vec![self.words.first()?.clone()];
        let mut given = self.words.iter().skip(1);
        while let Some(word) = given.next() {
            if words.places.contains(&word.as_str()) || style.says_ranks(word) == Some(true) {
                given.next();
            } else if !words.places.iter().any(|known| is_option(word, known)) && style.says_ranks(word).is_none() {
                command.push(word.clone());
            }
        }
        Some(command)
    }
}

/// How a job starts with its ranks in a given order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InOrder {
    /// The launcher's command line, without the program.
    pub words: Vec<String>,
    /// A variable that must be set.
    pub variable: Option<(&'static str, String)>,
}

/// `--host`, or `--host=a`.
fn is_option(word: &str, option: &str) -> bool {
    word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell_words;

    fn launcher(vendor: Option<Vendor>, text: &str) -> Launcher {
        Launcher { words: shell_words::split(text).unwrap(), vendor, version: None }
    }

    fn on(vendor: Vendor, text: &str) -> String {
        let hosts = ["n2".to_owned(), "n3".to_owned()];
        shell_words::join(&launcher(Some(vendor), text).on_hosts(&hosts, &["--allow-run-as-root".to_owned()]).unwrap())
    }

    #[test]
    fn what_says_where_is_replaced() {
        let tail = "--allow-run-as-root --host n2,n3 -n 2";
        assert_eq!(on(Vendor::OpenMpi, "mpirun"), format!("mpirun {tail}"));
        assert_eq!(
            on(Vendor::OpenMpi, "mpirun --mca btl tcp,self --hostfile f -H n1:4,n2:4 --map-by=node -np 8 -x A"),
            format!("mpirun --mca btl tcp,self -x A {tail}")
        );
        assert_eq!(
            on(Vendor::Mpich, "mpiexec -launcher ssh -f hosts -ppn 4 -n 8 -genv A 1"),
            "mpiexec -launcher ssh -genv A 1 --allow-run-as-root -hosts n2,n3 -ppn 1 -n 2"
        );
        assert!(launcher(None, "strange").on_hosts(&[], &[]).is_none());
        let srun = launcher(None, "/usr/bin/srun --mpi=pmix -N2 -w n1,n2 --ntasks-per-node=4 -p debug -n 8");
        let there = srun.on_hosts(&["n2".to_owned()], &[]).unwrap();
        assert_eq!(
            shell_words::join(&there),
            "/usr/bin/srun --mpi=pmix -p debug --nodelist n2 --ntasks-per-node 1 --overlap -n 1"
        );
    }

    #[test]
    fn ranks_start_in_the_order_of_a_file() {
        let in_order = |vendor, version: &str, text: &str| {
            let version = Some(version.to_owned());
            let found = Launcher { version, ..launcher(vendor, text) }.in_order(Path::new("/d/hosts"), 4).unwrap();
            (shell_words::join(&found.words), found.variable)
        };
        let open_mpi = |version, text| in_order(Some(Vendor::OpenMpi), version, text).0;
        assert_eq!(
            open_mpi("4.1.4", "mpirun --host a:2,b:2 --mca btl tcp,self -n 4 --oversubscribe"),
            "mpirun --mca btl tcp,self --oversubscribe --mca rmaps seq --hostfile /d/hosts -n 4"
        );
        assert_eq!(open_mpi("5.0.8", "mpirun --map-by node -np 4"), "mpirun --map-by seq --hostfile /d/hosts -n 4");
        assert_eq!(
            in_order(Some(Vendor::Mpich), "4.0", "mpiexec -hosts a,b -ppn 2 -n 4").0,
            "mpiexec -machinefile /d/hosts -n 4"
        );
        let srun = in_order(None, "", "srun -N 2 --mpi=pmix");
        assert_eq!(srun.0, "srun --mpi=pmix --distribution=arbitrary -n 4");
        assert_eq!(srun.1, Some(("SLURM_HOSTFILE", "/d/hosts".to_owned())));
        assert!(launcher(None, "strange").in_order(Path::new("f"), 2).is_none());
    }

    #[test]
    fn whether_a_job_may_be_on_several_hosts() {
        let none = |_: &str| None;
        let leaves = |vendor, text: &str| launcher(Some(vendor), text).may_leave_host(&none);
        assert!(!leaves(Vendor::OpenMpi, "mpirun -np 4 --map-by core"));
        assert!(leaves(Vendor::OpenMpi, "mpirun --host=n2"));
        assert!(leaves(Vendor::Mpich, "mpiexec -f hosts"));
        assert!(!leaves(Vendor::Mpich, "mpiexec -ppn 2"));
        assert!(launcher(None, "srun").may_leave_host(&none));
        let batch = |name: &str| (name == "SLURM_JOB_ID").then(|| "1".to_owned());
        assert!(launcher(Some(Vendor::Mpich), "mpiexec").may_leave_host(&batch));
    }
}
