import { createHash } from 'node:crypto'
import { canonicalJson, isObject, type JsonObject, membersOf } from '@agentic-rest/profile'

/** The member of an object that has to be an object itself; an empty object otherwise. */
export function objectAt(value: unknown, key: string): JsonObject {
  return membersOf(isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined)
}

/** The member of an object that has to be a text; undefined otherwise. */
export function textAt(value: unknown, key: string): string | undefined {
  const member = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return typeof member === 'string' ? member : undefined
}

/** Whether a value has more levels than allowed. The walk has no recursion, so that no depth can end the process. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === maxDepth) return true
    level = level.flatMap((each) => Object.values(each)).filter(isNested)
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The SHA-256 of a JSON value, as base64url. */
export function jsonDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url')
}
