//! The objects that are not yet reported dead.
//!
//! Young ids are found by a window over the ids allocated since the last collection; survivors move into a map. So
//! the common record, on a young object, costs one array access.

use rustc_hash::FxHashMap;

use crate::death::clock::Instant;
use crate::death::references::{NONE, ReferenceList, Target};
use crate::stream::record::{Allocation, ObjectId, SiteId, ThreadId, TypeId};

/// The window has at most this many more places than objects.
const HOLES: u64 = 64;
/// The place that stands for all global variables; it never dies.
pub(crate) const GLOBALS: u32 = 0;

/// Where an object stands between a collection's `Dead` record and its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// No object.
    #[default]
    Free,
    /// Not reported dead.
    Alive,
    /// Reported dead; its death time is not yet known.
    Doomed,
    /// Dead, and its death time is known.
    Dead,
}

/// One object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Object {
    pub(crate) id: u64,
    pub(crate) born: Instant,
    pub(crate) used: Instant,
    /// The last moment known from references: one was overwritten, a root held it, or an object that referred to it died.
    pub(crate) held: Instant,
    pub(crate) bytes: u64,
    pub(crate) length: Option<u64>,
    pub(crate) ty: TypeId,
    pub(crate) site: SiteId,
    pub(crate) thread: ThreadId,
    pub(crate) tenant: u32,
    pub(crate) references: ReferenceList,
    pub(crate) referrers: u32,
    /// The collection that kept it last, one more than its position; 0: none.
    pub(crate) kept: u32,
    pub(crate) state: State,
    /// A stamp has stated its uses.
    pub(crate) is_stamped: bool,
}

impl Object {
    /// The last moment known from the object itself.
    #[inline]
    pub(crate) fn stamp(&self) -> Instant {
        self.used.later(self.held)
    }
}

/// All objects, by place and by id.
#[derive(Debug)]
pub(crate) struct ObjectTable {
    objects: Vec<Object>,
    free: Vec<u32>,
    base: u64,
    window: Vec<u32>,
    old: FxHashMap<u64, u32>,
}

impl Default for ObjectTable {
    fn default() -> Self {
        let globals = Object {
            state: State::Alive,
            ..Object::default()
        };
        Self {
            objects: vec![globals],
            free: Vec::new(),
            base: 0,
            window: Vec::new(),
            old: FxHashMap::default(),
        }
    }
}

impl ObjectTable {
    /// Objects that are not reported dead.
    pub(crate) fn len(&self) -> usize {
        self.objects.len() - 1 - self.free.len()
    }

    #[inline]
    pub(crate) fn get(&self, place: u32) -> Option<&Object> {
        self.objects.get(place as usize)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut Object> {
        self.objects.get_mut(place as usize)
    }

    /// The object of a reference, unless it is gone.
    #[inline]
    pub(crate) fn target_mut(&mut self, target: Target) -> Option<&mut Object> {
        self.objects
            .get_mut(target.place as usize)
            .filter(|object| object.tenant == target.tenant && object.state != State::Free)
    }

    /// Where the object stands.
    #[inline]
    pub(crate) fn find(&self, id: ObjectId) -> Option<u32> {
        let at = usize::try_from(id.get().wrapping_sub(self.base)).ok();
        match at.and_then(|at| self.window.get(at)) {
            Some(place) if *place != NONE => Some(*place),
            _ => self.old.get(&id.get()).copied(),
        }
    }

    /// Adds an object; false when there is one with this id.
    pub(crate) fn insert(
        &mut self,
        allocation: &Allocation,
        born: Instant,
        thread: ThreadId,
    ) -> bool {
        let id = allocation.object;
        if self.find(id).is_some() {
            return false;
        }
        let object = Object {
            id: id.get(),
            born,
            used: born,
            held: Instant::default(),
            bytes: allocation.bytes,
            length: allocation.length,
            ty: allocation.ty,
            site: allocation.site,
            thread,
            state: State::Alive,
            ..Object::default()
        };
        let place = self.place(object);
        self.enter(id.get(), place);
        true
    }

    fn place(&mut self, mut object: Object) -> u32 {
        if let Some(place) = self.free.pop()
            && let Some(old) = self.objects.get_mut(place as usize)
        {
            object.tenant = old.tenant;
            *old = object;
            return place;
        }
        self.objects.push(object);
        // 2^32 objects would be 700 GB: memory ends first.
        (self.objects.len() - 1) as u32
    }

    fn enter(&mut self, id: u64, place: u32) {
        if self.window.is_empty() {
            self.base = id;
        }
        let end = self.base.saturating_add(self.window.len() as u64);
        if id >= end && id - end <= HOLES {
            self.window
                .resize(self.window.len() + (id - end) as usize, NONE);
            self.window.push(place);
        } else {
            self.old.insert(id, place);
        }
    }

    /// The end of a collection: survivors among the young become old.
    pub(crate) fn age(&mut self) {
        for (at, place) in self.window.drain(..).enumerate() {
            if place != NONE {
                self.old.insert(self.base + at as u64, place);
            }
        }
    }

    /// Takes the object out of the table.
    pub(crate) fn remove(&mut self, place: u32) {
        let Some(object) = self.objects.get_mut(place as usize) else {
            return;
        };
        let id = object.id;
        object.state = State::Free;
        object.tenant = object.tenant.wrapping_add(1);
        self.free.push(place);
        let at = usize::try_from(id.wrapping_sub(self.base)).ok();
        match at.and_then(|at| self.window.get_mut(at)) {
            Some(young) if *young == place => *young = NONE,
            _ => {
                self.old.remove(&id);
            }
        }
    }

    /// All objects that are not reported dead.
    pub(crate) fn alive(&self) -> impl Iterator<Item = &Object> {
        let real = self.objects.iter().skip(1);
        real.filter(|object| object.state != State::Free)
    }
}
