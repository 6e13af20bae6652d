//! Every object of the heap at one moment.

use ducktrack_hotspot::{
    Address, ClassId, ClassTable, HeapObject, ObjectSizes, ObjectWalk, Space, SpaceKind,
};

/// Words in which the test program's objects may hold an id, from the second on: the first one is the mark word.
const WORDS: std::ops::Range<usize> = 1..5;
const MARKER: u64 = 0x5A5A;

/// An object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) address: Address,
    pub(crate) bytes: usize,
    pub(crate) class: ClassId,
    /// 0: none.
    pub(crate) id: u64,
    /// In a region for new objects.
    pub(crate) young: bool,
}

/// All objects, ascending by address.
#[derive(Debug, Default)]
pub(crate) struct HeapPicture {
    pub(crate) objects: Vec<Seen>,
    /// The ends of spaces that could not be read: dead objects lie there whose classes are gone.
    pub(crate) unread: Vec<Space>,
}

impl HeapPicture {
    /// Reads the heap. Archives are left out.
    ///
    /// # Safety
    /// The world is stopped; memory below the tops is committed, and headers are whole, apart from marks.
    pub(crate) unsafe fn take(spaces: &[Space], classes: &ClassTable, sizes: &ObjectSizes) -> Self {
        let mut picture = Self::default();
        for space in spaces {
            if space.kind == SpaceKind::Archive {
                continue;
            }
            // SAFETY: passed on to the caller.
            for object in unsafe { ObjectWalk::new(space, classes, sizes) } {
                let Ok(object) = object else {
                    let bottom = picture.end_in(space);
                    picture.unread.push(Space { bottom, ..*space });
                    break;
                };
                // SAFETY: an object of the heap.
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

    /// The end of the last object, when it is in this space.
    fn end_in(&self, space: &Space) -> Address {
        let last = self.objects.last();
        last.filter(|last| space.bottom <= last.address && last.address < space.top)
            .map_or(space.bottom, |last| last.address.plus(last.bytes))
    }

    /// Was this address not read?
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
    /// As for [`HeapPicture::take`], at this moment; an object must start there.
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
        // SAFETY: passed on to the caller.
        let object = unsafe { ObjectWalk::new(&from_here, classes, sizes) }.next()?;
        // SAFETY: an object of the heap.
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
            // SAFETY: the caller vouches for the object.
            id: unsafe { id_of(object.address, object.bytes, object.class, classes) },
            young: space.kind.is_young(),
        }
    }
}

/// The id in an object of the test program. Others may show the id of an object that was there before: the last bytes of an array are not cleared, nor
/// what a filler covers.
unsafe fn id_of(object: Address, bytes: usize, class: ClassId, classes: &ClassTable) -> u64 {
    let name = classes.class(class).map(|class| class.name.as_slice());
    if !name.is_some_and(|name| name == b"[J" || name.starts_with(b"FullMovesProbe$")) {
        return 0;
    }
    for word in WORDS.take_while(|&word| (word + 1) * 8 <= bytes) {
        // SAFETY: inside the object.
        let value: u64 = unsafe { object.plus(word * 8).read() };
        if value >> 48 == MARKER {
            return value;
        }
    }
    0
}
