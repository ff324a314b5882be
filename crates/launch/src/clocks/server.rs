//! The reference: sends the time to leaders of the same run.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::time::{Duration, Instant};

use super::wire::{self, BYTES, Message};
use super::{END_LIMIT, Reference, place};
use crate::clock::monotonic_ns;
use crate::rendezvous::{self, Token};

/// Limit of connections: more than any machine has hosts, and little memory.
const MAX_CLIENTS: usize = 16 << 10;
/// Limit of connections that have not sent the token yet.
const MAX_STRANGERS: usize = 256;
const GREETING_LIMIT: Duration = Duration::from_secs(2);

struct Peer {
    stream: TcpStream,
    bytes: Message,
    filled: usize,
    is_known: bool,
    since: Instant,
}

/// A listening reference.
pub(crate) struct Server {
    listener: TcpListener,
    token: Token,
    peers: Vec<Peer>,
}

impl Server {
    /// Becomes the reference of a run, or replaces an earlier leader of this host in that role. `None` if another host is the
    /// reference.
    pub(crate) fn start(run: &Path, host: &str, again: bool) -> io::Result<Option<Self>> {
        let listener = rendezvous::listener()?;
        let reference = Reference::here(host, listener.local_addr()?.port());
        if again {
            reference.replace(&place(run))?;
        } else if !reference.publish(&place(run))? {
            return Ok(None);
        }
        let token = Token::parse(&reference.token).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Some(Self { listener, token, peers: Vec::new() }))
    }

    /// Serves until `wake` is readable or the time is over; true if it is readable.
    pub(crate) fn serve(&mut self, wake: RawFd, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut polled = Vec::with_capacity(2 + self.peers.len());
            polled.extend([wake, self.listener.as_raw_fd()].map(watched));
            polled.extend(self.peers.iter().map(|peer| watched(peer.stream.as_raw_fd())));
            // SAFETY: the array has the given length; its descriptors are open or negative.
            let ready =
                unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, left.as_millis() as i32) };
            // Taken before anything else: requests are answered with this moment.
            let now_ns = monotonic_ns();
            if ready > 0 {
                let can_read: Vec<bool> = polled[2..].iter().map(|one| one.revents != 0).collect();
                let mut index = 0;
                let token = self.token;
                self.peers.retain_mut(|peer| {
                    let keep = !can_read[index] || peer.answer(&token, now_ns).is_ok();
                    index += 1;
                    keep
                });
                if polled[1].revents != 0 {
                    self.accept();
                }
                if polled[0].revents != 0 {
                    return true;
                }
            }
            self.peers.retain(|peer| peer.is_known || peer.since.elapsed() < GREETING_LIMIT);
            if left.is_zero() {
                return false;
            }
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            let strangers = self.peers.iter().filter(|peer| !peer.is_known).count();
            if strangers >= MAX_STRANGERS || self.peers.len() >= MAX_CLIENTS {
                continue;
            }
            if stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_ok() {
                let since = Instant::now();
                self.peers.push(Peer { stream, bytes: [0; BYTES], filled: 0, is_known: false, since });
            }
        }
    }

    /// Allows the others a last measurement.
    pub(crate) fn end(mut self) {
        self.peers.retain(|peer| peer.is_known);
        let until = Instant::now() + END_LIMIT;
        self.peers.retain_mut(|peer| peer.send(&wire::end()).is_ok());
        while !self.peers.is_empty() && Instant::now() < until {
            self.serve(-1, Duration::from_millis(2));
        }
    }
}

fn watched(fd: RawFd) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

impl Peer {
    /// Reads the available bytes and answers each complete message. An error ends the connection.
    fn answer(&mut self, token: &Token, polled_ns: u64) -> io::Result<()> {
        let mut first = true;
        loop {
            match self.stream.read(&mut self.bytes[self.filled..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(got) => self.filled += got,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if self.filled < BYTES {
                continue;
            }
            self.filled = 0;
            if self.is_known {
                let number = wire::request_number(&self.bytes).ok_or(io::ErrorKind::InvalidData)?;
                // If it was the only message, it had arrived when `poll` returned.
                let received_ns = if first { polled_ns } else { monotonic_ns() };
                self.send(&wire::reply(number, received_ns, monotonic_ns()))?;
            } else if self.bytes == wire::hello(token) {
                self.is_known = true;
                self.send(&wire::welcome(token))?;
            } else {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            first = false;
        }
    }

    fn send(&mut self, message: &Message) -> io::Result<()> {
        // 32 bytes fit into the socket's buffer unless the other side does not read.
        match self.stream.write(message)? {
            BYTES => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::Client;
    use crate::clocks::log::{When, make};
    use crate::clocks::testing::in_time;

    /// A reference that listens on this machine alone, and its entry.
    fn reference() -> (Server, Reference) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let mut entry = Reference::here("n1", listener.local_addr().unwrap().port());
        entry.addresses = vec!["127.0.0.1".into()];
        let token = Token::parse(&entry.token).unwrap();
        (Server { listener, token, peers: Vec::new() }, entry)
    }

    #[test]
    fn a_round_on_one_machine_finds_no_offset() {
        in_time(|| {
            let (mut server, entry) = reference();
            let client = std::thread::spawn(move || {
                let mut client = Client::connect(&entry).unwrap();
                let rounds = [When::Start, When::During].map(|when| client.round(when).unwrap());
                // Nothing to read yet is an error, too.
                let is_ending = |client: &mut Client| match client.is_ending() {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
                    other => other.unwrap(),
                };
                while !is_ending(&mut client) {}
                (rounds, client.round(When::End).unwrap())
            });
            server.serve(-1, Duration::from_millis(300));
            server.end();
            let (rounds, last) = client.join().unwrap();
            for round in rounds.into_iter().chain([last]) {
                assert!(round.offset_ns.unsigned_abs() <= round.rtt_ns / 2, "{round:?}");
                assert!(round.exchanges >= 2 && round.rtt_ns > 0);
            }
        });
    }

    #[test]
    fn strangers_are_told_nothing() {
        let (mut server, entry) = reference();
        let port = entry.port;
        let strangers = std::thread::spawn(move || {
            let wrong = Reference { token: "0".repeat(64), ..entry.clone() };
            assert!(Client::connect(&wrong).is_err());
            let mut silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
            silent.write_all(&wire::request(1)).unwrap();
            silent.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let mut answer = Vec::new();
            let _ = silent.read_to_end(&mut answer);
            assert!(answer.is_empty());
            // The right half from the client, the wrong one in return: an impostor.
            let mut fake = entry;
            fake.token.replace_range(32.., &"0".repeat(32));
            assert!(Client::connect(&fake).is_err());
        });
        while !strangers.is_finished() {
            server.serve(-1, Duration::from_millis(20));
        }
        strangers.join().unwrap();
        let limit = Instant::now() + 20 * GREETING_LIMIT;
        while !server.peers.is_empty() && Instant::now() < limit {
            server.serve(-1, Duration::from_millis(20));
        }
        assert_eq!(server.peers.len(), 0);
        in_time(|| {
            let (server, _) = reference();
            let begin = Instant::now();
            server.end();
            assert!(begin.elapsed() < Duration::from_millis(40), "nobody to wait for");
        });
    }

    #[test]
    fn an_end_that_nobody_answers_is_short() {
        in_time(|| {
            let (mut server, entry) = reference();
            let client = std::thread::spawn(move || Client::connect(&entry).unwrap());
            server.serve(-1, Duration::from_millis(200));
            let client = client.join().unwrap();
            let begin = Instant::now();
            server.end();
            assert!(begin.elapsed() < 4 * END_LIMIT);
            drop(client);
        });
    }

    #[test]
    fn a_run_has_one_reference() {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path()).unwrap();
        assert!(Server::start(dir.path(), "n1", false).unwrap().is_some());
        assert!(Server::start(dir.path(), "n2", false).unwrap().is_none());
        assert!(Server::start(dir.path(), "n1", true).unwrap().is_some());
    }
}
