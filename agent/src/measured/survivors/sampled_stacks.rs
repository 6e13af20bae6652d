//! The call stacks of sampled allocations, each once.

use ducktrack_jvmti::sys::jmethodID;
use ducktrack_jvmti::{Env, FrameInfo, Jni};
use rustc_hash::FxHashMap;

/// Frames kept of a stack, from the allocation outward.
const MOST_FRAMES: usize = 40;
/// A tag has no room for more stacks.
const MOST_STACKS: usize = 1 << 24;

/// Packages of the JDK.
const JDK: [&str; 4] = ["java/", "javax/", "jdk/", "sun/"];

/// A line of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) class: String,
    pub(super) method: String,
    pub(super) line: Option<i32>,
}

/// A method and a bytecode index, as the VM names them.
pub(super) type Frame = (usize, i64);

/// Stacks by number. Names are looked up while the methods run: afterwards their classes may be unloaded.
#[derive(Default)]
pub(super) struct SampledStacks {
    numbers: FxHashMap<Box<[Frame]>, u32>,
    stacks: Vec<Box<[Frame]>>,
    places: FxHashMap<Frame, Place>,
}

impl SampledStacks {
    /// The number of the current thread's stack; `None` if it has no Java frame, or there are too many stacks.
    pub(super) fn current(&mut self, env: Env, jni: Jni) -> Option<u32> {
        let mut frames = [FrameInfo {
            method: std::ptr::null_mut(),
            location: 0,
        }; MOST_FRAMES];
        let depth = env.stack_trace(std::ptr::null_mut(), &mut frames).ok()?;
        let frames = frames.get(..depth).filter(|frames| !frames.is_empty())?;
        let stack: Box<[Frame]> = frames
            .iter()
            .map(|frame| (frame.method as usize, frame.location))
            .collect();
        if let Some(number) = self.numbers.get(&stack) {
            return Some(*number);
        }
        let number = u32::try_from(self.stacks.len()).ok()?;
        if self.stacks.len() >= MOST_STACKS {
            return None;
        }
        for frame in &stack {
            if !self.places.contains_key(frame) {
                self.places.insert(*frame, place(env, jni, *frame)?);
            }
        }
        self.numbers.insert(stack.clone(), number);
        self.stacks.push(stack);
        Some(number)
    }

    /// Equal for stacks that differ only inside of the JDK: the frames of other code. A map makes its nodes at several lines of its own.
    pub(super) fn outer_frames(&self, number: u32) -> &[Frame] {
        let stack = self.stacks.get(number as usize);
        let frames = stack.map_or(&[] as &[Frame], |stack| stack);
        let is_outer = |frame: &Frame| {
            let place = self.places.get(frame);
            place.is_some_and(|place| !JDK.iter().any(|start| place.class.starts_with(start)))
        };
        let first = frames.iter().position(is_outer).unwrap_or(0);
        frames.get(first..).unwrap_or_default()
    }

    /// The frames of a stack, from the allocation outward.
    pub(super) fn places(&self, number: u32) -> impl Iterator<Item = &Place> {
        let stack = self.stacks.get(number as usize);
        let frames = stack.map_or(&[] as &[Frame], |stack| stack);
        frames.iter().filter_map(|frame| self.places.get(frame))
    }
}

fn place(env: Env, jni: Jni, (method, location): Frame) -> Option<Place> {
    let method = method as jmethodID;
    let name = env.method_name(method).ok()?;
    let class = env.method_declaring_class(method).ok()?;
    let signature = env.class_signature(class);
    jni.delete_local_ref(class);
    let text = |bytes: &[u8]| ducktrack_classfile::decode_modified_utf8(bytes).into_owned();
    let signature = signature.ok()?;
    let lines = env.line_number_table(method).unwrap_or_default();
    let line = lines
        .iter()
        .filter(|line| line.start <= location)
        .max_by_key(|line| line.start);
    Some(Place {
        class: text(signature.strip_prefix(b"L")?.strip_suffix(b";")?),
        method: text(&name.name),
        line: line.map(|line| line.line),
    })
}
