/** The value at a path such as `$.items[-1].id`, or undefined. Inherited members are not found. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const [, name, index] of path.matchAll(/\.([A-Za-z_][\w-]*)|\[(-?\d+)\]/g)) {
    if (name !== undefined) at = memberOf(at, name)
    else at = Array.isArray(at) ? at.at(Number(index)) : undefined
  }
  return at
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
