/** A part of a text, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The result of a search without a match. Most searches have none, so it costs no allocation. */
export const NO_SPANS: readonly Span[] = []

/** An array of numbers. For short texts, which may be very many, a plain array is created faster. */
export type Numbers = number[] | Uint32Array

const LONGEST_PLAIN = 1024

/** The span in the source of each code unit of a view. */
interface Spans {
  readonly starts: Numbers
  readonly ends: Numbers
}

/** A form of a text for rules to search. */
export interface TextView {
  readonly text: string
  /** Absent when each code unit is where it is in the source. */
  readonly origin: Spans | undefined
}

/** The view that is the source itself. */
export function plainView(text: string): TextView {
  return { text, origin: undefined }
}

/** The span in the source of a part of the view. */
export function sourceSpan({ origin }: TextView, { start, end }: Span): Span {
  if (origin === undefined) return { start, end }
  return { start: origin.starts[start] ?? 0, end: origin.ends[end - 1] ?? 0 }
}

/**
 * Builds a changed view of `view`, unit by unit. Spans are given in `view` and stored as spans of its source. While each unit
 * is where it was, no spans are stored: most changes replace one unit by another.
 */
export class ViewBuilder {
  readonly #view: TextView
  #units: Numbers
  #spans: Spans | undefined
  #length = 0
  /** Index of the first unit of the last addition. */
  #last = 0

  constructor(view: TextView) {
    this.#view = view
    this.#units = createNumbers(view.text.length)
  }

  add(text: string, { start, end }: Span): void {
    this.#last = this.#length
    for (let i = 0; i < text.length; i++) this.#put(text.charCodeAt(i), start, end)
  }

  /** Adds one code unit, the usual case. */
  addUnit(unit: number, start: number, end: number): void {
    this.#last = this.#length
    this.#put(unit, start, end)
  }

  /** Replaces the last addition, whose span now reaches to `end`. */
  amendLast(text: string, end: number): void {
    const start = this.#storedSpans().starts[this.#last] ?? 0
    this.#length = this.#last
    for (let i = 0; i < text.length; i++) this.#putStored(text.charCodeAt(i), start, this.#endOf(end))
  }

  /** Extends the span of the last addition to `end`. */
  stretchLast(end: number): void {
    const { ends } = this.#storedSpans()
    for (let i = this.#last; i < this.#length; i++) ends[i] = this.#endOf(end)
  }

  build(): TextView {
    return { text: textOf(this.#units, this.#length), origin: this.#spans ?? this.#view.origin }
  }

  #put(unit: number, start: number, end: number): void {
    const isInPlace = start === this.#length && end === start + 1
    if (isInPlace && this.#spans === undefined) this.#units[this.#length++] = unit
    else this.#putStored(unit, this.#startOf(start), this.#endOf(end))
  }

  #putStored(unit: number, start: number, end: number): void {
    if (this.#length === this.#units.length) this.#enlarge()
    const { starts, ends } = this.#spans ?? this.#storedSpans()
    this.#units[this.#length] = unit
    starts[this.#length] = start
    ends[this.#length] = end
    this.#length++
  }

  #enlarge(): void {
    const { starts, ends } = this.#storedSpans()
    this.#units = enlarged(this.#units)
    this.#spans = { starts: enlarged(starts), ends: enlarged(ends) }
  }

  #storedSpans(): Spans {
    this.#spans ??= this.#spansInPlace()
    return this.#spans
  }

  #spansInPlace(): Spans {
    const starts = createNumbers(this.#units.length)
    const ends = createNumbers(this.#units.length)
    for (let i = 0; i < this.#length; i++) {
      starts[i] = this.#startOf(i)
      ends[i] = this.#endOf(i + 1)
    }
    return { starts, ends }
  }

  #startOf(index: number): number {
    return this.#view.origin?.starts[index] ?? index
  }

  #endOf(index: number): number {
    return this.#view.origin?.ends[index - 1] ?? index
  }
}

/** Creates an array for `length` numbers. */
export function createNumbers(length: number): Numbers {
  return length > LONGEST_PLAIN ? new Uint32Array(length) : new Array<number>(length + 1).fill(0)
}

function enlarged(numbers: Numbers): Numbers {
  const larger = createNumbers(numbers.length * 2)
  if (larger instanceof Uint32Array) larger.set(numbers)
  else for (let i = 0; i < numbers.length; i++) larger[i] = numbers[i] ?? 0
  return larger
}

/** The text of code units; lone surrogates stay as they are. */
function textOf(units: Numbers, length: number): string {
  if (Array.isArray(units)) return String.fromCharCode(...units.slice(0, length))
  return Buffer.from(new Uint16Array(units.subarray(0, length)).buffer).toString('utf16le')
}
