//! What a rule is: its texts, and how its findings relate to those of other rules.

/// A rule of the explanation. `mpiscope report --findings ID` and `docs/explanation/rules.md` show its texts.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Id of its findings.
    pub id: &'static str,
    /// What it looks for, in one sentence.
    pub what: &'static str,
    /// The formula and its source.
    pub formula: &'static str,
    /// The threshold below which it reports nothing.
    pub threshold: &'static str,
    /// When it may be wrong, and how to check.
    pub doubt: &'static str,
    /// The change of the run whose replay gives the saving, or why no change is replayed.
    pub saving: &'static str,
    /// How its findings relate to others.
    pub relations: Relations,
}

/// How findings of a rule relate to findings of other rules. Analyses decide by these, and never by the id of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relations {
    /// What the finding is about: this decides what comes first in a report.
    pub subject: Subject,
    /// Its cost is time inside calls that is not waiting: no other rule has to explain this time.
    pub explains_time_in_calls: bool,
    /// What ranks without a core show is the same.
    pub without_core: Option<WithoutCore>,
    /// Why ranks are late, if the finding says so: waits for these ranks are its symptoms.
    pub why_late: Option<WhyLate>,
    /// The messages that it is about take longer while the MPI searches its queues.
    pub grows_with_queues: bool,
    /// Without a saving in the replay it is wrong, because other ranks would be late in the same way.
    pub needs_saving: bool,
    /// Without ranks that waited for a core it is wrong: there is another reason.
    pub needs_lost_cores: bool,
}

impl Relations {
    /// Related to nothing.
    pub const NONE: Relations = Relations {
        subject: Subject::Program,
        explains_time_in_calls: false,
        without_core: None,
        why_late: None,
        grows_with_queues: false,
        needs_saving: false,
        needs_lost_cores: false,
    };
    /// The only relation of most rules about time inside calls.
    pub const IN_CALLS: Relations = Relations { explains_time_in_calls: true, ..Relations::NONE };
    /// The only relation of most rules about late ranks.
    pub const LATE: Relations = Relations { without_core: Some(WithoutCore::Late), ..Relations::NONE };

    /// Whether the finding is about one moment of the run.
    pub fn is_about_a_moment(&self) -> bool {
        self.why_late == Some(WhyLate::Moment)
    }

    /// Whether the finding is about the order of ranks that wait one after another.
    pub fn is_about_a_chain(&self) -> bool {
        self.why_late == Some(WhyLate::Chain)
    }
}

/// What a finding is about, the most urgent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// What stopped the program.
    Stop,
    /// What the machine did to the ranks.
    Machine,
    /// What the program does.
    #[default]
    Program,
}

/// What a rank without a core shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutCore {
    /// It is late.
    Late,
    /// It cannot return from a call that is complete.
    Completion,
}

/// Why ranks are late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyLate {
    /// They compute longer.
    Computing,
    /// All others need them.
    Master,
    /// They send more.
    Sending,
    /// The MPI searches queues for their messages.
    Queues,
    /// They wait for others that wait.
    Chain,
    /// Something happened once.
    Moment,
    /// They make many calls where one would do.
    Repeated,
    /// They do nothing, and the others have their work.
    Idle,
}
