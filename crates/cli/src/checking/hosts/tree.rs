//! The side of the tree below the judge or a relay: relays connect and send what they and the relays below them read.
//!
//! A node with enough connections redirects the next relay to one of those. A relay that cannot reach it comes back and
//! insists.

use std::collections::HashMap;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use mpiscope_launch::rendezvous::Token;

use super::link::Link;
use super::wire::{Frame, Speaker};

/// Limit of connections that have not sent the token yet.
const MAX_STRANGERS: usize = 64;
const MAX_CHILDREN: usize = 4096;
const GREETING_LIMIT: Duration = Duration::from_secs(2);
/// Bytes read from a connection at once.
const AT_ONCE: usize = 256 << 10;
/// A peer with this many unsent bytes counts as gone.
const MAX_BACKLOG: usize = 8 << 20;

struct Child {
    key: u64,
    link: Link,
    speaker: Option<Speaker>,
    /// Whether it was redirected.
    leaves: bool,
}

/// All connections.
pub struct Tree {
    listener: TcpListener,
    token: Token,
    /// Maximum number of direct connections.
    fan: usize,
    strangers: Vec<(Link, Instant)>,
    children: Vec<Child>,
    last_key: u64,
    /// The connection through which a process is reached.
    routes: HashMap<u64, u64>,
    next: usize,
}

impl Tree {
    pub fn new(listener: TcpListener, token: Token, fan: usize) -> Tree {
        Tree {
            listener,
            token,
            fan,
            strangers: Vec::new(),
            children: Vec::new(),
            last_key: 0,
            routes: HashMap::new(),
            next: 0,
        }
    }

    /// Adds its descriptors to those to wait for.
    pub fn watch(&self, on: &mut Vec<libc::pollfd>) {
        let watched = |fd, sends| libc::pollfd {
            fd,
            events: if sends { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN },
            revents: 0,
        };
        on.push(watched(self.listener.as_raw_fd(), false));
        on.extend(self.strangers.iter().map(|(link, _)| watched(link.descriptor(), false)));
        on.extend(self.children.iter().map(|c| watched(c.link.descriptor(), c.link.backlog() > 0)));
    }

    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// Takes the frames that have arrived.
    pub fn receive(&mut self, frames: &mut Vec<Frame>) {
        self.accept();
        self.greet();
        for at in 0..self.children.len() {
            if self.hear(at, frames).is_err() {
                self.children[at].leaves = true;
                self.children[at].speaker = None;
            }
        }
        let gone = |c: &Child| c.leaves && (c.speaker.is_none() || c.link.backlog() == 0);
        self.children.retain(|child| !gone(child));
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.strangers.len() >= MAX_STRANGERS || self.children.len() >= MAX_CHILDREN {
                continue;
            }
            if let Ok(link) = Link::stranger(stream) {
                self.strangers.push((link, Instant::now()));
            }
        }
    }

    fn greet(&mut self) {
        let mut waiting = Vec::new();
        for (mut link, since) in std::mem::take(&mut self.strangers) {
            match link.receive(1).and_then(|()| link.knows(&self.token)) {
                Ok(true) => {
                    self.last_key += 1;
                    self.children.push(Child { key: self.last_key, link, speaker: None, leaves: false });
                }
                Ok(false) if since.elapsed() < GREETING_LIMIT => waiting.push((link, since)),
                _ => {}
            }
        }
        self.strangers = waiting;
    }

    fn hear(&mut self, at: usize, frames: &mut Vec<Frame>) -> io::Result<()> {
        // Frames may have arrived together with the greeting.
        let ended = self.children[at].link.receive(AT_ONCE);
        while let Some(frame) = self.children[at].link.next()? {
            match &frame {
                Frame::Host { speaker, insists } if self.children[at].speaker.is_none() => {
                    if let Some(other) = self.elsewhere(*insists) {
                        let child = &mut self.children[at];
                        child.link.send(&Frame::Elsewhere { port: other.port, addresses: other.addresses });
                        child.link.flush()?;
                        (child.leaves, child.speaker) = (true, Some(speaker.clone()));
                        return Ok(());
                    }
                    self.children[at].speaker = Some(speaker.clone());
                }
                // The first frame identifies the relay.
                _ if self.children[at].speaker.is_none() => return Err(io::ErrorKind::InvalidData.into()),
                Frame::Process { process, .. } => {
                    self.routes.insert(*process, self.children[at].key);
                }
                Frame::Taken { .. } | Frame::Beat { .. } | Frame::Where { .. } | Frame::Elsewhere { .. } => {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                Frame::Stop | Frame::End => return Err(io::ErrorKind::InvalidData.into()),
                _ => {}
            }
            frames.push(frame);
        }
        ended
    }

    /// The connection to which the next relay is redirected.
    fn elsewhere(&mut self, insists: bool) -> Option<Speaker> {
        let known: Vec<&Speaker> =
            self.children.iter().filter(|c| !c.leaves).filter_map(|c| c.speaker.as_ref()).collect();
        if insists || known.len() < self.fan {
            return None;
        }
        self.next += 1;
        known.get(self.next % known.len()).map(|&speaker| speaker.clone())
    }

    /// Makes all relays connect again.
    pub fn let_go(&mut self) {
        self.children.clear();
        self.routes.clear();
    }

    /// Sends a frame to the host of a process.
    pub fn send(&mut self, process: u64, frame: &Frame) {
        let Some(&key) = self.routes.get(&process) else { return };
        if let Some(child) = self.children.iter_mut().find(|c| c.key == key) {
            child.link.send(frame);
        }
    }

    /// Sends a frame to all.
    pub fn send_all(&mut self, frame: &Frame) {
        self.children.iter_mut().filter(|c| !c.leaves).for_each(|child| child.link.send(frame));
    }

    /// Sends as much as the system accepts now.
    pub fn flush(&mut self) {
        for child in &mut self.children {
            if child.link.flush().is_err() || child.link.backlog() > MAX_BACKLOG {
                (child.leaves, child.speaker) = (true, None);
            }
        }
        self.children.retain(|child| !(child.leaves && child.speaker.is_none()));
    }
}
