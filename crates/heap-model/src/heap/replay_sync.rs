//! Synchronization points and later explanations, taken into a replay.

use ducktrack_trace_format::{FormatError, SyncDecoder, decode_explained};

use crate::heap::live_object::LiveObject;
use crate::heap::sync_check::SyncCheck;
use crate::{HeapReplay, Quality, Rotation};

/// Collections after a synchronization point whose quality is noted, with the point itself.
const QUALITIES: usize = 10;

impl HeapReplay {
    /// Takes the content of a part of a synchronization point.
    pub fn sync_part(&mut self, content: &[u8]) -> Result<(), FormatError> {
        let decoder = SyncDecoder::new(content)?;
        let (collection, is_last) = (decoder.collection(), decoder.is_last());
        let replaces = self.doubtful || !self.knowledge.is_known();
        let mut sync = match self.sync.take() {
            Some(sync) if sync.collection == collection => sync,
            _ => self.start_sync(collection, replaces),
        };
        for object in decoder {
            let object = object?;
            let entry = self.names.site(object.site);
            let end = object.address.saturating_add(object.bytes);
            let ty = self.names.class_type(object.class);
            let birth = object.birth;
            let live =
                LiveObject::new(end, object.bytes, entry.column, ty, birth).by(object.thread);
            sync.take(live, &mut self.heap, &mut self.counts);
        }
        if is_last {
            self.finish_sync(sync);
        } else {
            self.sync = Some(sync);
        }
        Ok(())
    }

    fn start_sync(&mut self, collection: u32, replaces: bool) -> SyncCheck {
        if replaces {
            self.heap.clear();
            self.counts.clear();
        }
        SyncCheck::new(collection, replaces)
    }

    fn finish_sync(&mut self, sync: SyncCheck) {
        let (total, is_first) = (self.counts.total, self.clock.is_at_start());
        if sync.replaces {
            self.heap.settle(|_| {});
            self.epoch = sync.collection;
            self.doubtful = false;
            self.knowledge.gain();
            if is_first {
                for (column, amount) in self.counts.by_site() {
                    self.lifetimes.allocated(column, amount);
                }
            }
        }
        self.info.sync_objects += sync.objects;
        self.info.rotations.push(Rotation {
            file: self.info.files.last().map_or(0, |file| file.index),
            collection: sync.collection,
            objects: sync.objects,
            differences: sync.differences(total.count),
            quality: vec![Quality {
                collection: sync.collection,
                objects: sync.objects,
                with_site: sync.with_site,
            }],
        });
        self.answer(sync.collection, 0);
    }

    /// Takes the content of a block of objects that were found before and are explained now.
    pub fn explained(&mut self, content: &[u8]) -> Result<(), FormatError> {
        for explained in decode_explained(content) {
            let explained = explained?;
            let column = self.names.site(explained.site).column;
            let Some(object) = self.heap.at_mut(explained.address) else {
                self.doubtful = true;
                continue;
            };
            self.counts.remove(object);
            let ty = object.ty;
            let promoted = object.promoted;
            *object = LiveObject::new(object.end, object.bytes(), column, ty, explained.birth)
                .by(explained.thread);
            object.promoted = promoted;
            self.counts.add(object);
            self.lifetimes.located(column, object.bytes());
        }
        Ok(())
    }

    pub(crate) fn note_quality(&mut self, collection: u32) {
        let quality = Quality {
            collection,
            objects: self.counts.total.count,
            with_site: self.counts.with_site(),
        };
        let rotation = self.info.rotations.last_mut();
        if let Some(rotation) = rotation.filter(|rotation| rotation.quality.len() < QUALITIES) {
            rotation.quality.push(quality);
        }
    }
}
