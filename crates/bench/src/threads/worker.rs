//! Threads that exchange messages, each with the thread of the same number in another rank.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::parts::Parts;
use super::turn::Turn;
use crate::error::BenchError;
use crate::swap::Swap;

/// What a thread does next, when the others of its rank do the same.
pub struct Job<'env, 'a> {
    /// Its number among the threads of the job.
    pub thread: usize,
    pub joint: Joint,
    pub bytes: usize,
    pub operations: u64,
    pub how: How<'env, 'a>,
    /// Compares every byte of one operation; the series and the number of the place.
    pub verified: Option<(String, u32)>,
}

/// How threads exchange messages.
#[derive(Clone, Copy)]
pub enum How<'env, 'a> {
    /// Each thread its own, without regard to the others.
    Freely,
    /// Each thread its own, after a barrier of the threads and before another one.
    Jointly,
    /// All threads one, of which each has a part, between the same barriers.
    InParts(&'env Parts<'a>),
}

/// The barrier of the threads of a job.
#[derive(Clone)]
pub struct Joint(pub Arc<Turn>);

impl Joint {
    pub fn wait(&self) -> Result<(), BenchError> {
        if self.0.wait() { Ok(()) } else { Err(ended_early()) }
    }
}

pub fn ended_early() -> BenchError {
    BenchError::Failed("threads: a thread has ended early".to_owned())
}

/// A thread that exchanges messages until this is dropped.
pub struct Worker<'env, 'a> {
    pub jobs: mpsc::Sender<Job<'env, 'a>>,
    pub times: mpsc::Receiver<Result<Duration, BenchError>>,
}

impl<'env, 'a: 'env> Worker<'env, 'a> {
    pub fn spawn<'scope>(scope: &'scope std::thread::Scope<'scope, 'env>, mut swap: Swap<'a>) -> Worker<'env, 'a> {
        let (jobs, to_do) = mpsc::channel::<Job>();
        let (done, times) = mpsc::channel();
        scope.spawn(move || {
            for job in to_do {
                let time = job.run(&mut swap);
                if time.is_err() {
                    job.joint.0.give_up();
                }
                if done.send(time).is_err() {
                    return;
                }
            }
        });
        Worker { jobs, times }
    }
}

impl Job<'_, '_> {
    fn run(&self, swap: &mut Swap) -> Result<Duration, BenchError> {
        if let Some((series, place)) = &self.verified {
            self.prepare(swap, *place);
            self.joint.wait()?;
            self.exchange(swap)?;
            self.joint.wait()?;
            return self.check(swap, *place, series).map(|()| Duration::ZERO);
        }
        self.joint.wait()?;
        let begun = Instant::now();
        self.exchange(swap)?;
        Ok(begun.elapsed())
    }

    fn exchange(&self, swap: &mut Swap) -> Result<(), BenchError> {
        match self.how {
            How::Freely => (0..self.operations).try_for_each(|_| swap.swap(self.bytes)),
            How::Jointly => (0..self.operations).try_for_each(|_| {
                self.joint.wait()?;
                swap.swap(self.bytes)?;
                self.joint.wait()
            }),
            How::InParts(parts) => parts.exchange(self.thread, &self.joint, self.operations),
        }
    }

    fn prepare(&self, swap: &mut Swap, place: u32) {
        match self.how {
            How::InParts(parts) if self.thread == 0 => parts.prepare(place),
            How::InParts(_) => {}
            How::Freely | How::Jointly => swap.buffers.prepare(place, self.bytes),
        }
    }

    fn check(&self, swap: &Swap, place: u32, series: &str) -> Result<(), BenchError> {
        match self.how {
            How::InParts(parts) if self.thread == 0 => parts.check(place, series),
            How::InParts(_) => Ok(()),
            How::Freely | How::Jointly => swap.buffers.check(place, self.bytes, series),
        }
    }
}
