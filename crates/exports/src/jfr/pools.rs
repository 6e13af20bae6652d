//! Constants that events name by number: threads, stacks, methods, classes, names. 0 names nothing.

use std::hash::Hash;

use ducktrack_profile::{Frame, Profile, StackIndex};
use indexmap::IndexSet;

use super::bytes::Bytes;
use super::metadata::ty;

/// Numbers of `GCWhen`.
pub(super) const BEFORE: u64 = 1;
pub(super) const AFTER: u64 = 2;
/// The one kind of frame.
const JAVA_FRAME: u64 = 1;

/// Each thing once, numbered from 1.
type Pool<T> = IndexSet<T>;

fn number<T: Eq + Hash>(pool: &mut Pool<T>, thing: T) -> u64 {
    pool.insert_full(thing).0 as u64 + 1
}

fn write<T>(pool: &Pool<T>, out: &mut Bytes, ty: u64, mut entry: impl FnMut(&mut Bytes, &T)) {
    out.int(ty);
    out.int(pool.len() as u64);
    for (thing, number) in pool.iter().zip(1..) {
        out.int(number);
        entry(out, thing);
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
        number(&mut self.threads, name.to_owned())
    }

    fn class(&mut self, internal: &str) -> u64 {
        let name = number(&mut self.symbols, internal.to_owned());
        number(&mut self.classes, name)
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
                    let name = number(&mut self.symbols, method.to_string());
                    let descriptor = number(&mut self.symbols, descriptor.to_string());
                    let method = number(&mut self.methods, (class, name, descriptor));
                    frames.push((method, line.unwrap_or(0)));
                }
                Frame::NoStack | Frame::Deeper => is_cut = true,
            }
        }
        number(&mut self.stacks, (frames, is_cut))
    }

    pub(super) fn write(&self, out: &mut Bytes) {
        /// Pools below.
        const POOLS: u64 = 7;
        out.int(POOLS);
        write(&self.symbols, out, ty::SYMBOL, |out, name| out.text(name));
        write(&self.classes, out, ty::CLASS, |out, name| {
            // No loader, the name, no package, public.
            out.int(0);
            out.int(*name);
            out.int(0);
            out.int(1);
        });
        write(
            &self.methods,
            out,
            ty::METHOD,
            |out, (class, name, descriptor)| {
                for number in [*class, *name, *descriptor, 1] {
                    out.int(number);
                }
                out.flag(false);
            },
        );
        write(
            &self.stacks,
            out,
            ty::STACK_TRACE,
            |out, (frames, is_cut)| {
                out.flag(*is_cut);
                out.int(frames.len() as u64);
                for (method, line) in frames {
                    for number in [*method, u64::from(*line), 0, JAVA_FRAME] {
                        out.int(number);
                    }
                }
            },
        );
        let mut number = 0;
        write(&self.threads, out, ty::THREAD, |out, name| {
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
