/** A part of a text, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What a search that found nothing returns; most do, so it costs no allocation. */
export const NO_SPANS: readonly Span[] = []

/** An array of numbers: for short texts, of which there may be very many, a plain one is made faster. */
export type Numbers = number[] | Uint32Array

const LONGEST_PLAIN = 1024

/** A text as a rule reads it. Where it differs from the source, each code unit knows what it stands for there. */
export interface TextView {
  readonly text: string
  /** Absent when the view is the source itself. */
  readonly origin: { readonly starts: Numbers; readonly ends: Numbers } | undefined
}

/** The view that is the source itself. */
export function plainView(text: string): TextView {
  return { text, origin: undefined }
}

/** Where in the source a part of the view comes from. */
export function sourceSpan({ origin }: TextView, { start, end }: Span): Span {
  if (origin === undefined) return { start, end }
  return { start: origin.starts[start] ?? 0, end: origin.ends[end - 1] ?? 0 }
}

/** Collects the units of a view that differs from `source`; places are given in `source` and kept in its own source. */
export interface ViewBuilder {
  add(units: string, place: Span): void
  /** The same for one code unit, which is nearly all of them. */
  addUnit(unit: number, start: number, end: number): void
  /** Puts other units in the place of what was added last, which now reaches to `end`. */
  amendLast(units: string, end: number): void
  /** What was added last also stands for what follows it up to `end`. */
  stretchLast(end: number): void
  build(): TextView
}

/** Makes a builder of views of `source`. */
export function createViewBuilder(source: TextView): ViewBuilder {
  let units = createNumbers(source.text.length)
  let starts = createNumbers(source.text.length)
  let ends = createNumbers(source.text.length)
  let length = 0
  let last = 0

  function put(unit: number, start: number, end: number): void {
    if (length === units.length) {
      units = enlarged(units)
      starts = enlarged(starts)
      ends = enlarged(ends)
    }
    units[length] = unit
    starts[length] = start
    ends[length] = end
    length++
  }

  const startOf = (index: number) => source.origin?.starts[index] ?? index
  const endOf = (index: number) => source.origin?.ends[index - 1] ?? index

  return {
    add(text, place) {
      last = length
      for (let i = 0; i < text.length; i++) put(text.charCodeAt(i), startOf(place.start), endOf(place.end))
    },
    addUnit(unit, start, end) {
      last = length
      put(unit, startOf(start), endOf(end))
    },
    amendLast(text, end) {
      const start = starts[last] ?? 0
      length = last
      for (let i = 0; i < text.length; i++) put(text.charCodeAt(i), start, endOf(end))
    },
    stretchLast(end) {
      for (let i = last; i < length; i++) ends[i] = endOf(end)
    },
    build: () => ({ text: textOf(units, length), origin: { starts, ends } }),
  }
}

/** Makes an array with room for `length` numbers. */
export function createNumbers(length: number): Numbers {
  return length > LONGEST_PLAIN ? new Uint32Array(length) : new Array<number>(length + 1).fill(0)
}

function enlarged(numbers: Numbers): Numbers {
  const larger = createNumbers(numbers.length * 2)
  for (let i = 0; i < numbers.length; i++) larger[i] = numbers[i] ?? 0
  return larger
}

/** Text of code units; lone surrogates stay as they are. */
function textOf(units: Numbers, length: number): string {
  if (Array.isArray(units)) return String.fromCharCode(...units.slice(0, length))
  return Buffer.from(new Uint16Array(units.subarray(0, length)).buffer).toString('utf16le')
}
