//! A Spring Boot service that has the endpoint of the guide `embed-it`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use ducktrack_tests::{Jdk, harness_folder};

/// What the endpoint imports, and the service around it.
const AROUND: &str = r#"package acme;

import io.ducktrack.agent.*;
import io.ducktrack.allocations.*;
import java.util.*;
import java.util.stream.*;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
public class Service {
    public static void main(String[] arguments) throws Exception {
        var context = (ServletWebServerApplicationContext) SpringApplication.run(Service.class, arguments);
        System.out.println("READY " + context.getWebServer().getPort());
        System.in.read();
        System.exit(0);
    }
}

"#;

pub(crate) struct Service {
    _folder: tempfile::TempDir,
    process: Child,
    port: u16,
}

/// The block of the guide that begins with these words.
fn endpoint() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cli/guide/embed-it.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let blocks = guide.split("```java\n").skip(1);
    let mut blocks = blocks.filter_map(|block| block.split("```").next());
    let block = blocks
        .find(|block| block.starts_with("@RestController"))
        .expect("an endpoint in the guide");
    let lines = block.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 30, "{lines} lines");
    block.to_owned()
}

impl Service {
    /// Compiles and starts it; `None` where there is no Spring.
    pub(crate) fn start(jdk: &Jdk, artifact: &Path) -> Option<Self> {
        let libraries = harness_folder().join("lib/service");
        if !libraries.is_dir() {
            return None;
        }
        let folder = tempfile::tempdir().expect("temporary folder");
        let source = folder.path().join("Service.java");
        fs::write(&source, AROUND.to_owned() + &endpoint()).expect("a source");
        let path = format!("{}/*:{}", libraries.display(), artifact.display());
        let mut compiler = jdk.tool("javac");
        compiler.arg("-cp").arg(&path).arg("-d").arg(folder.path());
        let output = compiler.arg(&source).output().expect("javac");
        assert!(output.status.success(), "{output:?}");
        let mut java = jdk.java(format!("{}:{path}", folder.path().display()));
        java.args(["-Xmx256m", "-Djdk.attach.allowAttachSelf=true"])
            .args(["acme.Service", "--server.port=0"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = java.spawn().expect("java");
        let lines = BufReader::new(process.stdout.take().expect("output")).lines();
        let mut ports = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("READY ")?.parse().ok());
        let port = ports.next().expect("the service starts");
        Some(Self {
            _folder: folder,
            process,
            port,
        })
    }

    /// The code and the body of an answer.
    pub(crate) fn send(&self, method: &str, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the service");
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (code.expect("a code"), body.to_owned())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
