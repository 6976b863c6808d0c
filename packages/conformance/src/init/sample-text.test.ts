import { expect, test } from 'vitest'
import { sampleText } from './sample-text.ts'

test.each([
  [{}, 'text'],
  [{ minLength: 6 }, 'texttt'],
  [{ maxLength: 2 }, 'te'],
  [{ pattern: '[a-z]+' }, 'text'],
  [{ pattern: '^[A-Z]{3}-\\d{4}$' }, 'AAA-1111'],
  [{ pattern: '^\\d{4}-\\d{2}$' }, '1111-11'],
  [{ pattern: '^(?:red|green)$' }, 'red'],
  [{ pattern: '^#[0-9a-f]{6}$' }, '#000000'],
  [{ pattern: '^[^a-z]+$' }, '1'],
  [{ pattern: '^\\+?[1-9]\\d{1,14}$', minLength: 4 }, '+111'],
  [{ pattern: '^[0-9]*$', minLength: 5 }, '00000'],
  [{ pattern: '^(?=x)(?<name>x)\\.[\\]-]?$' }, 'x.'],
  [{ pattern: '^\\p{L}{9}$' }, 'text'],
  [{ pattern: '(' }, 'text'],
])('%j is %s', (schema, text) => {
  expect(sampleText(schema)).toBe(text)
})
