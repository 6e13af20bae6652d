//! Processes beside a test.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Child;

/// A process that ends with the test, whatever the test finds.
#[derive(Debug)]
pub struct Ended(pub Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// A port of this machine that nobody listens to.
///
/// # Panics
/// There is none.
pub fn free_port() -> u16 {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    free.local_addr().expect("an address").port()
}
