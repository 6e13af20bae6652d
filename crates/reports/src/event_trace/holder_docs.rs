//! The keys of what is held and of the paths by which it is, shared by `ducktrack holders` and `ducktrack leaks`.

use ducktrack_analyses::TraceModel;
use ducktrack_holders::{
    HolderPath, HolderStep, Holding, Holdings, NamedRoot, Origin, OwnStructure, StepReference,
    TypeNumber,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class_name::{printable, readable_class};
use crate::event_trace::amounts::signed;
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::view::Caller;

/// Objects, their bytes, and what they retain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoldingDoc {
    /// Objects.
    pub count: i64,
    /// Their own bytes.
    pub bytes: i64,
    /// Bytes that would be free without them, theirs included; of rows of tables: at least.
    pub retained: i64,
    /// Collections that the oldest survived.
    pub oldest: u32,
    /// Collections that the youngest survived.
    pub youngest: u32,
}

impl HoldingDoc {
    pub(super) fn of(holding: &Holding) -> Self {
        Self {
            count: signed(holding.objects),
            bytes: signed(holding.bytes),
            retained: signed(holding.retained),
            oldest: holding.oldest,
            youngest: holding.youngest,
        }
    }
}

/// Who made an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MadeDoc {
    /// Where.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// For whom: `com.acme.Shop.open(Shop.java:12) calls java.util.HashMap.put`; null when not known.
    pub caller: Option<String>,
}

/// A path from a root to objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HolderPathDoc {
    /// The objects at its end.
    #[serde(flatten)]
    pub held: HoldingDoc,
    /// What begins it.
    pub root: RootDoc,
    /// Its steps, root first.
    pub steps: Vec<StepDoc>,
    /// What a person would change; null for a path without steps.
    pub structure: Option<StructureDoc>,
}

/// The structure in which objects pile up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StructureDoc {
    /// The step at which one holder becomes many, by its place in `steps`.
    pub piles_up: usize,
    /// Bytes that would be free without the elements of the structure, all objects of that step's path.
    pub retained: i64,
    /// The step that this field leads to, by its place in `steps`; null where the way has none.
    pub field_step: Option<usize>,
    /// The field of the program's own class that holds the structure: `com.acme.Cache.results`; null where the way has none.
    pub field: Option<String>,
    /// Who added to it last: the site of its nodes, or of the array that grew, with the call; null when not known.
    pub added: Option<MadeDoc>,
}

/// What begins a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RootDoc {
    /// `static`, `class`, `frame`, `thread`, `jni-local`, `jni-global`, `monitor`, `vm`, `class-field`, `not-in-dump`.
    pub kind: String,
    /// Its name: `static com.acme.Shop.OPEN`.
    pub name: String,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepDoc {
    /// Its type; of a class object `class com.acme.Shop`.
    #[serde(rename = "type")]
    pub ty: String,
    /// How the step before refers to it: a field, `[7]` (`[*]`: elements of arrays), `<class>`; null for the first.
    pub by: Option<String>,
    /// Objects on this step that lead to the objects at the path's end.
    pub count: i64,
    /// Collections that the example survived.
    pub age: u32,
    /// Collections since the example's last use; null where it is not recorded.
    pub staleness: Option<u32>,
    /// More such objects lie between this step and the next (a list, tables in tables).
    pub repeats: bool,
    /// Its class is not of the JDK.
    pub own: bool,
    /// Who made the example; null when not known.
    pub made: Option<MadeDoc>,
}

/// Makes these documents for one model.
pub(super) struct HolderDocs<'a> {
    pub(super) model: &'a TraceModel,
    pub(super) holdings: &'a Holdings,
    pub(super) callers: &'a [Caller],
}

impl HolderDocs<'_> {
    pub(super) fn type_name(&self, ty: TypeNumber) -> String {
        type_name(Some(self.holdings.types.name(ty)).filter(|name| !name.is_empty()))
    }

    /// The type; of a class object the class.
    pub(super) fn object_name(&self, ty: TypeNumber, class: Option<&String>) -> String {
        match class {
            Some(class) => format!("class {}", readable_class(class)),
            None => self.type_name(ty),
        }
    }

    pub(super) fn made(&self, origin: Origin) -> Option<MadeDoc> {
        let call = origin.call.and_then(|call| self.callers.get(call.get()));
        Some(MadeDoc {
            place: PlaceDoc::of(&self.model.count, origin.site?)?,
            caller: call.map(ToString::to_string),
        })
    }

    pub(super) fn path(&self, path: &HolderPath) -> HolderPathDoc {
        HolderPathDoc {
            held: HoldingDoc::of(&path.held),
            root: root_doc(&path.root),
            steps: path.steps.iter().map(|step| self.step(step)).collect(),
            structure: path
                .structure
                .as_ref()
                .map(|structure| self.structure(path, structure)),
        }
    }

    fn structure(&self, path: &HolderPath, structure: &OwnStructure) -> StructureDoc {
        let (field, _) = self.holdings.structure_field(path);
        StructureDoc {
            piles_up: structure.piles_up,
            retained: signed(structure.retained),
            field_step: structure.field,
            field: field.map(|field| {
                format!(
                    "{}.{}",
                    readable_class(&field.class),
                    printable(&field.field)
                )
            }),
            added: self.made(structure.added),
        }
    }

    fn step(&self, step: &HolderStep) -> StepDoc {
        StepDoc {
            ty: self.object_name(step.ty, step.class.as_ref()),
            by: step.reference.as_ref().map(by),
            count: signed(step.objects),
            age: step.age,
            staleness: step.staleness,
            repeats: step.repeats,
            own: step.is_own,
            made: self.made(step.origin),
        }
    }
}

fn by(reference: &StepReference) -> String {
    match reference {
        StepReference::Field(name) => printable(name),
        StepReference::Static(name) => format!("static {}", printable(name)),
        StepReference::Element(Some(at)) => format!("[{at}]"),
        StepReference::Element(None) => "[*]".to_owned(),
        StepReference::Class => "<class>".to_owned(),
    }
}

/// What begins a path, in words.
pub(super) fn root_doc(root: &NamedRoot) -> RootDoc {
    let of_thread = |thread: &str| match thread {
        "" => "a thread".to_owned(),
        name => format!("thread \"{}\"", printable(name)),
    };
    let (kind, name) = match root {
        NamedRoot::Static { class, field } => (
            "static",
            format!("static {}.{}", readable_class(class), printable(field)),
        ),
        NamedRoot::Class(class) => ("class", format!("class {}", readable_class(class))),
        NamedRoot::Frame { thread, at } if at.is_empty() => (
            "frame",
            format!("a local variable in {}", of_thread(thread)),
        ),
        NamedRoot::Frame { thread, at } => (
            "frame",
            format!(
                "a local variable of {} in {}",
                printable(at),
                of_thread(thread)
            ),
        ),
        NamedRoot::Thread(thread) => ("thread", of_thread(thread)),
        NamedRoot::JniLocal(thread) => (
            "jni-local",
            format!("a local JNI reference in {}", of_thread(thread)),
        ),
        NamedRoot::JniGlobal => ("jni-global", "a global JNI reference".to_owned()),
        NamedRoot::Monitor => ("monitor", "a monitor in use".to_owned()),
        NamedRoot::Vm => ("vm", "the JVM itself".to_owned()),
        NamedRoot::ClassField(field) => (
            "class-field",
            format!(
                "java.lang.Class.{field} of some class (a ClassValue keeps its values in the ClassValueMap there; no heap dump has this field)"
            ),
        ),
        NamedRoot::NotInDump => (
            "not-in-dump",
            "held by something that a heap dump does not have".to_owned(),
        ),
    };
    RootDoc {
        kind: kind.to_owned(),
        name,
    }
}
