//! Protocols that other programs speak: MCP with a client from PyPI, S3 with a server from PyPI, OpenTelemetry
//! with a collector built from its Go modules. A test whose program is missing is skipped, with a line about it.

#[path = "../fleet/built.rs"]
mod built;
mod otlp;
#[path = "../fleet/parquet_export.rs"]
mod parquet_export;
#[path = "../fleet/place.rs"]
mod place;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use built::ducktrack;
use ducktrack_test_support::{Ended, free_port, python_with, sample_run};
use place::{Place, err, out};

const CLIENT: &str = "
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    server = StdioServerParameters(command=sys.argv[1], args=['mcp', sys.argv[2]])
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        print(*sorted(tool.name for tool in (await session.list_tools()).tools))
        for name, arguments in [('recordings', {}), ('report', {'recording': 't', 'top': 3}), ('report', {'recording': '../..'})]:
            print((await session.call_tool(name, arguments)).content[0].text)
asyncio.run(main())
";

#[test]
fn a_client_of_mcp_gets_what_the_command_prints() {
    let Some(python) = python_with("mcp") else {
        return;
    };
    let place = Place::new();
    place.trace("t", sample_run::records());
    let asked = Command::new(python)
        .args(["-c", CLIENT])
        .arg(ducktrack())
        .arg(place.path(""))
        .output()
        .expect("Python");
    assert!(asked.status.success(), "{}", err(&asked));
    let text = out(&asked);
    assert!(
        text.starts_with("contexts diff explain heap holders info leaks recordings report\nt\n"),
        "{text}"
    );
    let trace = place.path("t").canonicalize().expect("a path");
    let printed = place.ducktrack(&["report", &trace.display().to_string(), "--full", "--top=3"]);
    assert!(text.contains(out(&printed).trim()), "{text}");
    assert!(text.contains("not below the folder"), "{text}");
}

/// A server that speaks S3, with a bucket `fleet`.
struct S3 {
    python: PathBuf,
    port: u16,
    _server: Ended,
}

impl S3 {
    fn start() -> Option<Self> {
        let python = python_with("moto.server")?;
        let port = free_port();
        let server = Command::new(&python)
            .args(["-m", "moto.server", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let server = Ended(server.expect("the server starts"));
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "the server does not listen");
            sleep(Duration::from_millis(100));
        }
        let s3 = Self {
            python,
            port,
            _server: server,
        };
        s3.boto("s3.create_bucket(Bucket='fleet')");
        Some(s3)
    }

    fn boto(&self, script: &str) -> String {
        let port = self.port;
        let script = format!(
            "import boto3\ns3 = boto3.client('s3', endpoint_url='http://127.0.0.1:{port}', region_name='us-east-1', aws_access_key_id='x', aws_secret_access_key='y')\n{script}"
        );
        let output = Command::new(&self.python)
            .args(["-c", &script])
            .output()
            .expect("Python");
        assert!(output.status.success(), "{}", err(&output));
        out(&output)
    }

    /// Keys and sizes.
    fn listed(&self) -> Vec<String> {
        let listed = self.boto("print(*sorted(f\"{o['Key']} {o['Size']}\" for o in s3.list_objects_v2(Bucket='fleet').get('Contents', [])), sep='\\n')");
        listed
            .lines()
            .map(str::to_owned)
            .filter(|line| !line.is_empty())
            .collect()
    }
}

/// An export of the sample run to the bucket, by way of a port.
fn export_to_s3(place: &Place, port: u16) -> Command {
    let flags = [
        "--to",
        "parquet",
        "--service",
        "orders",
        "--version",
        "1",
        "--host",
        "web-1",
    ];
    let mut command =
        place.command(&[["export", "t", "-o", "s3://fleet/root"].as_slice(), &flags].concat());
    command.envs([
        ("AWS_ENDPOINT", format!("http://127.0.0.1:{port}").as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "x"),
        ("AWS_SECRET_ACCESS_KEY", "y"),
    ]);
    command
}

/// Each file of the bucket is the one of the folder.
fn assert_same_files(place: &Place, listed: &[String]) {
    for line in listed {
        let (key, size) = line.split_once(' ').expect("a key and a size");
        let file = std::fs::metadata(place.path(key)).expect("the same file as in the folder");
        assert_eq!(file.len().to_string(), size, "{key}");
    }
}

/// A recording, and its three files in a folder.
fn exported_to_a_folder() -> Place {
    let place = Place::new();
    place.trace("t", sample_run::records());
    let local = place.export(&["t"], "root", "orders", "1", &["--host", "web-1"]);
    assert!(local.status.success(), "{}", err(&local));
    place
}

/// An export to the server puts the same three files there.
fn assert_exports_all(place: &Place, s3: &S3) {
    let output = export_to_s3(place, s3.port).output().expect("the command");
    assert!(output.status.success(), "{}", err(&output));
    let listed = s3.listed();
    assert_eq!(listed.len(), 3, "{listed:?}");
    assert_same_files(place, &listed);
}

/// Passes connections on to a port. When the first request to write the file
/// of this number begins, it is not passed on, and the receiver hears of it.
fn hold_write(number: usize, to: u16) -> (u16, std::sync::mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (begun, hears) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let files = Arc::new(Mutex::new(Vec::new()));
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(("127.0.0.1", to)).expect("the server");
            let (files, begun) = (files.clone(), begun.clone());
            let (mut from_server, mut to_client) = (
                server.try_clone().expect("a stream"),
                client.try_clone().expect("a stream"),
            );
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from_server, &mut to_client);
                // Else the client sends its next request here, in vain, and once more elsewhere.
                let _ = to_client.shutdown(Shutdown::Both);
            });
            std::thread::spawn(move || pass_on(client, server, (number, &files), &begun));
        }
    });
    (port, hears)
}

fn pass_on(
    mut client: TcpStream,
    mut server: TcpStream,
    (number, files): (usize, &Mutex<Vec<String>>),
    begun: &std::sync::mpsc::Sender<()>,
) {
    let mut chunk = vec![0; 1 << 16];
    while let Ok(length) = client.read(&mut chunk) {
        if is_held(&chunk[..length], number, files) {
            let _ = begun.send(());
            return;
        }
        if length == 0 || server.write_all(&chunk[..length]).is_err() {
            return;
        }
    }
}

/// Whether a request begins to write the file of this number. A client may send a request again: files are counted, not requests.
fn is_held(request: &[u8], number: usize, files: &Mutex<Vec<String>>) -> bool {
    let line = String::from_utf8_lossy(request);
    let mut words = line.split([' ', '?']);
    if !matches!(words.next(), Some("PUT" | "POST")) {
        return false;
    }
    let file = words.next().unwrap_or_default().to_owned();
    let mut files = files.lock().expect("no panic");
    if !files.contains(&file) {
        files.push(file.clone());
    }
    files.get(number - 1) == Some(&file)
}

/// Whichever file is not written when the export is killed: those before are whole, `runs` is the last, and the next export completes them.
#[test]
fn a_killed_export_leaves_whole_files_and_the_next_one_completes_them() {
    let Some(s3) = S3::start() else {
        return;
    };
    let place = exported_to_a_folder();
    for number in 1..=3 {
        s3.boto("[s3.delete_object(Bucket='fleet', Key=o['Key']) for o in s3.list_objects_v2(Bucket='fleet').get('Contents', [])]");
        let (port, begun) = hold_write(number, s3.port);
        let mut export = export_to_s3(&place, port)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command");
        begun
            .recv_timeout(Duration::from_secs(30))
            .expect("a request to write");
        export.kill().expect("a process");
        export.wait().expect("its end");
        let listed = s3.listed();
        assert_eq!(listed.len(), number - 1, "{listed:?}");
        assert!(
            listed.iter().all(|line| !line.contains("/runs/")),
            "{listed:?}"
        );
        assert_same_files(&place, &listed);
        assert_exports_all(&place, &s3);
    }
}

#[test]
fn tables_go_to_a_server_of_s3() {
    let Some(s3) = S3::start() else {
        return;
    };
    let place = exported_to_a_folder();
    assert_exports_all(&place, &s3);
}
