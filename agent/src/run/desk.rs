//! Serves clients side by side, each on a thread of its own: one that never finishes its request keeps nobody else waiting.
//!
//! ```text
//! desk      accept ── a thread for each client: read, ask, answer
//! client    status: answered at once, whatever the agent does
//!           others: through the inbox, to the agent's own thread
//! ```
//!
//! The desk opens before the classes are rewritten, so that the arrival of the agent can be watched.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ducktrack_hotspot::block_signals;
use ducktrack_jvmti::guard;
use serde_json::Value;

use crate::control::{Client, Socket, refusal};
use crate::core::phase::Phase;
use crate::options::Command;
use crate::run::agent::Agent;

/// Names of the threads.
const DESK: &str = "ducktrack-desk";
const CLIENT: &str = "ducktrack-client";
/// How often the desk looks whether the run has ended.
const LOOK: Duration = Duration::from_millis(250);
/// Clients beyond this number wait until others have gone.
const MOST_CLIENTS: usize = 256;

/// Those that are being served.
static CLIENTS: AtomicUsize = AtomicUsize::new(0);

/// A client that is being served.
struct Served;

impl Drop for Served {
    fn drop(&mut self) {
        CLIENTS.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Agent {
    /// Accepts commands, unless `control=off`.
    pub(crate) fn open_desk(&'static self) {
        if !self.core.options.control {
            return;
        }
        let socket = match Socket::listen(&self.core.directory) {
            Ok(socket) => Arc::new(socket),
            Err(error) => {
                self.core.add_note(format!(
                    "No socket for commands: {error}; `ducktrack info --state` and `stop` need permission to attach."
                ));
                return;
            }
        };
        *self.socket.lock() = Some(Arc::clone(&socket));
        let Ok(life) = self.core.resident.own_thread.enter() else {
            return;
        };
        let body = move || {
            block_signals();
            let report = |message: &str| {
                self.core
                    .log
                    .error(&format!("no more commands are taken: {message}"));
            };
            guard((), report, || self.serve_clients(&socket));
            socket.remove();
            // The descriptors are closed with the last reference.
            *self.socket.lock() = None;
            drop(socket);
            // The end of the VM waits until no client can find the socket.
            drop(life);
        };
        let thread = std::thread::Builder::new().name(DESK.to_owned());
        if let Err(error) = thread.spawn(body) {
            self.core
                .add_note(format!("No thread for commands: {error}."));
        }
    }

    fn serve_clients(&'static self, socket: &Socket) {
        while self.core.phase.get() != Phase::Ended {
            let has_room = CLIENTS.load(Ordering::Acquire) < MOST_CLIENTS;
            match socket.wait(LOOK).filter(|_| has_room) {
                Some(client) => self.serve(client),
                None if !has_room => std::thread::sleep(LOOK),
                None => {}
            }
        }
    }

    fn serve(&'static self, client: Client) {
        CLIENTS.fetch_add(1, Ordering::AcqRel);
        let served = Served;
        let body = move || {
            let _served = served;
            block_signals();
            // The end of the VM waits for an answer, and for no client that is still writing its request.
            let mut life = None;
            let answer = |command| {
                life = self.core.resident.own_thread.enter().ok();
                self.answer(command)
            };
            guard((), |_| (), || client.serve(answer));
            drop(life);
        };
        // Without a thread the client is refused by the end of its connection.
        let _ = std::thread::Builder::new()
            .name(CLIENT.to_owned())
            .spawn(body);
    }

    /// The answer to a command, from any thread.
    pub(crate) fn answer(&self, command: Command) -> Value {
        if command == Command::Status {
            return self.status();
        }
        match self.core.phase.get() {
            Phase::Loading | Phase::Starting => return refusal(&self.still_arriving()),
            Phase::Counting => {}
            Phase::Stopping | Phase::Ended => return self.after_the_end(&command),
        }
        let has_ended = || self.core.phase.get() == Phase::Ended;
        let asked = self
            .inbox
            .ask(command.clone(), || self.core.wake.wake(), has_ended);
        asked.unwrap_or_else(|| self.after_the_end(&command))
    }

    fn still_arriving(&self) -> String {
        match &*self.arriving.lock() {
            Some(progress) => format!(
                "the agent is still arriving: {} classes to go; ask again then",
                progress.classes_left
            ),
            None => "the agent is still arriving; ask again in a moment".to_owned(),
        }
    }
}
