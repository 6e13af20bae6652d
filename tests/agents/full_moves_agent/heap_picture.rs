//! A snapshot of every object in the heap.

use ducktrack_hotspot::{
    Address, ClassId, ClassTable, HeapObject, ObjectSizes, ObjectWalk, Space, SpaceKind,
};

/// Words in which the test program's objects may hold an id; word 0 is the mark word.
const WORDS: std::ops::Range<usize> = 1..5;
const MARKER: u64 = 0x5A5A;

/// One object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) address: Address,
    pub(crate) bytes: usize,
    pub(crate) class: ClassId,
    /// 0: it has no id.
    pub(crate) id: u64,
    /// It is in a region for new objects.
    pub(crate) young: bool,
}

/// All objects, ascending by address.
#[derive(Debug, Default)]
pub(crate) struct HeapPicture {
    pub(crate) objects: Vec<Seen>,
    /// The ends of spaces that could not be read: they hold dead objects whose classes are gone.
    pub(crate) unread: Vec<Space>,
}

impl HeapPicture {
    /// Reads the heap without archives.
    ///
    /// # Safety
    /// The world must be stopped. Memory below the tops must be committed, and headers must be intact, except for
    /// marks.
    pub(crate) unsafe fn take(spaces: &[Space], classes: &ClassTable, sizes: &ObjectSizes) -> Self {
        let mut picture = Self::default();
        for space in spaces {
            if space.kind == SpaceKind::Archive {
                continue;
            }
            // SAFETY: the caller guarantees what `ObjectWalk` needs.
            for object in unsafe { ObjectWalk::new(space, classes, sizes) } {
                let Ok(object) = object else {
                    let bottom = picture.end_in(space);
                    picture.unread.push(Space { bottom, ..*space });
                    break;
                };
                // SAFETY: the walk found an object of the heap here.
                picture
                    .objects
                    .push(unsafe { Seen::of(object, space, classes) });
            }
        }
        picture
            .objects
            .sort_unstable_by_key(|object| object.address);
        picture
    }

    /// The end of the last object if it is in this space, or else the space's bottom.
    fn end_in(&self, space: &Space) -> Address {
        let last = self.objects.last();
        last.filter(|last| space.bottom <= last.address && last.address < space.top)
            .map_or(space.bottom, |last| last.address.plus(last.bytes))
    }

    /// Whether this address could not be read.
    pub(crate) fn is_unread(&self, address: Address) -> bool {
        self.unread_space(address).is_some()
    }

    fn unread_space(&self, address: Address) -> Option<&Space> {
        let mut spaces = self.unread.iter();
        spaces.find(|space| space.bottom <= address && address < space.top)
    }

    /// Reads one object in a space that could not be read as a whole.
    ///
    /// # Safety
    /// As for [`HeapPicture::take`], at the time of this call; an object must start at `address`.
    pub(crate) unsafe fn read_unread(
        &self,
        address: Address,
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) -> Option<Seen> {
        let space = self.unread_space(address)?;
        let from_here = Space {
            bottom: address,
            ..*space
        };
        // SAFETY: the caller guarantees what `ObjectWalk` needs.
        let object = unsafe { ObjectWalk::new(&from_here, classes, sizes) }.next()?;
        // SAFETY: the walk found an object of the heap here.
        Some(unsafe { Seen::of(object.ok()?, space, classes) })
    }

    /// The object at an address.
    pub(crate) fn at(&self, address: Address) -> Option<&Seen> {
        let index = self
            .objects
            .binary_search_by_key(&address, |object| object.address);
        self.objects.get(index.ok()?)
    }
}

impl Seen {
    unsafe fn of(object: HeapObject, space: &Space, classes: &ClassTable) -> Self {
        Self {
            address: object.address,
            bytes: object.bytes,
            class: object.class,
            // SAFETY: the caller guarantees that this is an object of the heap.
            id: unsafe { id_of(object.address, object.bytes, object.class, classes) },
            young: space.kind.is_young(),
        }
    }
}

/// The id in an object of the test program. Other objects may contain the id of an earlier object: neither the last bytes of an array nor
/// the memory under a filler are cleared.
unsafe fn id_of(object: Address, bytes: usize, class: ClassId, classes: &ClassTable) -> u64 {
    let name = classes.class(class).map(|class| class.name.as_slice());
    if !name.is_some_and(|name| name == b"[J" || name.starts_with(b"FullMovesProbe$")) {
        return 0;
    }
    for word in WORDS.take_while(|&word| (word + 1) * 8 <= bytes) {
        // SAFETY: the word is inside the object, whose `bytes` the caller guarantees to be readable.
        let value: u64 = unsafe { object.plus(word * 8).read() };
        if value >> 48 == MARKER {
            return value;
        }
    }
    0
}
