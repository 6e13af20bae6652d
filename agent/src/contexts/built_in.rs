//! Contexts of well-known libraries: `contexts=http`, `sql`, `messages`, `jobs`, `tests`, `otel`.
//!
//! ```text
//! http      the route of a request, and around it the whole request (`http_requests`)
//! sql       the statement of JDBC's `execute*`, without literals; of prepared ones, what they were prepared with
//! messages  the destination of a listener's annotation (Kafka, JMS, RabbitMQ)
//! jobs      methods that a scheduler calls (Spring, Quarkus, Quartz)
//! tests     test methods (JUnit 4 and 5, TestNG)
//! otel      the span that is current by OpenTelemetry's own storage of contexts
//! ```
//!
//! A class is recognized by its annotations and by the interfaces that it names itself: nothing must be on the program's class path.

use ducktrack_classfile::{Annotation, ClassFile, Method, annotations};

use super::built_in_entry::{BuiltInEntry, implements, method_name};
use super::http_requests;
use crate::options::BuiltInContexts;

/// Annotations of methods that listen, and their elements with the destination.
const LISTENERS: &[(&str, &[&str])] = &[
    (
        "org/springframework/kafka/annotation/KafkaListener",
        &["topics", "topicPattern"],
    ),
    (
        "org/springframework/jms/annotation/JmsListener",
        &["destination"],
    ),
    (
        "org/springframework/amqp/rabbit/annotation/RabbitListener",
        &["queues"],
    ),
    (
        "org/eclipse/microprofile/reactive/messaging/Incoming",
        &["value"],
    ),
];
const SCHEDULED: &[&str] = &[
    "org/springframework/scheduling/annotation/Scheduled",
    "io/quarkus/scheduler/Scheduled",
    "io/micronaut/scheduling/annotation/Scheduled",
];
const TESTS: &[&str] = &[
    "org/junit/Test",
    "org/junit/jupiter/api/Test",
    "org/junit/jupiter/api/RepeatedTest",
    "org/junit/jupiter/params/ParameterizedTest",
    "org/testng/annotations/Test",
];
const STATEMENTS: &[&[u8]] = &[
    b"java/sql/Statement",
    b"java/sql/PreparedStatement",
    b"java/sql/CallableStatement",
    // Interfaces of drivers that extend those.
    b"com/mysql/cj/jdbc/JdbcStatement",
    b"com/mysql/cj/jdbc/JdbcPreparedStatement",
    b"com/microsoft/sqlserver/jdbc/ISQLServerStatement",
    b"com/microsoft/sqlserver/jdbc/ISQLServerPreparedStatement",
    b"oracle/jdbc/internal/OracleStatement",
    b"oracle/jdbc/internal/OraclePreparedStatement",
];
const CONNECTIONS: &[&[u8]] = &[
    b"java/sql/Connection",
    b"com/mysql/cj/jdbc/JdbcConnection",
    b"com/microsoft/sqlserver/jdbc/ISQLServerConnection",
    b"oracle/jdbc/internal/OracleConnection",
];

/// The context that a method of this kind opens.
pub(super) fn entry(
    kind: BuiltInContexts,
    class: &ClassFile<'_>,
    method: &Method<'_>,
) -> Option<BuiltInEntry> {
    match kind {
        BuiltInContexts::Http => http_requests::entry(class, method),
        BuiltInContexts::Sql => sql(class, method),
        BuiltInContexts::Messages => {
            let of_method = annotations(method.attributes(), class.pool());
            let listens = |annotation: &Annotation| {
                let (_, elements) = LISTENERS.iter().find(|(ty, _)| *ty == annotation.ty)?;
                Some(
                    annotation
                        .text(elements)
                        .unwrap_or("(no destination)")
                        .to_owned(),
                )
            };
            of_method.iter().find_map(listens).map(BuiltInEntry::Named)
        }
        BuiltInContexts::Jobs => {
            let is_quartz = implements(class, &[b"org/quartz/Job"]) && method.name() == b"execute";
            (is_quartz || has_annotation(class, method, SCHEDULED)).then(|| named(class, method))
        }
        BuiltInContexts::Otel => otel(class, method),
        BuiltInContexts::Tests => {
            has_annotation(class, method, TESTS).then(|| named(class, method))
        }
    }
}

fn named(class: &ClassFile<'_>, method: &Method<'_>) -> BuiltInEntry {
    BuiltInEntry::Named(method_name(class, method))
}

fn has_annotation(class: &ClassFile<'_>, method: &Method<'_>, types: &[&str]) -> bool {
    let all = annotations(method.attributes(), class.pool());
    all.iter()
        .any(|annotation| types.contains(&annotation.ty.as_str()))
}

/// The storage of contexts by thread, also under the names that OpenTelemetry's agent gives to its own copy.
fn otel(class: &ClassFile<'_>, method: &Method<'_>) -> Option<BuiltInEntry> {
    let is_named = |suffix: &[u8]| class.name().ends_with(suffix);
    if is_named(b"io/opentelemetry/context/ThreadLocalContextStorage") {
        let attaches = method.name() == b"attach" && !method.is_static();
        return attaches.then_some(BuiltInEntry::Attaches);
    }
    let closes = is_named(b"io/opentelemetry/context/ThreadLocalContextStorage$ScopeImpl")
        && method.name() == b"close";
    closes.then_some(BuiltInEntry::Closes)
}

fn sql(class: &ClassFile<'_>, method: &Method<'_>) -> Option<BuiltInEntry> {
    let has_text = method.descriptor().starts_with(b"(Ljava/lang/String;");
    if implements(class, CONNECTIONS) {
        let prepares = matches!(method.name(), b"prepareStatement" | b"prepareCall");
        return (prepares && has_text).then_some(BuiltInEntry::Prepares);
    }
    let executes = matches!(
        method.name(),
        b"execute" | b"executeQuery" | b"executeUpdate" | b"executeLargeUpdate"
    );
    let executes_all = matches!(method.name(), b"executeBatch" | b"executeLargeBatch");
    if method.is_static() || !implements(class, STATEMENTS) || !(executes || executes_all) {
        return None;
    }
    match method.descriptor().starts_with(b"()") {
        true => Some(BuiltInEntry::PreparedStatement),
        false => (executes && has_text).then_some(BuiltInEntry::Statement),
    }
}
