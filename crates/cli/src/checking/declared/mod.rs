//! Compares buffers with the program's variables. A separate thread looks variables up in debug information, so that rings
//! are read meanwhile ([decision](../../../../../docs/decisions/0031-declared-buffers.md)).

mod compare;

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use mpiscope_judge::Judge;
use mpiscope_symbols::declared::{At, Declarations, Declared};
use mpiscope_symbols::{ModuleFile, Resolver};
use mpiscope_trace::check::event::{Body, Event, Head};

use super::sites::Sites;
use compare::Passed;

/// Maximum number of elements of a buffer to compare.
const MOST_ELEMENTS: usize = 1 << 14;
/// Maximum number of cached answers: all ranks ask for the same places.
const MOST_KNOWN: usize = 1 << 16;
/// Time that the end of the run waits for pending lookups.
const PATIENCE: Duration = Duration::from_secs(20);

/// A buffer of a call.
struct Question {
    process: u32,
    head: Head,
    passed: Passed,
    module: ModuleFile,
    at: At,
}

/// The thread, started with the first lookup.
struct Office {
    questions: Sender<Question>,
    answers: Receiver<(Question, Declared)>,
    /// Lookups without an answer yet.
    open: usize,
}

/// The thread that looks up variables.
pub struct Variables {
    resolver: Resolver,
    office: Option<Office>,
}

impl Variables {
    pub fn new(resolver: Resolver) -> Variables {
        Variables { resolver, office: None }
    }

    /// Starts the lookup of a process's buffer if the event is about one. Answers come later.
    pub fn request(&mut self, process: u32, event: &Event, sites: &Sites) {
        let Body::Passed { argument, writes, is_one, data, span, frame } = event.body else { return };
        let call = sites.call(event.head.site);
        let begin = data.address.wrapping_add_signed(span.0);
        let from = |end: u64, address: u64| address.wrapping_sub(end) as i64;
        let place = match frame {
            Some(frame) => sites.module_at(frame.pc.wrapping_sub(1)).map(|(module, before)| {
                let (sp, fp) = (from(frame.end, frame.sp), from(frame.end, frame.fp));
                let pc = before.wrapping_add(1);
                (module, At::Frame { address: from(frame.end, begin), pc, sp, fp }, call == Some((module, pc)))
            }),
            None => sites.module_at(begin).map(|(module, address)| {
                let pc = call.filter(|(of, _)| *of == module).map(|(_, pc)| pc);
                (module, At::Mapped { address, pc }, true)
            }),
        };
        let Some((module, at, is_callers)) = place else { return };
        let passed = Passed { argument, writes, is_one, data, span, is_callers };
        let question = Question { process, head: event.head, passed, module: module.clone(), at };
        let resolver = &self.resolver;
        let office = self.office.get_or_insert_with(|| Office::open(resolver.clone()));
        if office.questions.send(question).is_ok() {
            office.open += 1;
        }
    }

    /// Errors of buffers whose variables are known by now, in the form in which their processes would report them.
    pub fn findings(&mut self, judge: &Judge) -> Vec<(u32, Event)> {
        let Some(office) = &mut self.office else { return Vec::new() };
        let answers: Vec<_> = office.answers.try_iter().collect();
        office.open -= answers.len();
        answers.iter().filter_map(|(question, declared)| finding(judge, question, declared)).collect()
    }

    /// The same at the end. False if some lookups did not finish in time.
    pub fn last_findings(&mut self, judge: &Judge, found: &mut Vec<(u32, Event)>) -> bool {
        let end = Instant::now() + PATIENCE;
        while let Some(office) = self.office.as_mut().filter(|office| office.open > 0) {
            match office.answers.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((question, declared)) => {
                    office.open -= 1;
                    found.extend(finding(judge, &question, &declared));
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        true
    }
}

impl Office {
    fn open(resolver: Resolver) -> Office {
        let (questions, asked) = channel::<Question>();
        let (answer, answers) = channel();
        // The thread ends with its channel; this process does not wait for it.
        thread::spawn(move || {
            let mut declarations = Declarations::new(resolver);
            let mut known: HashMap<(ModuleFile, At), Declared> = HashMap::new();
            while let Ok(first) = asked.recv() {
                let all: Vec<Question> = std::iter::once(first).chain(asked.try_iter()).collect();
                look_up(&mut declarations, &mut known, &all);
                for question in all {
                    let declared = known.get(&(question.module.clone(), question.at)).cloned().unwrap_or_default();
                    if answer.send((question, declared)).is_err() {
                        return;
                    }
                }
            }
        });
        Office { questions, answers, open: 0 }
    }
}

/// Looks up unknown places, each module once.
fn look_up(declarations: &mut Declarations, known: &mut HashMap<(ModuleFile, At), Declared>, questions: &[Question]) {
    if known.len() > MOST_KNOWN {
        known.clear();
    }
    let mut new: HashMap<&ModuleFile, Vec<At>> = HashMap::new();
    for question in questions {
        let places = new.entry(&question.module).or_default();
        if !known.contains_key(&(question.module.clone(), question.at)) && !places.contains(&question.at) {
            places.push(question.at);
        }
    }
    for (module, places) in new.into_iter().filter(|(_, places)| !places.is_empty()) {
        let found = declarations.find(module, &places);
        known.extend(places.into_iter().map(|at| (module.clone(), at)).zip(found));
    }
}

fn finding(judge: &Judge, question: &Question, declared: &Declared) -> Option<(u32, Event)> {
    let Question { process, head, passed, .. } = question;
    let elements = |count| match passed.data.datatype {
        0 => None,
        datatype => judge.elements(*process, datatype, count, MOST_ELEMENTS),
    };
    let all = elements(passed.data.count).unwrap_or_default();
    let each = elements(1).map_or(0, |one| one.len());
    let wrong = compare::compare(declared, passed, &all, each)?;
    let text = wrong.text(passed, judge.datatype_name(*process, passed.data.datatype));
    let values = [passed.bytes() as i64, wrong.room as i64, i64::from(!wrong.is_certain)];
    let body = Body::Finding { rule: wrong.rule, argument: passed.argument, withheld: false, origin: 0, values, text };
    Some((*process, Event { head: *head, body }))
}
