import type { KeyObject } from 'node:crypto'

/** Which key a token asks for. */
export interface KeyQuery {
  readonly kid: string | undefined
  readonly algorithm: string
}

/** What a source says to a query: keys that may have signed, no such key, or no word on it at the moment. */
export type KeyLookup =
  | { readonly type: 'found'; readonly keys: readonly KeyObject[]; readonly version: number }
  | { readonly type: 'unknown' }
  | { readonly type: 'unavailable' }

/** The keys of one issuer. Issuers never share a source. */
export interface KeySource {
  /** Changes with the keys; `undefined` while there are none to rely on. */
  version(): number | undefined
  /** Looks a key up; a remote source asks its issuer about one that it does not know. */
  find(query: KeyQuery): KeyLookup | Promise<KeyLookup>
  /** Looks a key up among keys fetched just now, if the issuer may be asked at all. */
  findAfterRefetch(query: KeyQuery): KeyLookup | Promise<KeyLookup>
  /** Whether the last attempt to get the keys succeeded. */
  isFresh(): boolean
  /** Asks the issuer anew; resolves when it has answered or failed to. What is known already serves in the meantime. */
  warm(): Promise<void>
  close(): void
}

/** A source whose keys never change: those of a file, or a shared secret. */
export function createFixedKeySource(select: (query: KeyQuery) => readonly KeyObject[]): KeySource {
  const version = 1
  return {
    version: () => version,
    find(query) {
      const keys = select(query)
      return keys.length > 0 ? { type: 'found', keys, version } : { type: 'unknown' }
    },
    findAfterRefetch: () => ({ type: 'unknown' }),
    isFresh: () => true,
    warm: () => Promise.resolve(),
    close: () => undefined,
  }
}
