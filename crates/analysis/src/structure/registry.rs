//! What a rule of this part is, and the list of them.

use mpiscope_store::{CallInfo, Dimensions};

use super::chain::Chains;
use super::graph::Graph;
use super::iterations::Loop;
use super::master::Causes;
use super::sequence::Sequence;
use super::tokens::Tables;
use super::{chain, idle, master, outliers, placement};
use crate::explanation::{Explanation, Rule, Scope};

/// What all rules use at the end of the run.
pub(super) struct Context<'a> {
    pub sequences: &'a [Sequence],
    pub tables: &'a Tables,
    pub dimensions: &'a Dimensions,
    pub facts: &'a [Vec<CallInfo>],
    /// The main loop.
    pub main: Option<&'a Loop>,
    pub graph: &'a Graph,
    pub causes: &'a Causes,
    pub chains: &'a Chains,
    pub scope: &'a Scope,
}

/// One file of rules. They read what the analysis has collected, and report findings at the end of the run.
pub(super) struct StructureRules {
    /// Their texts and relations.
    pub rules: &'static [Rule],
    /// Reports what costs enough.
    pub find: fn(&Context<'_>, &mut Explanation),
}

/// The order is that of the catalogue.
static ALL: &[StructureRules] = &[outliers::RULES, idle::RULES, master::RULES, chain::RULES, placement::RULES];

/// The texts of all rules of this part.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    ALL.iter().flat_map(|one| one.rules)
}

/// Reports the findings of all rules.
pub(super) fn find(context: &Context<'_>, explanation: &mut Explanation) {
    ALL.iter().for_each(|one| (one.find)(context, explanation));
}
