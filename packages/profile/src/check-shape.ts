import type { Field, ObjectShape, Shape } from './body-shapes.ts'
import { pointerStep } from './references.ts'

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
export function checkShape(value: unknown, shape: Shape): ShapeFault[] {
  const walk = new ShapeCheck()
  walk.check(value, shape)
  return walk.faults
}

/** One walk through a value. The pointer is put together only for a fault: most answers have none. */
class ShapeCheck {
  readonly faults: ShapeFault[] = []
  /** The members and indexes that lead to the current value. */
  private readonly path: (string | number)[] = []

  check(value: unknown, shape: Shape): void {
    switch (shape.kind) {
      case 'text':
        if (typeof value !== 'string') this.wrongType('a string')
        else if (shape.nonEmpty && value === '') this.fault('minLength', 'must not be empty')
        return
      case 'oneOf':
        this.checkChoice(value, shape.values)
        return
      case 'integer':
        if (!Number.isInteger(value)) this.wrongType('an integer')
        if (typeof value === 'number' && value < shape.minimum)
          this.fault('minimum', `must be at least ${shape.minimum}`)
        return
      case 'boolean':
        if (typeof value !== 'boolean') this.wrongType('a boolean')
        return
      case 'list':
        this.checkList(value, shape)
        return
      case 'object':
        this.checkObject(value, shape)
    }
  }

  private checkChoice(value: unknown, values: readonly string[]): void {
    if (typeof value === 'string' && values.includes(value)) return
    const [only, ...others] = values
    if (others.length === 0) this.fault('const', `must be "${only}"`)
    else this.fault('enum', `must be one of ${values.join(', ')}`)
  }

  private checkList(value: unknown, { items, nonEmpty }: Shape & { kind: 'list' }): void {
    if (!Array.isArray(value)) {
      this.wrongType('an array')
      return
    }
    if (nonEmpty && value.length === 0) this.fault('minItems', 'must not be empty')
    if (items === undefined) return
    for (const [index, item] of value.entries()) {
      this.path.push(index)
      this.check(item, items)
      this.path.pop()
    }
  }

  private checkObject(value: unknown, { fields }: ObjectShape): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.wrongType('an object')
      return
    }
    const members = value as Readonly<Record<string, unknown>>
    for (const name of Object.keys(fields)) this.checkField(members, name, fields[name] as Field)
    for (const name of Object.keys(members)) {
      if (Object.hasOwn(fields, name)) continue
      this.path.push(name)
      this.fault('additionalProperties', 'is not part of this body')
      this.path.pop()
    }
  }

  private checkField(members: Readonly<Record<string, unknown>>, name: string, field: Field): void {
    this.path.push(name)
    if (Object.hasOwn(members, name)) this.check(members[name], field)
    else if (!field.optional) this.fault('required', 'is required')
    this.path.pop()
  }

  private wrongType(expected: string): void {
    this.fault('type', `must be ${expected}`)
  }

  private fault(rule: ShapeRule, message: string): void {
    const pointer = this.path.map(pointerStep).join('')
    this.faults.push({ pointer, rule, message })
  }
}
