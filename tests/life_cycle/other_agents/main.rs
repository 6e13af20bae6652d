//! A Spring Boot service beside other agents: every response is the bare service's, whichever agent comes first.
//!
//! The service is `java-harness/service` (embedded Tomcat, a servlet filter, JDBC, JSON), the agents
//! are those of `java-harness/other-agents` and of the JDK. Pairs that once broke run always; the full
//! run takes all of them, before and after ducktrack, counting and tracing, on JDK 17, 21 and 25.

mod contexts;
mod conversation;
mod cycles;
mod neighbour;
mod service;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use conversation::Conversation;
use ducktrack_tests::{Jdk, agent_argument, checked, count_report, is_full_run, matrix_jdks};
use neighbour::Neighbour;
use service::Service;

/// The service needs it.
const OLDEST_JAVA: u32 = 17;

/// Who is loaded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    NeighbourFirst,
    DucktrackFirst,
}

/// One run of the service.
struct Pair {
    version: u32,
    neighbour: Neighbour,
    order: Order,
    mode: &'static str,
}

/// Those that broke, and one of each other agent.
const SAMPLE: [Pair; 6] = [
    pair(17, Neighbour::OpenTelemetry, Order::NeighbourFirst, "count"),
    pair(21, Neighbour::Mockito, Order::NeighbourFirst, "trace"),
    pair(17, Neighbour::JaCoCo, Order::DucktrackFirst, "trace"),
    pair(25, Neighbour::AsyncProfiler, Order::DucktrackFirst, "count"),
    pair(
        25,
        Neighbour::FlightRecorder,
        Order::NeighbourFirst,
        "trace",
    ),
    pair(25, Neighbour::Debugger, Order::DucktrackFirst, "count"),
];

const fn pair(version: u32, neighbour: Neighbour, order: Order, mode: &'static str) -> Pair {
    Pair {
        version,
        neighbour,
        order,
        mode,
    }
}

#[test]
fn open_telemetry() {
    every_response_is_that_of_the_bare_service(Neighbour::OpenTelemetry);
}

#[test]
fn jacoco() {
    every_response_is_that_of_the_bare_service(Neighbour::JaCoCo);
}

#[test]
fn async_profiler() {
    every_response_is_that_of_the_bare_service(Neighbour::AsyncProfiler);
}

#[test]
fn flight_recorder() {
    every_response_is_that_of_the_bare_service(Neighbour::FlightRecorder);
}

#[test]
fn debugger() {
    every_response_is_that_of_the_bare_service(Neighbour::Debugger);
}

#[test]
fn mockito() {
    every_response_is_that_of_the_bare_service(Neighbour::Mockito);
}

fn every_response_is_that_of_the_bare_service(neighbour: Neighbour) {
    for jdk in matrix_jdks() {
        let wanted = pairs_of(jdk.version, neighbour);
        let mut expected = None;
        let mut compared = 0;
        for pair in &wanted {
            let place = tempfile::tempdir().expect("temporary folder");
            let Some(before) = neighbour.vm_options(&jdk, place.path()) else {
                break;
            };
            let expected = expected.get_or_insert_with(|| without_us(&jdk, neighbour, &before));
            let found = beside(&jdk, pair, before, place.path());
            found.compare(expected, &pair.name());
            compared += 1;
        }
        if compared > 0 {
            checked(&format!(
                "{jdk}: a Spring Boot service beside {neighbour:?}, {compared} pairs, every response equal"
            ));
        }
    }
}

fn pairs_of(version: u32, neighbour: Neighbour) -> Vec<Pair> {
    if version < OLDEST_JAVA {
        return Vec::new();
    }
    if !is_full_run() {
        let sample = SAMPLE.into_iter();
        let is_wanted = |one: &Pair| one.version == version && one.neighbour == neighbour;
        return sample.filter(is_wanted).collect();
    }
    let orders = [Order::NeighbourFirst, Order::DucktrackFirst].into_iter();
    let pairs = orders
        .flat_map(|order| ["count", "trace"].map(|mode| pair(version, neighbour, order, mode)));
    pairs.collect()
}

/// Its answers do not depend on the compiler, and C2 would take half of its CPU time.
const QUICK: &str = "-XX:TieredStopAtLevel=1";

/// The service without us. Only with Mockito's agent can it have mocks; without them it is the same for all neighbours.
fn without_us(jdk: &Jdk, neighbour: Neighbour, before: &[String]) -> Arc<Conversation> {
    if neighbour == Neighbour::Mockito {
        let options = [before, &[QUICK.to_owned()]].concat();
        return Arc::new(Service::start(jdk, &options, true).converse());
    }
    bare(jdk)
}

/// The bare service, asked once.
fn bare(jdk: &Jdk) -> Arc<Conversation> {
    static BARE: Mutex<BTreeMap<u32, Arc<Conversation>>> = Mutex::new(BTreeMap::new());
    let mut bare = BARE.lock().expect("the bare service answers");
    let converse = || Arc::new(Service::start(jdk, &[QUICK.to_owned()], false).converse());
    Arc::clone(bare.entry(jdk.version).or_insert_with(converse))
}

/// The service with both agents; its recording must be whole.
fn beside(jdk: &Jdk, pair: &Pair, neighbour: Vec<String>, place: &Path) -> Conversation {
    let output = place.join("out");
    let mode = format!("mode={}", pair.mode);
    let mut options = vec![agent_argument(&mode, &output)];
    match pair.order {
        Order::NeighbourFirst => options.splice(0..0, neighbour),
        Order::DucktrackFirst => options.splice(1..1, neighbour),
    };
    let conversation =
        Service::start(jdk, &options, pair.neighbour == Neighbour::Mockito).converse();
    check_recording(&output, &pair.name());
    conversation
}

/// The recording has the service's own allocations.
fn check_recording(output: &Path, name: &str) {
    let report = count_report(output, &[]);
    assert!(report.damage.is_empty(), "{name}: {:?}", report.damage);
    let of_service = |class: &str| class.starts_with("ducktrack.service.");
    let mut sites = report.sites.iter();
    assert!(
        sites.any(|site| of_service(&site.class) && site.count > 0),
        "{name}: the service has no sites"
    );
}

impl Pair {
    fn name(&self) -> String {
        let Self {
            version,
            neighbour,
            order,
            mode,
        } = self;
        format!("Java {version} {neighbour:?} {order:?} {mode}")
    }
}
