//! A connection between two processes that have the run's token. Only [`Link::connect`] blocks.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use mpiscope_launch::rendezvous::{Token, address};

use super::wire::{self, Frame};

const CONNECT_LIMIT: Duration = Duration::from_millis(500);
/// Long, as the other side may be reading symbols.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);
const HELLO: [u8; 8] = *b"MPSCRNG1";
const WELCOME: [u8; 8] = *b"MPSCRNG2";
const GREETING_BYTES: usize = 24;
/// Bytes per read.
const READ_BYTES: usize = 64 << 10;

/// One end of a connection.
pub struct Link {
    stream: TcpStream,
    input: Vec<u8>,
    /// Bytes of it that were handed out.
    taken: usize,
    output: Vec<u8>,
    written: usize,
    /// Whether the other side has sent the token.
    is_known: bool,
}

fn greeting(kind: [u8; 8], half: [u64; 2]) -> [u8; GREETING_BYTES] {
    let mut bytes = [0; GREETING_BYTES];
    bytes[..8].copy_from_slice(&kind);
    bytes[8..16].copy_from_slice(&half[0].to_le_bytes());
    bytes[16..].copy_from_slice(&half[1].to_le_bytes());
    bytes
}

impl Link {
    fn new(stream: TcpStream, is_known: bool) -> Link {
        Link { stream, input: Vec::new(), taken: 0, output: Vec::new(), written: 0, is_known }
    }

    /// Accepts a connection; the other side has to send the token first.
    pub fn stranger(stream: TcpStream) -> io::Result<Link> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Link::new(stream, false))
    }

    /// Tries every address until one answers with the token.
    pub fn connect(addresses: &[String], port: u16, token: &Token) -> io::Result<Link> {
        let mut last = io::Error::other("no address given");
        for ip in address::in_order(addresses) {
            match Link::greet(SocketAddr::new(ip, port), token) {
                Ok(link) => return Ok(link),
                Err(error) => last = io::Error::new(error.kind(), format!("{ip} port {port}: {error}")),
            }
        }
        Err(last)
    }

    fn greet(address: SocketAddr, token: &Token) -> io::Result<Link> {
        let mut stream = TcpStream::connect_timeout(&address, CONNECT_LIMIT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        stream.set_write_timeout(Some(ANSWER_LIMIT))?;
        stream.write_all(&greeting(HELLO, token.shown()))?;
        let mut answer = [0; GREETING_BYTES];
        stream.read_exact(&mut answer)?;
        if answer != greeting(WELCOME, token.answered()) {
            return Err(io::Error::other("it belongs to another run"));
        }
        stream.set_nonblocking(true)?;
        Ok(Link::new(stream, true))
    }

    pub fn descriptor(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Queues a frame.
    pub fn send(&mut self, frame: &Frame) {
        wire::encode(frame, &mut self.output);
    }

    /// Bytes queued.
    pub fn backlog(&self) -> usize {
        self.output.len() - self.written
    }

    /// Sends as much as the system accepts now.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.written < self.output.len() {
            match self.stream.write(&self.output[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => self.written += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.written == self.output.len() {
            self.output.clear();
            self.written = 0;
        } else if self.written > READ_BYTES {
            self.output.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }

    /// Reads the available bytes, about `most` at most. An error if the other side has closed the connection.
    pub fn receive(&mut self, most: usize) -> io::Result<()> {
        self.input.drain(..self.taken);
        self.taken = 0;
        let mut got = 0;
        while got < most {
            let begin = self.input.len();
            self.input.resize(begin + READ_BYTES, 0);
            let read = self.stream.read(&mut self.input[begin..]);
            self.input.truncate(begin + *read.as_ref().unwrap_or(&0));
            match read {
                // Bytes that arrived before are still to be processed.
                Ok(0) if got == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(0) => break,
                Ok(n) => got += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if got > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether an unknown peer has sent the token; answers it. An error if the token is wrong.
    pub fn knows(&mut self, token: &Token) -> io::Result<bool> {
        if !self.is_known {
            let Some(shown) = self.input.get(..GREETING_BYTES) else { return Ok(false) };
            if shown != greeting(HELLO, token.shown()) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            self.taken = GREETING_BYTES;
            self.is_known = true;
            self.output.extend(greeting(WELCOME, token.answered()));
            self.flush()?;
        }
        Ok(true)
    }

    /// The next complete frame. An error if it is invalid.
    pub fn next(&mut self) -> io::Result<Option<Frame>> {
        match wire::decode(&self.input[self.taken..]) {
            Ok(Some((frame, bytes))) => {
                self.taken += bytes;
                Ok(Some(frame))
            }
            Ok(None) => Ok(None),
            Err(wire::Malformed) => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}
