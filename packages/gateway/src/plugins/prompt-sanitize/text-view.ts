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

/** A form of a text for rules to search. In a changed form each code unit has its span in the source. */
export interface TextView {
  readonly text: string
  /** Absent when the view is the source itself. */
  readonly origin: { readonly starts: Numbers; readonly ends: Numbers } | undefined
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

/** Builds a changed view of `view`, unit by unit. Spans are given in `view` and stored as spans of its source. */
export class ViewBuilder {
  readonly #view: TextView
  #units: Numbers
  #starts: Numbers
  #ends: Numbers
  #length = 0
  /** Index of the first unit of the last addition. */
  #last = 0

  constructor(view: TextView) {
    this.#view = view
    this.#units = createNumbers(view.text.length)
    this.#starts = createNumbers(view.text.length)
    this.#ends = createNumbers(view.text.length)
  }

  add(text: string, { start, end }: Span): void {
    this.#last = this.#length
    this.#putAll(text, this.#startOf(start), this.#endOf(end))
  }

  /** Adds one code unit, the usual case. */
  addUnit(unit: number, start: number, end: number): void {
    this.#last = this.#length
    this.#put(unit, this.#startOf(start), this.#endOf(end))
  }

  /** Replaces the last addition, whose span now reaches to `end`. */
  amendLast(text: string, end: number): void {
    const start = this.#starts[this.#last] ?? 0
    this.#length = this.#last
    this.#putAll(text, start, this.#endOf(end))
  }

  /** Extends the span of the last addition to `end`. */
  stretchLast(end: number): void {
    for (let i = this.#last; i < this.#length; i++) this.#ends[i] = this.#endOf(end)
  }

  build(): TextView {
    return {
      text: textOf(this.#units, this.#length),
      origin: { starts: this.#starts, ends: this.#ends },
    }
  }

  #putAll(text: string, start: number, end: number): void {
    for (let i = 0; i < text.length; i++) this.#put(text.charCodeAt(i), start, end)
  }

  #put(unit: number, start: number, end: number): void {
    if (this.#length === this.#units.length) {
      this.#units = enlarged(this.#units)
      this.#starts = enlarged(this.#starts)
      this.#ends = enlarged(this.#ends)
    }
    this.#units[this.#length] = unit
    this.#starts[this.#length] = start
    this.#ends[this.#length] = end
    this.#length++
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
  for (let i = 0; i < numbers.length; i++) larger[i] = numbers[i] ?? 0
  return larger
}

/** The text of code units; lone surrogates stay as they are. */
function textOf(units: Numbers, length: number): string {
  if (Array.isArray(units)) return String.fromCharCode(...units.slice(0, length))
  return Buffer.from(new Uint16Array(units.subarray(0, length)).buffer).toString('utf16le')
}
