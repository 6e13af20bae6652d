//! How long the objects of each site live.

use ducktrack_analyses::{CallerLifetime, Lifetimes, Lives, SiteLifetime};
use ducktrack_count_model::SiteIndex;
use ducktrack_live_heap::Amount;

use super::{Heap, OF_THE_VM};

impl Heap<'_> {
    pub(super) fn lifetimes(&self) -> Lifetimes {
        let mut sites: Vec<SiteLifetime> =
            self.sites.iter().map(|site| self.lives(*site)).collect();
        let of_the_vm = Lives {
            allocated: OF_THE_VM,
            alive: OF_THE_VM,
            ..Lives::default()
        };
        sites.push(SiteLifetime {
            lives: of_the_vm,
            ..SiteLifetime::default()
        });
        sites.retain(|site| site.lives.allocated.count > 0);
        sites.sort_by_key(|site| std::cmp::Reverse(site.lives.allocated.count));
        let mut total = Lives {
            died: vec![0; 4],
            died_bytes: vec![0; 4],
            bytes_until_death: vec![0; 24],
            promoted_died: vec![0; 4],
            ..Lives::default()
        };
        for site in sites.iter().map(|site| &site.lives) {
            total.allocated += site.allocated;
            total.eliminated += site.eliminated;
            total.alive += site.alive;
            total.promoted += site.promoted;
            total.died_promoted += site.died_promoted;
            add(&mut total.died, &site.died);
            add(&mut total.died_bytes, &site.died_bytes);
            add(&mut total.bytes_until_death, &site.bytes_until_death);
            add(&mut total.promoted_died, &site.promoted_died);
        }
        Lifetimes {
            sites,
            total,
            collections: u64::from(self.collections),
            known: true,
        }
    }

    /// Of the dead objects a hundredth each after 1, 2 and 3 collections (these promoted), the others
    /// before the first. The first caller of a site is to blame for those that did not die at once.
    fn lives(&self, site: SiteIndex) -> SiteLifetime {
        let size = self.size(site);
        let amount = |count| Amount {
            count,
            bytes: count * size,
        };
        let allocated = self.allocated(site);
        let alive = self.live(site, self.collections - 1);
        let dead = allocated.count - alive.count;
        let few = if site.get().is_multiple_of(4) {
            0
        } else {
            dead / 100
        };
        let bytes = |died: &[u64]| died.iter().map(|count| count * size).collect();
        let until_death = |at: usize, count| (0..24).map(move |b| if b == at { count } else { 0 });
        let later = [0, few, few, few];
        let of_caller = Lives {
            allocated: amount(3 * few),
            died: later.into(),
            died_bytes: bytes(&later),
            promoted: amount(few),
            died_promoted: amount(few),
            promoted_died: vec![0, 0, 0, few],
            bytes_until_death: until_death(23, 3 * few).collect(),
            ..Lives::default()
        };
        let at_once = [dead - 3 * few];
        let mut rest = allocated;
        rest -= of_caller.allocated;
        let without = Lives {
            allocated: rest,
            eliminated: if site.get() == 0 { 900_000 } else { 0 },
            died: at_once.into(),
            died_bytes: bytes(&at_once),
            alive,
            promoted: alive,
            bytes_until_death: until_death(20, at_once[0]).collect(),
            ..Lives::default()
        };
        let mut promoted = of_caller.promoted;
        promoted += alive;
        let died = vec![at_once[0], few, few, few];
        let bytes_until_death = of_caller.bytes_until_death.iter();
        let bytes_until_death = bytes_until_death.zip(&without.bytes_until_death);
        let lives = Lives {
            allocated,
            eliminated: without.eliminated,
            died_bytes: bytes(&died),
            died,
            alive,
            promoted,
            bytes_until_death: bytes_until_death.map(|(a, b)| a + b).collect(),
            ..of_caller.clone()
        };
        let parts = &self.count.site(site).parts;
        let call = parts.iter().find_map(|part| part.context);
        let caller = |(call, lives)| CallerLifetime { call, lives };
        let callers = match call.filter(|_| few > 0) {
            Some(call) => [(None, without), (Some(call), of_caller)]
                .map(caller)
                .into(),
            None => Vec::new(),
        };
        SiteLifetime {
            site: Some(site),
            lives,
            callers,
        }
    }
}

fn add(sum: &mut [u64], values: &[u64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}
