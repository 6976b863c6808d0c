/** Letters of Cyrillic and Greek by the Latin letter that they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'АаΑα',
  b: 'ВвЬьΒβ',
  c: 'Ссς',
  d: 'Ԁԁ',
  e: 'ЕеҼҽΕε',
  g: 'Ԍԍ',
  h: 'НнҺһΗ',
  i: 'ІіӀΙι',
  j: 'Јјϳ',
  k: 'КкΚκ',
  l: 'ӏ',
  m: 'МмΜ',
  n: 'пηΝ',
  o: 'ОоΟοσ',
  p: 'РрΡρ',
  q: 'Ԛԛ',
  r: 'г',
  s: 'Ѕѕ',
  t: 'ТтΤτ',
  u: 'иυμ',
  v: 'Ѵѵν',
  w: 'Ԝԝω',
  x: 'ХхΧχ',
  y: 'УуҮүΥγ',
  z: 'Ζ',
}

const LATIN: ReadonlyMap<number, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, letters]) =>
    Array.from(letters, (letter) => [letter.charCodeAt(0), latin] as const),
  ),
)
const ANY = new RegExp(`[${Object.values(LOOK_ALIKES).join('')}]`)

/** Whether a text has a letter that looks like a Latin one. */
export function hasLookAlike(text: string): boolean {
  return ANY.test(text)
}

/** The small Latin letter that a letter of Cyrillic or Greek looks like, if any. */
export function latinLookAlike(codePoint: number): string | undefined {
  return LATIN.get(codePoint)
}
