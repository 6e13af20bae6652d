use super::*;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 8).expect("layout")
}

/// Fills the block, and checks all of its bytes.
fn fill(block: *mut u8, size: usize, byte: u8) {
    // SAFETY: the test's own block of this size.
    unsafe { block.write_bytes(byte, size) };
}

fn all_are(block: *const u8, size: usize, byte: u8) -> bool {
    // SAFETY: the test's own block of this size, which `fill` has written.
    let bytes = unsafe { std::slice::from_raw_parts(block, size) };
    bytes.iter().all(|found| *found == byte)
}

#[test]
fn what_one_thread_frees_another_one_takes() {
    let memory = Box::new(Memory::new());
    let size = 20_000;
    for round in 0..100 {
        // SAFETY: the size is not 0.
        let block = unsafe { memory.alloc(layout(size)) };
        fill(block, size, round);
        let address = block.expose_provenance();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let block = with_exposed_provenance_mut(address);
                assert!(all_are(block, size, round));
                // SAFETY: a block of this layout, which is no longer used.
                unsafe { memory.dealloc(block, layout(size)) };
            });
        });
    }
    assert_eq!(memory.in_use(), (0, 0));
    assert_eq!(memory.lock().free.bytes(), REGION);
}

#[test]
fn blocks_grow_and_shrink_through_all_sizes() {
    let memory = Box::new(Memory::new());
    let sizes = [
        100,
        8_191,
        8_192,
        30_000,
        2 << 20,
        3 << 20,
        40_000,
        9_000,
        70,
    ];
    let mut size = 10;
    // SAFETY: the size is not 0.
    let mut block = unsafe { memory.alloc_zeroed(layout(size)) };
    // SAFETY: the size, `LARGE`, is not 0.
    let neighbour = unsafe { memory.alloc_zeroed(layout(LARGE)) };
    for after in sizes {
        fill(block, size, 7);
        // SAFETY: a block of this layout.
        block = unsafe { memory.realloc(block, layout(size), after) };
        assert!(all_are(block, size.min(after), 7), "{size} to {after}");
        size = after;
    }
    assert!(all_are(neighbour, LARGE, 0));
    // SAFETY: both are blocks of these layouts.
    unsafe {
        memory.dealloc(block, layout(size));
        memory.dealloc(neighbour, layout(LARGE));
    }
    assert_eq!(memory.in_use(), (0, 0));
}

#[test]
fn blocks_have_few_lengths() {
    let mut lengths = Vec::new();
    for size in (LARGE..4 << 20).step_by(1_000) {
        let length = large(size, 8).expect("it is large");
        assert!(length >= size && length - size < (size / LENGTHS).max(STEP));
        assert_eq!((length % STEP, large(length, PAGE)), (0, Some(length)));
        lengths.push(length);
    }
    lengths.dedup();
    assert!(lengths.is_sorted() && lengths.len() <= 8 * LENGTHS + 3);
    assert_eq!(large(LARGE - 1, 8), None);
    // Regions are aligned to the system's pages.
    assert_eq!(large(LARGE, 2 * PAGE), None);
}

#[test]
fn used_memory_is_zeroed() {
    let memory = Box::new(Memory::new());
    for _ in 0..2 {
        // SAFETY: the size is not 0.
        let block = unsafe { memory.alloc_zeroed(layout(50_000)) };
        assert!(all_are(block, 50_000, 0));
        fill(block, 50_000, 1);
        // SAFETY: a block of this layout.
        unsafe { memory.dealloc(block, layout(50_000)) };
    }
}

#[test]
fn what_was_not_needed_lately_goes_back() {
    let memory = Box::new(Memory::new());
    let size = 64 << 20;
    // SAFETY: the size is not 0.
    let block = unsafe { memory.alloc(layout(size)) };
    // SAFETY: a block of this layout.
    unsafe { memory.dealloc(block, layout(size)) };
    memory.give_back();
    assert_eq!(memory.lock().free.bytes(), size);
    let used = memory.end_second();
    assert_eq!((used.large.most, used.regions), (size, size));
    while memory.end_second().lately > 0 {}
    memory.end_second();
    memory.give_back();
    assert_eq!(memory.lock().free.bytes(), SLACK);
}
