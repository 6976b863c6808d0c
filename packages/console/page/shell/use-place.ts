import { useEffect, useState } from 'preact/hooks'
import { type Place, placeHash, readPlace } from './place.ts'

/** The current place. It follows the address, so that back, forward and links work. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => readPlace(location.hash))
  useEffect(() => {
    const follow = () => setPlace(readPlace(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return place
}

/** Goes to a place. */
export function goTo(place: Place): void {
  location.hash = placeHash(place)
}
