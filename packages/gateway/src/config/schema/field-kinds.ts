import { z } from 'zod'

/** Checks one value and returns its fault, if it has one; the message never repeats the value (it may be a secret). */
export type Check = (value: string) => string | undefined

/** The message of a schema: "is required" for a missing key, "expected ..." for a wrong value. */
export const expected =
  (phrase: string, missing = 'is required') =>
  (issue: { input?: unknown }): string =>
    issue.input === undefined ? missing : `expected ${phrase}`

/** A map without other keys than those of `shape`. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape, missing?: string) =>
  z.strictObject(shape, { error: expected('a map', missing) })

/** A list of `item`, possibly empty. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: expected('a list') })

/** A list with at least one entry. */
export const filledList = <Item extends z.ZodType>(item: Item) => {
  const error = expected('a list with at least one entry')
  return z.array(item, { error }).min(1, { error })
}

/** An integer; the message names its bounds. */
export const integer = (min: number, max: number) => {
  const error = expected(`an integer from ${min} to ${max}`)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** `true` or `false`. */
export const flag = () => z.boolean({ error: expected('true or false') })

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: expected(`one of ${words.join(', ')}`) })

/** A text of at least `min` characters; `phrase` names it in the message. */
export const text = (phrase: string, min = 1) => {
  const error = expected(phrase)
  return z.string({ error }).min(min, { error })
}

/** A text with a pattern; `phrase` is the pattern in words. */
export const patterned = (phrase: string, pattern: RegExp) => {
  const error = expected(phrase)
  return z.string({ error }).regex(pattern, { error })
}

/** A text with a check; the check's result is the whole message. */
export const checked = (phrase: string, check: Check) =>
  alsoChecked(z.string({ error: expected(phrase) }), check)

/** Adds a check to the schema of a text. */
export const alsoChecked = (schema: z.ZodString, check: Check) =>
  schema.superRefine((value, context) => {
    const message = check(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** A map with free keys; the result has no prototype, so that no key can reach it. */
export const dictionary = <Value extends z.ZodType>(key: z.ZodString, value: Value) =>
  z.record(key, value, { error: expected('a map') }).transform(withoutPrototype)

const withoutPrototype = <Value>(entries: Record<string, Value>): Record<string, Value> =>
  Object.assign(Object.create(null), entries)
