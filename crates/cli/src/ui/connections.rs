//! All connections of a server: each has a thread and its deadlines, so that a silent client keeps nobody waiting.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::connection::{Answer, Asked, read_request, write_answer};

/// Connections at once; a browser opens six.
const MOST_CONNECTIONS: usize = 64;

/// Answers until the process ends.
pub(crate) fn answer_each<A>(listener: &TcpListener, answer: A)
where
    A: Fn(&Asked) -> Answer + Send + Sync + 'static,
{
    let answer = Arc::new(answer);
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // One that was given up before it was taken.
        let Ok(stream) = stream else { continue };
        if open.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (answer, open) = (Arc::clone(&answer), Arc::clone(&open));
        thread::spawn(move || {
            let _closed = Closing(open);
            serve(&*answer, stream);
        });
    }
}

/// Counts a connection out, also where its answer panics.
struct Closing(Arc<AtomicUsize>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(answer: &impl Fn(&Asked) -> Answer, mut stream: TcpStream) {
    let Ok(asked) = read_request(&mut stream) else {
        return;
    };
    let is_head = asked.as_ref().is_ok_and(|asked| asked.is_head);
    let answer = match asked {
        Ok(asked) => answer(&asked),
        Err(refusal) => refusal,
    };
    // A reader that has gone away is no error.
    let _ = write_answer(&mut stream, &answer, is_head);
    let _ = stream.shutdown(Shutdown::Write);
}
