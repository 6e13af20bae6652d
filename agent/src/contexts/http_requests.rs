//! Requests to servers of well-known libraries.
//!
//! ```text
//! whole request   "request": the method in which a server handles one, on the thread on which it does
//! inside it       the route, by its template where there is one:
//!                 GET /orders/{id}    annotations of a method (Spring MVC and WebFlux, JAX-RS, Micronaut)
//!                 /orders/:id         the path of a route (Vert.x, Javalin)
//!                 Orders/add          service and method (gRPC)
//!                 com.acme.Shop.handle   a handler (the JDK's own server, Undertow)
//! ```

use ducktrack_classfile::{Annotation, ClassFile, Method, annotations};

use super::built_in_entry::{BuiltInEntry, implements, method_name};

/// The name of a request whose route is not known, or only inside.
const REQUEST: &str = "request";
/// Methods of HTTP.
const VERBS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
/// Packages of JAX-RS.
const JAX_RS: [&str; 2] = ["javax/ws/rs/", "jakarta/ws/rs/"];
const SPRING_WEB: &str = "org/springframework/web/bind/annotation/";
const MICRONAUT: &str = "io/micronaut/http/annotation/";
/// Methods in which servers handle a request: class, method, end of the descriptor.
const SERVERS: &[(&[u8], &[u8], &[u8])] = &[
    // Of the two the one that containers call.
    (
        b"javax/servlet/http/HttpServlet",
        b"service",
        b"/ServletResponse;)V",
    ),
    (
        b"jakarta/servlet/http/HttpServlet",
        b"service",
        b"/ServletResponse;)V",
    ),
    // Jetty to version 11, and from 12 on.
    (
        b"org/eclipse/jetty/server/Server",
        b"handle",
        b"(Lorg/eclipse/jetty/server/HttpChannel;)V",
    ),
    (
        b"org/eclipse/jetty/server/Server",
        b"handle",
        b"Lorg/eclipse/jetty/util/Callback;)Z",
    ),
    // Undertow: also what is dispatched to another thread.
    (
        b"io/undertow/server/Connectors",
        b"executeRootHandler",
        b"HttpServerExchange;)V",
    ),
    (b"sun/net/httpserver/ServerImpl$Exchange", b"run", b"()V"),
    (
        b"org/glassfish/jersey/server/ServerRuntime",
        b"process",
        b")V",
    ),
    (
        b"io/vertx/core/http/impl/Http1xServerRequestHandler",
        b"handle",
        b"HttpServerRequest;)V",
    ),
    (
        b"io/grpc/internal/ServerCallImpl$ServerStreamListenerImpl",
        b"halfClosed",
        b"()V",
    ),
];
/// Reactor Netty: it handles a request where the second argument says that one was received.
const REACTOR: (&[u8], &[u8]) = (
    b"reactor/netty/http/server/HttpServer$HttpServerHandle",
    b"onStateChange",
);
const RECEIVED: &str = "REQUEST_RECEIVED";
/// Interfaces of handlers that programs implement, and the method.
const HANDLERS: [(&[u8], &[u8]); 2] = [
    (b"com/sun/net/httpserver/HttpHandler", b"handle"),
    (b"io/undertow/server/HttpHandler", b"handleRequest"),
];
/// Handlers that are no program's: what they call has a name.
const ADAPTERS: [&[u8]; 3] = [
    b"sun/net/httpserver/",
    b"org/glassfish/jersey/",
    b"io/undertow/",
];
/// Routes with their path in the field `path`: Vert.x, Javalin.
const ROUTES: [(&[u8], &[u8], &[u8]); 2] = [
    (b"io/vertx/ext/web/impl/RouteState", b"handleContext", b"("),
    (
        b"io/javalin/router/Endpoint",
        b"handle",
        b"(Lio/javalin/http/Context;)",
    ),
];
/// The end of the name of the class that services of gRPC extend, and the type of the argument through which their methods answer.
const GRPC_SERVICE: &str = "ImplBase";
const GRPC_ANSWER: &[u8] = b"Lio/grpc/stub/StreamObserver;)";

/// The context that a method opens, if it handles requests.
pub(super) fn entry(class: &ClassFile<'_>, method: &Method<'_>) -> Option<BuiltInEntry> {
    let is_server = SERVERS.iter().any(|(name, handles, descriptor)| {
        class.name() == *name
            && method.name() == *handles
            && method.descriptor().ends_with(descriptor)
    });
    if is_server {
        return Some(BuiltInEntry::Named(REQUEST.to_owned()));
    }
    if (class.name(), method.name()) == REACTOR {
        return Some(BuiltInEntry::NamedIf {
            argument: 2,
            is: RECEIVED,
            name: REQUEST,
        });
    }
    let is_route = ROUTES.iter().any(|(name, handles, descriptor)| {
        class.name() == *name
            && method.name() == *handles
            && method.descriptor().starts_with(descriptor)
    });
    if is_route {
        return Some(BuiltInEntry::Field("path"));
    }
    let named = of_handler(class, method)
        .or_else(|| of_grpc(class, method))
        .or_else(|| of_annotations(class, method));
    named.map(BuiltInEntry::Named)
}

/// A handler of the program.
fn of_handler(class: &ClassFile<'_>, method: &Method<'_>) -> Option<String> {
    let handles = HANDLERS
        .iter()
        .any(|(interface, name)| implements(class, &[interface]) && method.name() == *name);
    let is_adapter = || {
        let mut packages = ADAPTERS.iter();
        packages.any(|package| class.name().starts_with(package))
    };
    (handles && !is_adapter()).then(|| method_name(class, method))
}

/// A method of a service: `OrdersGrpc$OrdersImplBase` and `add` are `Orders/add`.
fn of_grpc(class: &ClassFile<'_>, method: &Method<'_>) -> Option<String> {
    let descriptor = method.descriptor();
    let answers = descriptor
        .windows(GRPC_ANSWER.len())
        .any(|part| part == GRPC_ANSWER);
    if !answers || method.is_static() {
        return None;
    }
    let base = String::from_utf8_lossy(class.super_class()?).into_owned();
    let simple = base.rsplit(['/', '$']).next()?;
    let service = simple.strip_suffix(GRPC_SERVICE)?;
    Some(format!(
        "{service}/{}",
        String::from_utf8_lossy(method.name())
    ))
}

fn of_annotations(class: &ClassFile<'_>, method: &Method<'_>) -> Option<String> {
    let of_method = annotations(method.attributes(), class.pool());
    let (verb, path) = of_method.iter().find_map(verb)?;
    let of_class = annotations(class.attributes(), class.pool());
    let prefix = of_class.iter().find_map(path_of_class).unwrap_or_default();
    let path = path
        .or_else(|| of_method.iter().find_map(path_of_class))
        .unwrap_or_default();
    Some(format!("{verb} {}", joined(&prefix, &path)))
}

/// The verb and the path of a method's annotation.
fn verb(annotation: &Annotation) -> Option<(String, Option<String>)> {
    let path = || {
        annotation
            .text(&["value", "path", "uri", "uris"])
            .map(str::to_owned)
    };
    if let Some(name) = annotation.ty.strip_prefix(SPRING_WEB) {
        let verb = match name {
            "RequestMapping" => annotation.text(&["method"]).unwrap_or("*").to_owned(),
            _ => name.strip_suffix("Mapping")?.to_uppercase(),
        };
        return Some((verb, path()));
    }
    if let Some(name) = annotation.ty.strip_prefix(MICRONAUT) {
        let verb = name.to_uppercase();
        return VERBS.contains(&verb.as_str()).then(|| (verb, path()));
    }
    let verb = JAX_RS
        .iter()
        .find_map(|package| annotation.ty.strip_prefix(package))?;
    VERBS.contains(&verb).then(|| (verb.to_owned(), None))
}

/// The path of an annotation that classes have.
fn path_of_class(annotation: &Annotation) -> Option<String> {
    let is_path = annotation.ty == format!("{SPRING_WEB}RequestMapping")
        || annotation.ty == format!("{MICRONAUT}Controller")
        || JAX_RS
            .iter()
            .any(|package| annotation.ty == format!("{package}Path"));
    let path = annotation.text(&["value", "path"]).unwrap_or_default();
    is_path.then(|| path.to_owned())
}

/// `/orders` and `{id}` are `/orders/{id}`.
fn joined(prefix: &str, path: &str) -> String {
    let parts = prefix.split('/').chain(path.split('/'));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn paths_are_joined_by_one_slash() {
        assert_eq!(joined("/orders/", "/{id}"), "/orders/{id}");
        assert_eq!(joined("", "orders"), "/orders");
        assert_eq!(joined("/", ""), "/");
    }
}
