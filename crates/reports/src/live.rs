//! Totals and rates of a running program, as rows for a screen or as JSON.

use ducktrack_count_model::{LiveName, Tally};
use serde::Serialize;

use crate::class_name::{printable, readable_class, readable_type};
use crate::error::ReportError;

/// A row as people read it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveRowDoc {
    /// Place, type, thread or package.
    pub name: String,
    /// Objects since the start, or since the mark.
    pub objects: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Objects per second between the last two looks.
    pub objects_per_second: f64,
    /// Bytes per second between the last two looks.
    pub bytes_per_second: f64,
    /// Of a call of the application: objects that were executed while it was under way. The others are those that are charged to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusive_objects: Option<i64>,
    /// Their bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusive_bytes: Option<i64>,
}

/// A collection, when it is over.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveCollectionDoc {
    /// Its number.
    pub number: u32,
    /// `young`, `mixed`, `full`, `cleanup` or `other`.
    pub kind: &'static str,
    /// The VM's words for why.
    pub cause: String,
    /// How long it stopped the program.
    pub pause_millis: f64,
    /// How long ago it ended.
    pub seconds_ago: f64,
    /// Objects that are not known to be dead after it; `null` where moves are not known.
    pub live_objects: Option<u64>,
    /// Their bytes.
    pub live_bytes: Option<u64>,
    /// The bytes in all spaces after it.
    pub used_bytes: u64,
}

/// The heap of a traced program.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveHeapDoc {
    /// The last collection.
    pub last: LiveCollectionDoc,
    /// The last that looked at the whole old space, of those that are known.
    pub last_full: Option<LiveCollectionDoc>,
    /// Between the last two looks.
    pub collections_per_second: f64,
    /// With `by` `heap`: the collection after which the objects of the rows live; `null` where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_of_collection: Option<u32>,
    /// The share of that time in which collections stopped the program.
    pub pause_share: f64,
}

/// The output of `ducktrack top --once --format json`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveDoc {
    /// Always `ducktrack-top`.
    pub format: &'static str,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The directory.
    pub trace: String,
    /// Process id of the JVM.
    pub pid: u32,
    /// `running`, `killed`, `ended` or `unknown`.
    pub state: &'static str,
    /// `sites`, `calls`, `types`, `threads`, `packages`, or `heap`: sites again, but their objects that live; rates are what became more of
    /// them.
    pub by: &'static str,
    /// Seconds between the two looks that rates are of.
    pub seconds: f64,
    /// All together.
    pub total: LiveRowDoc,
    /// The heap; `null` without a trace, and before the first collection.
    pub heap: Option<LiveHeapDoc>,
    /// Rows, in the order that was asked for.
    pub rows: Vec<LiveRowDoc>,
}

impl LiveDoc {
    /// As JSON.
    ///
    /// # Errors
    /// A figure that JSON cannot say.
    pub fn json(&self) -> Result<String, ReportError> {
        Ok(serde_json::to_string_pretty(self).map_err(ReportError::NoJsonForm)? + "\n")
    }
}

/// `com.acme.Shop.sell:12 String`
pub fn live_name(name: &LiveName) -> String {
    match name {
        LiveName::Site {
            class,
            method,
            line,
            ty,
        } => {
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            let ty = ty
                .as_deref()
                .map_or_else(String::new, |ty| format!("  {}", readable_type(ty)));
            format!("{}.{}{line}{ty}", readable_class(class), printable(method))
        }
        LiveName::Call {
            class,
            method,
            line,
            target,
        } => {
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            let (class, method) = (readable_class(class), printable(method));
            format!("{class}.{method}{line} calls {}", readable_class(target))
        }
        LiveName::OffHeap {
            kind,
            class,
            method,
            line,
        } => {
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            let place = match class.as_str() {
                "" => "(line not known)".to_owned(),
                class => format!("{}.{}{line}", readable_class(class), printable(method)),
            };
            format!("{}  {place}", kind.name())
        }
        LiveName::UnknownSite => "(site not known)".to_owned(),
        LiveName::Type(descriptor) => readable_type(descriptor),
        LiveName::Thread(name) => printable(name),
        LiveName::Context { kind, name } => printable(&format!("{kind}: {name}")),
        LiveName::Package(package) if package.is_empty() => "(no package)".to_owned(),
        LiveName::Package(package) => readable_class(package),
    }
}

/// A row of a name with its total and how much that grew in some seconds.
pub fn live_row(name: String, total: Tally, grown: Tally, seconds: f64) -> LiveRowDoc {
    let per_second = |amount: i64| match seconds > 0.0 {
        true => amount as f64 / seconds,
        false => 0.0,
    };
    LiveRowDoc {
        name,
        objects: total.count,
        bytes: total.bytes,
        objects_per_second: per_second(grown.count),
        bytes_per_second: per_second(grown.bytes),
        inclusive_objects: None,
        inclusive_bytes: None,
    }
}
