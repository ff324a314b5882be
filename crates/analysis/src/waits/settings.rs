//! Settings of the MPI in use: which one helps, and which value it needs.
//!
//! Only what an experiment has confirmed is advised: `tests/planted/eager_limit.c` has each advice as a pair of runs.

use mpiscope_abi::role::{Mode, Role};
use mpiscope_store::{CallInfo, Dimensions};
use mpiscope_units::count;

use crate::explanation::{Finding, Value};

/// Larger messages take so long to copy that sending them eagerly gains nothing.
const MOST_BYTES: u64 = 4 << 20;
/// The most that protocols add to a message.
const HEADER_BYTES: u64 = 256;
const KIB: u64 = 1024;

/// Replaces the advice about late receivers by advice for this MPI.
pub(super) fn advise(finding: &mut Finding, facts: &[Vec<CallInfo>], dimensions: &Dimensions) {
    if let Some(text) = late_receiver(finding, facts, dimensions) {
        finding.advice = text;
    }
}

/// Open MPI holds a send between ranks on one host until its receiver is inside MPI if the message is larger than this.
const HELD_ABOVE_BYTES: u64 = 256;

/// Above which size this MPI holds eager sends between ranks on one host; `None`: it does not.
pub fn held_above_bytes(dimensions: &Dimensions) -> Option<u64> {
    (dimensions.mpi_family == "open-mpi").then_some(HELD_ABOVE_BYTES)
}

fn late_receiver(finding: &Finding, facts: &[Vec<CallInfo>], dimensions: &Dimensions) -> Option<String> {
    if let Some(most) = held_above_bytes(dimensions).filter(|_| dimensions.is_one_host()) {
        return Some(format!(
            "Post the receive before the computation (MPI_Irecv), or send with MPI_Isend from a second buffer and complete it a \
             step later. A higher eager limit does not help: between ranks on one host, Open MPI holds a blocking send of \
             more than {most} bytes until the receiver is in MPI."
        ));
    }
    let bytes = largest(finding, facts, dimensions).filter(|&bytes| bytes <= MOST_BYTES)?;
    let limit = (bytes + HEADER_BYTES).next_multiple_of(KIB);
    let is_ucx = dimensions.mpi_family == "mpich" && dimensions.mpi_device.contains("ucx");
    is_ucx.then(|| {
        format!(
            "Post the receive before the computation (MPI_Irecv); or set UCX_RNDV_THRESH={limit} in the environment: these \
             messages have up to {} bytes, and MPICH over UCX then sends them eagerly, without waiting for the receiver.",
            count(bytes)
        )
    })
}

/// Bytes of the largest message whose send waited.
fn largest(finding: &Finding, facts: &[Vec<CallInfo>], dimensions: &Dimensions) -> Option<u64> {
    let late_sites = finding.evidence.get("late_sites");
    let receives: Vec<&str> = match late_sites {
        Some(Value::List(sites)) => sites.iter().filter_map(text).collect(),
        _ => Vec::new(),
    };
    let sends = |f: &&CallInfo| {
        let may_wait = matches!(f.role, Role::Send(Mode::Standard) | Role::SendReceive);
        may_wait && finding.sites.iter().any(|site| site == dimensions.site(f.site))
    };
    let receives = |f: &&CallInfo| f.role == Role::Receive && receives.contains(&dimensions.site(f.site));
    let all = || facts.iter().flatten();
    let sent = all().filter(sends).map(|f| f.bytes_sent).max();
    let bytes = sent.or_else(|| all().filter(receives).map(|f| f.bytes_received).max());
    bytes.filter(|&bytes| bytes > 0)
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_ingest::testing::ingested;

    use crate::Explainer;

    fn advice(family: &'static str, device: &str) -> String {
        let mut text = String::new();
        for turn in 0..20 {
            let at = turn * 1000;
            text += &format!("0 {at} {} Send to=1 tag=1 bytes=100000 site=1\n", at + 600);
            text += &format!("1 {} {} Recv from=0 tag=1 bytes=100000 site=2\n", at + 500, at + 600);
        }
        let mut run = ingested(&text);
        (run.dimensions.mpi_family, run.dimensions.mpi_device) = (family, device.to_owned());
        let mut explainer = Explainer::new(&run.dimensions);
        run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
        let explained = explainer.finish(&run.dimensions, &run.facts);
        explained.findings.iter().find(|f| f.id == "late_receiver").expect("late receives").advice.clone()
    }

    #[test]
    fn the_variable_of_this_mpi_and_its_value() {
        assert!(advice("mpich", "ch4:ucx").contains("UCX_RNDV_THRESH=100352 "));
        let ofi = advice("mpich", "ch4:ofi");
        assert!(!ofi.contains("UCX") && !ofi.contains("eager"), "{ofi}");
        assert!(advice("open-mpi", "").contains("eager limit does not help"));
    }
}
