import { z } from 'zod'

/** Judges one value and returns what is wrong with it, in words that never repeat the value (it may be a secret). */
export type Check = (value: string) => string | undefined

/** Words a schema's complaint so that a missing key reads "is required" and anything else "expected ...". */
export const expected =
  (phrase: string, missing = 'is required') =>
  (issue: { input?: unknown }): string =>
    issue.input === undefined ? missing : `expected ${phrase}`

/** A map in which every key that `shape` does not name is a fault. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape, missing?: string) =>
  z.strictObject(shape, { error: expected('a map', missing) })

/** A list of `item`, possibly empty. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: expected('a list') })

/** A list that means nothing when it is empty, so an empty one is a fault. */
export const filledList = <Item extends z.ZodType>(item: Item) => {
  const error = expected('a list with at least one entry')
  return z.array(item, { error }).min(1, { error })
}

/** An integer whose bounds are named in the complaint. */
export const integer = (min: number, max: number) => {
  const error = expected(`an integer from ${min} to ${max}`)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** `true` or `false`. */
export const flag = () => z.boolean({ error: expected('true or false') })

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: expected(`one of ${words.join(', ')}`) })

/** Any text of at least `min` characters; `phrase` names it in the complaint. */
export const text = (phrase: string, min = 1) => {
  const error = expected(phrase)
  return z.string({ error }).min(min, { error })
}

/** Text of one pattern; `phrase` says the pattern in words. */
export const patterned = (phrase: string, pattern: RegExp) => {
  const error = expected(phrase)
  return z.string({ error }).regex(pattern, { error })
}

/** Text that a function judges; the function's answer is the whole complaint. */
export const checked = (phrase: string, check: Check) =>
  alsoChecked(z.string({ error: expected(phrase) }), check)

/** Text that a function judges beside what the schema says of it. */
export const alsoChecked = (schema: z.ZodString, check: Check) =>
  schema.superRefine((value, context) => {
    const message = check(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** A map whose keys come from outside; the result has no prototype, so no key can reach one. */
export const dictionary = <Value extends z.ZodType>(key: z.ZodString, value: Value) =>
  z.record(key, value, { error: expected('a map') }).transform(withoutPrototype)

const withoutPrototype = <Value>(entries: Record<string, Value>): Record<string, Value> =>
  Object.assign(Object.create(null), entries)
