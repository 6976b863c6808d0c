/** A piece of JSON text with its role. `mark`: punctuation and space. */
export interface JsonToken {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark'
  readonly text: string
}

const PATTERN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

/** Splits JSON text for colours. Joined, the tokens are the text, whatever it is. */
export function tokenizeJson(json: string): JsonToken[] {
  const tokens: JsonToken[] = []
  let end = 0
  const add = (kind: JsonToken['kind'], text = '') => text !== '' && tokens.push({ kind, text })
  for (const match of json.matchAll(PATTERN)) {
    const [whole, quoted, colon, number, word] = match
    add('mark', json.slice(end, match.index))
    add(colon === undefined ? 'text' : 'key', quoted)
    add('mark', colon)
    add('number', number)
    add('word', word)
    end = match.index + whole.length
  }
  add('mark', json.slice(end))
  return tokens
}
