import type { ObjectShape, Shape } from './body-shapes.ts'

/** One difference between a value and its shape; `rule` is the violated JSON Schema keyword. */
export interface ShapeFault {
  readonly pointer: string
  readonly rule: ShapeRule
  readonly message: string
}

/** The JSON Schema keywords that a body can violate. */
export type ShapeRule =
  | 'required'
  | 'additionalProperties'
  | 'type'
  | 'const'
  | 'enum'
  | 'minLength'
  | 'minItems'
  | 'minimum'

/** All faults of a value; empty if it has the shape. */
export function checkShape(value: unknown, shape: Shape, pointer = ''): ShapeFault[] {
  switch (shape.kind) {
    case 'text':
      if (typeof value !== 'string') return [wrongType(pointer, 'a string')]
      return shape.nonEmpty && value === '' ? [fault(pointer, 'minLength', 'must not be empty')] : []
    case 'oneOf':
      return checkOneOf(value, shape.values, pointer)
    case 'integer':
      return checkInteger(value, shape.minimum, pointer)
    case 'boolean':
      return typeof value === 'boolean' ? [] : [wrongType(pointer, 'a boolean')]
    case 'list':
      return checkList(value, shape, pointer)
    case 'object':
      return checkObject(value, shape, pointer)
  }
}

function checkInteger(value: unknown, minimum: number, pointer: string): ShapeFault[] {
  const faults = Number.isInteger(value) ? [] : [wrongType(pointer, 'an integer')]
  if (typeof value !== 'number' || value >= minimum) return faults
  return [...faults, fault(pointer, 'minimum', `must be at least ${minimum}`)]
}

function checkOneOf(value: unknown, values: readonly string[], pointer: string): ShapeFault[] {
  if (typeof value === 'string' && values.includes(value)) return []
  const [only, ...others] = values
  if (others.length === 0) return [fault(pointer, 'const', `must be "${only}"`)]
  return [fault(pointer, 'enum', `must be one of ${values.join(', ')}`)]
}

function checkList(value: unknown, shape: Shape & { kind: 'list' }, pointer: string): ShapeFault[] {
  if (!Array.isArray(value)) return [wrongType(pointer, 'an array')]
  if (shape.nonEmpty && value.length === 0) return [fault(pointer, 'minItems', 'must not be empty')]
  const { items } = shape
  if (items === undefined) return []
  return value.flatMap((item, index) => checkShape(item, items, `${pointer}/${index}`))
}

function checkObject(value: unknown, shape: ObjectShape, pointer: string): ShapeFault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [wrongType(pointer, 'an object')]
  const members = value as Readonly<Record<string, unknown>>
  const faults = Object.entries(shape.fields).flatMap(([name, field]) => {
    const at = `${pointer}/${name}`
    if (Object.hasOwn(members, name)) return checkShape(members[name], field, at)
    return field.optional ? [] : [fault(at, 'required', 'is required')]
  })
  for (const name of Object.keys(members)) {
    if (Object.hasOwn(shape.fields, name)) continue
    faults.push(
      fault(`${pointer}/${escapePointer(name)}`, 'additionalProperties', 'is not part of this body'),
    )
  }
  return faults
}

/** A member name as a JSON Pointer segment (RFC 6901, section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function wrongType(pointer: string, expected: string): ShapeFault {
  return fault(pointer, 'type', `must be ${expected}`)
}

function fault(pointer: string, rule: ShapeRule, message: string): ShapeFault {
  return { pointer, rule, message }
}
