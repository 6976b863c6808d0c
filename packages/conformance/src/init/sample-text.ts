const LONGEST = 1000

/** A text for the lengths and the pattern of a schema; for a pattern that is not understood, one that may not match. */
export function sampleText(schema: Readonly<Record<string, unknown>>): string {
  const { pattern } = schema
  const [least, most] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? LONGEST)]
  const plain = 'text'.padEnd(least, 't').slice(0, most)
  const expression = typeof pattern === 'string' ? compile(pattern) : undefined
  if (expression === undefined || typeof pattern !== 'string' || expression.test(plain)) return plain
  const isFit = (text: string) => expression.test(text) && text.length >= least && text.length <= most
  return candidates(pattern, least).find(isFit) ?? plain
}

/** JSON Schema patterns have Unicode semantics; many documents have older ones. */
function compile(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // The next flags may do.
    }
  }
  return undefined
}

/** The shortest text of a pattern, and longer ones from more repetitions. */
function candidates(pattern: string, least: number): string[] {
  return [0, 1, 2, least].map((repeats) => new PatternReader(pattern, repeats).alternatives())
}

const escapes: Readonly<Record<string, string>> = {
  d: '1',
  D: 'a',
  w: 'a',
  W: '-',
  s: ' ',
  S: 'a',
  t: '\t',
  n: '\n',
  r: '\r',
}

/** Reads a regular expression and writes a text for it. Look-around, back references and Unicode properties are skipped. */
class PatternReader {
  readonly #pattern: string
  readonly #repeats: number
  #at = 0

  constructor(pattern: string, repeats: number) {
    this.#pattern = pattern
    this.#repeats = repeats
  }

  /** The text of the first alternative. */
  alternatives(): string {
    const first = this.#sequence()
    while (this.#pattern[this.#at] === '|') {
      this.#at += 1
      this.#sequence()
    }
    return first
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? '')) {
      const part = this.#atom()
      text += part.repeat(this.#times())
    }
    return text
  }

  #atom(): string {
    const character = this.#next()
    switch (character) {
      case '^':
      case '$':
        return ''
      case '.':
        return 'a'
      case '\\':
        return this.#escaped()
      case '[':
        return this.#oneOfClass()
      case '(':
        return this.#group()
      default:
        return character
    }
  }

  #next(): string {
    const character = this.#pattern[this.#at] ?? ''
    this.#at += 1
    return character
  }

  #escaped(): string {
    const character = this.#next()
    return character === 'b' ? '' : (escapes[character] ?? character)
  }

  #group(): string {
    const [kind = ''] = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#pattern.slice(this.#at)) ?? []
    this.#at += kind.length
    const text = this.alternatives()
    this.#at += 1
    return /^\?<?[=!]/.test(kind) ? '' : text
  }

  #oneOfClass(): string {
    const [source = '['] = /^\[(?:\\.|[^\]\\])*\]/.exec(this.#pattern.slice(this.#at - 1)) ?? []
    this.#at += source.length - 1
    const expression = compile(source)
    const first = source[1] === '\\' ? (escapes[source[2] ?? ''] ?? source[2]) : source[1]
    const choices = [...(first === '^' ? '' : (first ?? '')), ...'a1A0-_ .,:/@+z9Z']
    return choices.find((choice) => expression?.test(choice)) ?? ''
  }

  #times(): number {
    const [quantifier = '', , least, comma, most] =
      /^(\*|\+|\?|\{(\d+)(,)?(\d+)?\})\??/.exec(this.#pattern.slice(this.#at)) ?? []
    this.#at += quantifier.length
    if (quantifier === '') return 1
    const [low, high] = bounds({ sign: quantifier[0] ?? '', least, comma, most })
    return Math.min(Math.max(low, this.#repeats), high, LONGEST)
  }
}

interface Quantifier {
  readonly sign: string
  readonly least: string | undefined
  readonly comma: string | undefined
  readonly most: string | undefined
}

function bounds({ sign, least, comma, most }: Quantifier): [number, number] {
  if (sign === '*') return [0, Infinity]
  if (sign === '+') return [1, Infinity]
  if (sign === '?') return [0, 1]
  return [Number(least), comma === undefined ? Number(least) : Number(most ?? Infinity)]
}
