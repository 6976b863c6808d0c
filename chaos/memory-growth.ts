import { spreadOf } from '../bench/statistics.ts'

/** How the memory of a process grows over a run. */
export interface Growth {
  /** Takes a sample at a moment of the run, from 0 to 1. */
  sample(share: number): void
  /** Growth from the end of the warm-up to the end of the run, between medians. */
  megabytes(): number
}

const MEBIBYTE = 2 ** 20
// The first part fills caches and compiles what is hot.
const WARM_UP = 0.2
const TENTH = 0.1

/** Watches what `rss` says, in bytes. */
export function createGrowth(rss: () => number): Growth {
  const samples: { readonly share: number; readonly megabytes: number }[] = []
  // Medians, because a collection may be due at any moment; a run that is over at once has one sample.
  const median = (from: number) => {
    const later = samples.filter(({ share }) => share >= from)
    const near = later.filter(({ share }) => share < from + TENTH)
    return spreadOf((near.length > 0 ? near : later.slice(0, 1)).map(({ megabytes }) => megabytes)).median
  }
  return {
    sample: (share) => void samples.push({ share: Math.min(share, 1), megabytes: rss() / MEBIBYTE }),
    megabytes: () => Math.max(0, median(1 - TENTH) - median(WARM_UP)),
  }
}
