//! From a run to a model of it, and its answers.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use mpiscope_ingest::{Ingest, Tables};
use mpiscope_machine::{MachineError, Profile, Scope};
use mpiscope_model::simulation::{Curve, Kind, Link, Network, Section};
use mpiscope_predict::{
    Answer, ApplyError, Change, Fit, Model, Recorded, Reproduction, Translator, candidates, closest, order, suggested,
};
use mpiscope_run::{Diagnostic, PeerClass, Resolver, Run};

use crate::batches::each_batch;
use crate::explanation::explain;
use crate::incomplete::Incomplete;
use crate::placement::{Costs, Target, look_up};
use crate::{QueryError, Watch, go_on};

/// What is known of a run and of changes of it.
pub struct Prediction {
    /// How well the model replays the run.
    pub reproduction: Reproduction,
    /// What of the job the run does not have, each in a sentence without a full stop.
    pub caveats: Vec<String>,
    /// Calls of the run that were replayed.
    pub calls: u64,
    /// Where the network comes from.
    pub network: &'static str,
    /// Answers, in the order of the questions; without questions, those of all that may help, the best first.
    pub answers: Vec<Result<Answer, ApplyError>>,
    /// Without questions: what was tried and is not possible in this run.
    pub refused: Vec<ApplyError>,
    /// The questions, with what the names of placements mean.
    pub questions: Vec<Vec<Change>>,
    /// What could not be read of the run.
    pub problems: Vec<Diagnostic>,
    /// What the answers rest on.
    pub basis: Basis,
}

/// What was learnt of a run: enough to simulate it again.
pub struct Basis {
    pub(crate) tables: Arc<Tables>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) recorded: Recorded,
    pub(crate) network: Network,
}

impl Basis {
    pub(crate) fn run(&self) -> mpiscope_predict::Run<'_> {
        let Basis { tables, kinds, recorded, .. } = self;
        mpiscope_predict::Run { dimensions: &tables.dimensions, facts: &tables.facts, kinds, recorded }
    }
}

/// Replays `run` as it was and under each of the changes; without changes, under all that may help. With a machine profile in `target`,
/// communication costs what was measured there.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn predict(
    run: &Run,
    resolver: &Resolver,
    asked: &[Vec<Change>],
    target: Target<'_>,
    watch: &mut Watch<'_>,
) -> Result<Prediction, QueryError> {
    let mut found = match asked {
        [] => {
            // What the findings advise is worth a try, too.
            let findings = explain(run, resolver, None, watch)?.0.findings;
            let questions = |known: mpiscope_predict::Run<'_>, network: &Network| {
                let advised = findings.iter().flat_map(|finding| suggested(finding, known, network));
                each_once(candidates(known, network).into_iter().chain(advised))
            };
            replay(run, resolver, questions, target, watch)?
        }
        asked => replay(run, resolver, |_, _| asked.to_vec(), target, watch)?,
    };
    if asked.is_empty() {
        let (mut answers, mut refused) = (Vec::new(), Vec::new());
        for answer in found.answers {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(why) => refused.push(why),
            }
        }
        order(&mut answers);
        (found.answers, found.refused) = (answers.into_iter().map(Ok).collect(), refused);
    }
    Ok(found)
}

/// Questions without those that are there already, whatever the order of their changes.
fn each_once(questions: impl Iterator<Item = Vec<Change>>) -> Vec<Vec<Change>> {
    let mut seen = HashSet::new();
    let key = |question: &Vec<Change>| {
        let mut texts: Vec<String> = question.iter().map(ToString::to_string).collect();
        texts.sort();
        texts
    };
    questions.filter(|question| !question.is_empty() && seen.insert(key(question))).collect()
}

/// Replays `run` as it was and under the changes that `ask` chooses.
pub(crate) fn replay(
    run: &Run,
    resolver: &Resolver,
    ask: impl FnOnce(mpiscope_predict::Run<'_>, &Network) -> Vec<Vec<Change>>,
    target: Target<'_>,
    watch: &mut Watch<'_>,
) -> Result<Prediction, QueryError> {
    // First what the run cost: parameters and sums.
    let mut program = Program::default();
    let mut ingest = Ingest::new(run, resolver)?;
    let mut translator = Translator::new(ingest.dimensions());
    let mut fit = Fit::new(ingest.dimensions());
    each_batch(&mut ingest, watch, |tables, batch| {
        program.keep(translator.add_batch(&tables.dimensions, &tables.facts, batch));
        fit.add_batch(&tables.facts, batch, translator.traffic());
        Ok(())
    })?;
    let (tables, problems, progress) = (ingest.tables(), ingest.problems().to_vec(), ingest.progress());
    drop(ingest);
    go_on(watch, progress)?;
    let measured = target.profile.map_or([None, None], links);
    let origin = match &measured {
        [None, None] => "fitted to this run",
        [Some(_), Some(_)] => "those of the machine profile",
        [Some(_), None] => "those of the machine profile within a host; between hosts fitted to this run",
        [None, Some(_)] => "those of the machine profile between hosts; within a host fitted to this run",
    };
    // A profile has measured messages of all sizes.
    let is_measured = [0, 1].map(|link| measured[link].is_some());
    let largest = fit.largest();
    let costs = [0, 1].map(|link| if is_measured[link] { Some(u64::MAX) } else { largest[link] });
    let mut ways = fit.hindrances();
    if !program.is_whole {
        ways.truncate(1);
    }
    let networks = ways.into_iter().map(|way| fit.network(measured.clone(), &translator.kinds, way)).collect();
    let Translator { kinds, recorded, .. } = translator;
    let mut basis = Basis { tables, kinds: kinds.all().to_vec(), recorded, network: Network::default() };
    basis.network = closest(basis.run(), networks, &program.sections);
    let mut questions = ask(basis.run(), &basis.network);
    let costs = Costs { known: costs, kinds: &basis.kinds, hosts: &basis.network.port_of };
    let places = look_up(&mut questions, run, target, &costs);
    // With a topology, messages share its links in the run as it was, too.
    if let Some(places) = places.filter(|places| places.nodes.len() == basis.network.port_of.len()) {
        places.put(&mut basis.network);
        // How much longer collective operations took than the costs of messages say depends on where the ranks were.
        kinds.calibrate(&mut basis.network);
    }
    let (known, network) = (basis.run(), &basis.network);
    // Then all simulations at once.
    let incomplete = Incomplete::new(run);
    let mut model = Model::new(known, network, &questions).lacking(incomplete.share);
    if program.is_whole {
        program.sections.iter().for_each(|section| model.add(section));
    } else {
        let mut ingest = Ingest::new(run, resolver)?;
        let mut again = Translator::new(ingest.dimensions());
        each_batch(&mut ingest, watch, |tables, batch| {
            model.add(&Arc::new(again.add_batch(&tables.dimensions, &tables.facts, batch)));
            Ok(())
        })?;
    }
    let (mut reproduction, answers) = model.finish();
    reproduction.notes.extend(fit.note().filter(|_| !is_measured[1]).map(str::to_owned));
    let calls = basis.recorded.calls;
    Ok(Prediction {
        reproduction,
        caveats: incomplete.caveats,
        calls,
        network: origin,
        answers,
        refused: Vec::new(),
        questions,
        problems,
        basis,
    })
}

/// Reads the profiles of the machines that changes name.
///
/// # Errors
///
/// If one of them cannot be read.
pub fn read_machines(asked: &mut [Vec<Change>]) -> Result<(), MachineError> {
    for change in asked.iter_mut().flatten() {
        if let Change::Machine(machine) = change {
            machine.links = links(&mpiscope_machine::read(Path::new(&machine.profile))?);
        }
    }
    Ok(())
}

/// Links within a host and between hosts, as far as a profile has them. Of several pairs the closest is taken.
pub(crate) fn links(profile: &Profile) -> [Option<Link>; 2] {
    let pairs = 0..profile.pairs.len();
    let is_wanted = |pair: &usize, far: bool| is_far(profile, *pair) == far;
    [false, true].map(|far| pairs.clone().filter(|pair| is_wanted(pair, far)).find_map(|pair| link(profile, pair)))
}

/// Links between hosts whose hops are known, by these: those of a profile are in this order.
pub(crate) fn links_by_hops(profile: &Profile) -> Vec<(u32, Link)> {
    let pairs = profile.pairs.iter().enumerate().filter(|(at, _)| is_far(profile, *at));
    pairs.filter_map(|(at, pair)| Some((pair.hops?, link(profile, at)?))).collect()
}

/// Whether the ranks of a pair are on different hosts.
fn is_far(profile: &Profile, pair: usize) -> bool {
    profile.pairs.get(pair).is_some_and(|pair| pair.class == PeerClass::OtherNode.id())
}

/// Messages in a row show what the port of a host takes for each of them if that is so many times what sending or receiving one takes.
const SLOWER_THAN_RANKS: f64 = 1.25;

/// The link of a pair of the profile, if its ping-pong was measured.
fn link(profile: &Profile, pair: usize) -> Option<Link> {
    let of_pair = |experiment: &str, scope: Scope| experiment == "pingpong" && scope == Scope::Pair(pair);
    let curve = |series: &str| {
        let found = profile.curves.iter().find(|of| of_pair(&of.experiment, of.scope) && of.series == series);
        let points = found.into_iter().flat_map(|of| &of.points).filter(|point| point.median_ns > 0.0);
        Curve::new(points.map(|point| (point.x, point.median_ns)).collect())
    };
    let [transit, send, receive] = ["ping-pong", "send-overhead", "expected"].map(curve);
    let parameter = |id: &str| {
        let found = profile.parameters.iter().find(|of| of_pair(&of.experiment, of.scope) && of.id == id);
        found.map_or(0.0, |of| of.value.max(0.0))
    };
    let eager_bytes = parameter("local_send_limit") as u64;
    let each_ns = parameter("g");
    let of_port = is_far(profile, pair) && each_ns > SLOWER_THAN_RANKS * parameter("o_s").max(parameter("o_r"));
    let port_ns_per_message = if of_port { each_ns } else { 0.0 };
    let link = Link {
        send,
        receive,
        rendezvous: transit.clone(),
        transit,
        eager_bytes,
        port_ns_per_message,
        ..Link::default()
    };
    (!link.transit.is_empty()).then_some(link)
}

/// Calls of a program that are kept in memory, some 200 MB. A longer run is read twice.
const MOST_KEPT: usize = 1 << 21;

/// The program of a short run.
struct Program {
    sections: Vec<Arc<Section>>,
    calls: usize,
    is_whole: bool,
}

impl Default for Program {
    fn default() -> Program {
        Program { sections: Vec::new(), calls: 0, is_whole: true }
    }
}

impl Program {
    fn keep(&mut self, section: Section) {
        self.calls += section.ranks.iter().map(|calls| calls.steps.len()).sum::<usize>();
        self.is_whole &= self.calls <= MOST_KEPT;
        match self.is_whole {
            true => self.sections.push(Arc::new(section)),
            false => self.sections = Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_machine::{Curve, CurvePoint, Pair, Parameter};
    use mpiscope_predict::parse;

    use super::*;

    #[test]
    fn a_question_is_asked_once() {
        let all =
            ["MPI_Send=nonblocking, MPI_Recv=nonblocking", "latency=2x", "MPI_Recv=nonblocking, MPI_Send=nonblocking"];
        let questions = all.iter().map(|text| parse(text).unwrap()).chain([Vec::new()]);
        assert_eq!(each_once(questions), [parse(all[0]).unwrap(), parse(all[1]).unwrap()]);
    }

    #[test]
    fn messages_in_a_row_of_a_profile_show_what_a_port_takes() {
        let of_each = |class: &str, numbers: [f64; 3]| {
            let scope = Scope::Pair(0);
            let parameter = |(id, value): (&str, f64)| Parameter {
                experiment: "pingpong".into(),
                id: id.into(),
                scope,
                value,
                ..Parameter::default()
            };
            let points = vec![CurvePoint { x: 8, median_ns: 1_000.0, ..CurvePoint::default() }];
            let (experiment, series) = ("pingpong".into(), "ping-pong".into());
            let profile = Profile {
                pairs: vec![Pair { class: class.into(), hops: None, ranks: [0, 1] }],
                parameters: ["g", "o_s", "o_r"].into_iter().zip(numbers).map(parameter).collect(),
                curves: vec![Curve { experiment, series, scope, points, ..Curve::default() }],
                ..Profile::default()
            };
            links(&profile).map(|link| link.map(|link| link.port_ns_per_message))
        };
        assert_eq!(of_each("other-node", [500.0, 100.0, 200.0]), [None, Some(500.0)]);
        assert_eq!(of_each("other-node", [220.0, 100.0, 200.0]), [None, Some(0.0)], "the receiver needs as much");
        assert_eq!(of_each("same-node", [500.0, 100.0, 200.0]), [Some(0.0), None], "no port between them");
    }
}
