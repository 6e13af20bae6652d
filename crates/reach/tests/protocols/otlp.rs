//! A collector of OpenTelemetry gets the profiles that the command sends, by HTTP and by gRPC.

use std::fs::{self, File};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ducktrack_test_support::{Ended, fleet_tool, free_port, sample_run};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::profiles::v1development::{
    Profile, ProfilesData, ProfilesDictionary, Sample,
};
use prost::Message as _;

use crate::place::{Place, err, out};

/// A collector that writes each message into a file, its length (4 bytes) before it.
struct Collector<'a> {
    place: &'a Place,
    http: u16,
    grpc: u16,
    _process: Ended,
}

impl<'a> Collector<'a> {
    fn start(place: &'a Place) -> Option<Self> {
        let program = fleet_tool("otelcol", "collector")?;
        let (http, grpc) = (free_port(), free_port());
        let arrived = place.path("arrived");
        let settings = format!(
            "receivers: {{otlp: {{protocols: {{grpc: {{endpoint: '127.0.0.1:{grpc}'}}, http: {{endpoint: '127.0.0.1:{http}'}}}}}}}}
exporters: {{file: {{path: '{}', format: proto}}}}
service: {{telemetry: {{metrics: {{level: none}}}}, pipelines: {{profiles: {{receivers: [otlp], exporters: [file]}}}}}}
",
            arrived.display()
        );
        fs::write(place.path("collector.yaml"), settings).expect("a file");
        let process = Command::new(program)
            .args(["--feature-gates=service.profilesSupport", "--config"])
            .arg(place.path("collector.yaml"))
            .stdout(Stdio::null())
            .stderr(File::create(place.path("collector.log")).expect("a file"))
            .spawn();
        let process = Ended(process.expect("the collector starts"));
        let end = Instant::now() + Duration::from_secs(60);
        for port in [http, grpc] {
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                let log = fs::read_to_string(place.path("collector.log")).unwrap_or_default();
                assert!(Instant::now() < end, "the collector does not listen: {log}");
                sleep(Duration::from_millis(100));
            }
        }
        Some(Self {
            place,
            http,
            grpc,
            _process: process,
        })
    }

    /// The messages so far, as soon as there are this many.
    fn arrived(&self, number: usize) -> Vec<ProfilesData> {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let bytes = fs::read(self.place.path("arrived")).unwrap_or_default();
            let messages = messages(&bytes);
            if messages.len() >= number {
                return messages;
            }
            assert!(Instant::now() < end, "{} of {number}", messages.len());
            sleep(Duration::from_millis(100));
        }
    }
}

/// Those that are whole.
fn messages(mut bytes: &[u8]) -> Vec<ProfilesData> {
    let mut found = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((message, rest)) = rest.split_at_checked(length) else {
            break;
        };
        found.push(ProfilesData::decode(message).expect("profiles"));
        bytes = rest;
    }
    found
}

/// The samples of the profile of this type.
fn samples<'a>(data: &'a ProfilesData, ty: &str) -> impl Iterator<Item = &'a Sample> {
    let texts = &dictionary(data).string_table;
    let of_type = profiles(data).into_iter().filter(move |profile| {
        let stated = profile.sample_type.as_ref().expect("a type").type_strindex;
        texts[stated as usize] == ty
    });
    of_type.flat_map(|profile| &profile.samples)
}

/// The sum of their values.
fn sum(data: &ProfilesData, ty: &str) -> i64 {
    let values = samples(data, ty).flat_map(|sample| &sample.values);
    values.sum()
}

/// The sum of the values of samples with this attribute.
fn sum_with(data: &ProfilesData, ty: &str, attribute: (&str, &str)) -> i64 {
    let tables = dictionary(data);
    let has = |index: &i32| {
        let found = &tables.attribute_table[*index as usize];
        let value = found.value.as_ref().and_then(|value| value.value.clone());
        tables.string_table[found.key_strindex as usize] == attribute.0
            && value == Some(Value::StringValue(attribute.1.to_owned()))
    };
    let samples = samples(data, ty).filter(|sample| sample.attribute_indices.iter().any(has));
    samples.flat_map(|sample| &sample.values).sum()
}

/// The collector adds texts of the resource to the table of texts, and writes out what has no value; all else is as it was sent.
fn assert_same(sent: &ProfilesData, arrived: &ProfilesData) {
    let (tables, arrived_tables) = (dictionary(sent), dictionary(arrived));
    let texts = &tables.string_table;
    assert_eq!(arrived_tables.string_table[..texts.len()], texts[..]);
    assert_eq!(arrived_tables.location_table, tables.location_table);
    assert_eq!(arrived_tables.function_table, tables.function_table);
    assert_eq!(arrived_tables.stack_table, tables.stack_table);
    let attributes = &tables.attribute_table;
    assert_eq!(arrived_tables.attribute_table.len(), attributes.len());
    assert_eq!(arrived_tables.attribute_table[1..], attributes[1..]);
    assert_eq!(resource(arrived), resource(sent));
    let (profiles, arrived) = (profiles(sent), profiles(arrived));
    assert_eq!(arrived.len(), profiles.len());
    for (sent, arrived) in profiles.into_iter().zip(arrived) {
        let arrived = Profile {
            period_type: None,
            ..arrived.clone()
        };
        assert_eq!(&arrived, sent);
    }
}

fn dictionary(data: &ProfilesData) -> &ProfilesDictionary {
    data.dictionary.as_ref().expect("a dictionary")
}

fn profiles(data: &ProfilesData) -> Vec<&Profile> {
    let scopes = data.resource_profiles.iter();
    let scopes = scopes.flat_map(|resource| &resource.scope_profiles);
    scopes.flat_map(|scope| &scope.profiles).collect()
}

/// Keys and values of the process, with those that are in the table of texts.
fn resource(data: &ProfilesData) -> Vec<(String, String)> {
    let text = |at: i32| dictionary(data).string_table[at as usize].clone();
    let resource = data.resource_profiles[0].resource.as_ref();
    let attributes = resource.expect("a resource").attributes.iter();
    let pairs = attributes.map(|attribute| {
        let key = match attribute.key.is_empty() {
            true => text(attribute.key_strindex),
            false => attribute.key.clone(),
        };
        let value = match &attribute.value.as_ref().expect("a value").value {
            Some(Value::StringValue(value)) => value.clone(),
            Some(Value::StringValueStrindex(at)) => text(*at),
            other => format!("{other:?}"),
        };
        (key, value)
    });
    pairs.collect()
}

#[test]
fn a_collector_gets_the_profiles_that_are_sent() {
    let place = Place::new();
    let Some(collector) = Collector::start(&place) else {
        return;
    };
    place.trace("t", sample_run::records());
    let export = |more: [&str; 2]| {
        let words: Vec<&str> = ["export", "t", "--to", "otlp"]
            .into_iter()
            .chain(more)
            .collect();
        let exported = place.ducktrack(&words);
        assert!(exported.status.success(), "{}", err(&exported));
    };
    export(["-o", "profiles"]);
    export(["--push", &format!("http://127.0.0.1:{}", collector.http)]);
    export(["--push", &format!("grpc://127.0.0.1:{}", collector.grpc)]);
    let written = fs::read(place.path("profiles")).expect("a file");
    let sent = ProfilesData::decode(written.as_slice()).expect("profiles");
    let arrived = collector.arrived(2);
    assert_eq!(arrived.len(), 2);
    for arrived in &arrived {
        assert_same(&sent, arrived);
    }

    let report = place.ducktrack(&["report", "t", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&report)).expect("JSON");
    let totals = &report["totals"];
    assert_eq!(Some(sum(&sent, "alloc_objects")), totals["count"].as_i64());
    assert_eq!(Some(sum(&sent, "alloc_space")), totals["bytes"].as_i64());
}

#[test]
fn samples_name_the_contexts_that_they_were_made_in() {
    let place = Place::new();
    place.trace("t", sample_run::records_in_contexts());
    let exported = place.ducktrack(&["export", "t", "--to", "otlp", "-o", "profiles"]);
    assert!(exported.status.success(), "{}", err(&exported));
    let written = fs::read(place.path("profiles")).expect("a file");
    let sent = ProfilesData::decode(written.as_slice()).expect("profiles");
    let report = place.ducktrack(&["report", "t", "--by", "context", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&report)).expect("JSON");
    let contexts = report["contexts"].as_array().expect("contexts");
    assert_eq!(contexts.len(), 2, "{report}");
    for context in contexts {
        let text = |key: &str| context[key].as_str().expect("a text");
        let key = format!("context.{}", text("kind"));
        let attribute = (key.as_str(), text("name"));
        let sums = ["alloc_objects", "alloc_space"].map(|ty| sum_with(&sent, ty, attribute));
        assert!(sums[0] > 0, "{context}");
        assert_eq!(
            serde_json::json!(sums),
            serde_json::json!([context["count"], context["bytes"]])
        );
    }
    let all = ["alloc_objects", "alloc_space"].map(|ty| sum(&sent, ty));
    let total = &report["total"];
    assert_eq!(
        serde_json::json!(all),
        serde_json::json!([total["count"], total["bytes"]])
    );
}

#[test]
fn a_collector_that_is_not_there_is_an_error() {
    let place = Place::new();
    place.trace("t", sample_run::records());
    for scheme in ["http", "grpc"] {
        let url = format!("{scheme}://127.0.0.1:{}", free_port());
        let exported = place.ducktrack(&["export", "t", "--to", "otlp", "--push", &url]);
        assert!(!exported.status.success());
        assert!(err(&exported).contains(&url), "{}", err(&exported));
        assert!(
            err(&exported).contains("cannot be reached"),
            "{}",
            err(&exported)
        );
    }
}
