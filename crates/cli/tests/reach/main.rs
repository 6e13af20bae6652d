//! Protocols that other programs speak: MCP with a client from PyPI, S3 with a server from PyPI. What is missing here is said, and its test skipped.

#[path = "../fleet/place.rs"]
#[allow(dead_code, reason = "shared with the tests of fleet")]
mod place;

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ducktrack_test_support::sample_run;
use place::{Place, err, out};

fn python_with(module: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".cache/fleet-tools/bin/python");
    let status = Command::new(&python)
        .args(["-c", &format!("import {module}")])
        .stderr(Stdio::null())
        .status();
    if status.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    let _ = writeln!(
        std::io::stdout(),
        "skipped: no {module}; scripts/install-fleet-tools brings it"
    );
    None
}

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
        .args(["-c", CLIENT, env!("CARGO_BIN_EXE_ducktrack")])
        .arg(place.path(""))
        .output()
        .expect("Python");
    assert!(asked.status.success(), "{}", err(&asked));
    let text = out(&asked);
    assert!(
        text.starts_with("diff explain heap holders info leaks recordings report\nt\n"),
        "{text}"
    );
    let trace = place.path("t").canonicalize().expect("a path");
    let printed = place.ducktrack(&["report", &trace.display().to_string(), "--full", "--top=3"]);
    assert!(text.contains(out(&printed).trim()), "{text}");
    assert!(text.contains("not below the folder"), "{text}");
}

/// Ends with the test, whatever it finds.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn tables_go_to_a_server_of_s3() {
    let Some(python) = python_with("moto.server") else {
        return;
    };
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let server = Command::new(&python)
        .args(["-m", "moto.server", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Ended(server.expect("the server starts"));
    let end = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the server does not listen");
        sleep(Duration::from_millis(100));
    }
    let endpoint = format!("http://127.0.0.1:{port}");
    let boto = |script: &str| {
        let script = format!(
            "import boto3, sys\ns3 = boto3.client('s3', endpoint_url='{endpoint}', region_name='us-east-1', aws_access_key_id='x', aws_secret_access_key='y')\n{script}"
        );
        let output = Command::new(&python)
            .args(["-c", &script])
            .output()
            .expect("Python");
        assert!(output.status.success(), "{}", err(&output));
        out(&output)
    };
    boto("s3.create_bucket(Bucket='fleet')");
    let place = Place::new();
    place.trace("t", sample_run::records());
    let local = place.export(&["t"], "root", "orders", "1", &["--host", "web-1"]);
    assert!(local.status.success(), "{}", err(&local));
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
    let output = place
        .command(&[["export", "t", "-o", "s3://fleet/root"].as_slice(), &flags].concat())
        .envs([
            ("AWS_ENDPOINT", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "x"),
            ("AWS_SECRET_ACCESS_KEY", "y"),
        ])
        .output()
        .expect("the command");
    assert!(output.status.success(), "{}", err(&output));
    let listed = boto(
        "print(*sorted(f\"{o['Key']} {o['Size']}\" for o in s3.list_objects_v2(Bucket='fleet')['Contents']), sep='\\n')",
    );
    assert_eq!(listed.lines().count(), 3, "{listed}");
    for line in listed.lines() {
        let (key, size) = line.split_once(' ').expect("a key and a size");
        let file = std::fs::metadata(place.path(key)).expect("the same file as in the folder");
        assert_eq!(file.len().to_string(), size, "{key}");
    }
}
