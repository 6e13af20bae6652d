//! Constants that events name by number: threads, stacks, methods, classes, names. 0 names nothing.

use std::collections::HashMap;
use std::hash::Hash;

use ducktrack_profile::{Frame, Profile, StackIndex};

use super::bytes::Bytes;
use super::metadata::ty;

/// Numbers of `GCWhen`.
pub(super) const BEFORE: u64 = 1;
pub(super) const AFTER: u64 = 2;
/// The one kind of frame.
const JAVA_FRAME: u64 = 1;

/// Each thing once, numbered from 1.
#[derive(Debug)]
struct Pool<T>(Vec<T>, HashMap<T, u64>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Vec::new(), HashMap::new())
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    fn number(&mut self, thing: T) -> u64 {
        if let Some(known) = self.1.get(&thing) {
            return *known;
        }
        let number = self.0.len() as u64 + 1;
        self.0.push(thing.clone());
        self.1.insert(thing, number);
        number
    }

    fn write(&self, out: &mut Bytes, ty: u64, mut entry: impl FnMut(&mut Bytes, &T)) {
        out.int(ty);
        out.int(self.0.len() as u64);
        for (thing, number) in self.0.iter().zip(1..) {
            out.int(number);
            entry(out, thing);
        }
    }
}

/// Class, name, descriptor.
type Method = (u64, u64, u64);
/// Method and line, the topmost frame first; and whether deeper ones are missing.
type Stack = (Vec<(u64, u16)>, bool);

#[derive(Debug, Default)]
pub(super) struct Pools {
    symbols: Pool<String>,
    classes: Pool<u64>,
    methods: Pool<Method>,
    stacks: Pool<Stack>,
    threads: Pool<String>,
}

impl Pools {
    pub(super) fn thread(&mut self, name: &str) -> u64 {
        self.threads.number(name.to_owned())
    }

    fn class(&mut self, internal: &str) -> u64 {
        let name = self.symbols.number(internal.to_owned());
        self.classes.number(name)
    }

    /// The class of a descriptor: `Ljava/lang/String;` is `java/lang/String`, arrays stay.
    pub(super) fn class_of(&mut self, descriptor: Option<&str>) -> u64 {
        let Some(descriptor) = descriptor else {
            return 0;
        };
        let object = descriptor
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'));
        self.class(object.unwrap_or(descriptor))
    }

    pub(super) fn stack(&mut self, profile: &Profile, stack: StackIndex) -> u64 {
        let mut frames = Vec::new();
        let mut is_cut = false;
        for frame in profile.frames_of(stack) {
            match profile.frame(frame) {
                Frame::Method {
                    class,
                    method,
                    descriptor,
                    line,
                    ..
                } => {
                    let class = self.class(class);
                    let name = self.symbols.number(method.to_string());
                    let descriptor = self.symbols.number(descriptor.to_string());
                    let method = self.methods.number((class, name, descriptor));
                    frames.push((method, line.unwrap_or(0)));
                }
                Frame::NoStack | Frame::Deeper => is_cut = true,
            }
        }
        self.stacks.number((frames, is_cut))
    }

    pub(super) fn write(&self, out: &mut Bytes) {
        /// Pools below.
        const POOLS: u64 = 7;
        out.int(POOLS);
        self.symbols
            .write(out, ty::SYMBOL, |out, name| out.text(name));
        self.classes.write(out, ty::CLASS, |out, name| {
            // No loader, the name, no package, public.
            out.int(0);
            out.int(*name);
            out.int(0);
            out.int(1);
        });
        self.methods
            .write(out, ty::METHOD, |out, (class, name, descriptor)| {
                for number in [*class, *name, *descriptor, 1] {
                    out.int(number);
                }
                out.flag(false);
            });
        self.stacks
            .write(out, ty::STACK_TRACE, |out, (frames, is_cut)| {
                out.flag(*is_cut);
                out.int(frames.len() as u64);
                for (method, line) in frames {
                    for number in [*method, u64::from(*line), 0, JAVA_FRAME] {
                        out.int(number);
                    }
                }
            });
        let mut number = 0;
        self.threads.write(out, ty::THREAD, |out, name| {
            number += 1;
            out.text(name);
            out.int(0);
            out.text(name);
            out.int(number);
        });
        named(out, ty::FRAME_TYPE, &["JIT compiled"]);
        named(out, ty::GC_WHEN, &["Before GC", "After GC"]);
    }
}

fn named(out: &mut Bytes, ty: u64, names: &[&str]) {
    out.int(ty);
    out.int(names.len() as u64);
    for (name, number) in names.iter().zip(1..) {
        out.int(number);
        out.text(name);
    }
}
