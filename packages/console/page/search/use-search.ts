import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { placeHash, readPlace } from '../shell/place.ts'
import { readSearch, type Search, type SearchField, searchFields, writeSearch } from './search.ts'

/** The query of the address. Writing it adds an entry to the history, or replaces the current one. */
export function useQuery(): readonly [string, (next: string, entry: 'new' | 'same') => void] {
  const [query, setQuery] = useState(currentQuery)
  useEffect(() => {
    const follow = () => setQuery(currentQuery())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const write = useCallback((next: string, entry: 'new' | 'same') => {
    // At once, not with the event: a redraw before it would undo what was typed.
    setQuery(next)
    const hash = placeHash({ ...readPlace(location.hash), query: next })
    if (entry === 'new') location.hash = hash
    else location.replace(hash)
  }, [])
  return [query, write]
}

function currentQuery(): string {
  return readPlace(location.hash).query ?? ''
}

const typedFields: ReadonlySet<SearchField> = new Set(['text', 'slower'])

/** The search in the address. Each choice is an entry of the history, and so is each text, not each letter. */
export function useSearch(): readonly [Search, (next: Search) => void] {
  const [query, write] = useQuery()
  const typed = useRef<{ readonly field: SearchField; readonly query: string } | undefined>(undefined)
  const change = useCallback(
    (next: Search) => {
      const before = readSearch(query)
      const field = searchFields.find((each) => before[each] !== next[each])
      if (field === undefined) return
      const written = writeSearch(query, next)
      const goesOn = typed.current?.field === field && typed.current.query === query
      write(written, goesOn ? 'same' : 'new')
      typed.current = typedFields.has(field) ? { field, query: written } : undefined
    },
    [query, write],
  )
  return [readSearch(query), change]
}
