//! Everything that a report says.

use mpiscope_analysis::Explanation;
use mpiscope_run::Summary;
use serde::Serialize;

/// What `mpiscope report --json` prints (schemas/report.schema.json).
#[derive(Serialize)]
pub struct Report {
    /// What is counted.
    #[serde(flatten)]
    pub summary: Summary,
    /// Why it took the time it took; `None` when events were not read.
    pub explanation: Option<Explanation>,
}
