import { z } from 'zod'
import { scenarioSchema } from './scenario-schema.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** The keys that the map at a path of a scenario may have. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let at: readonly Schema[] = [z.toJSONSchema(scenarioSchema, { io: 'input' }) as Schema]
  for (const step of path) at = at.flatMap((schema) => below(schema, step))
  return at.flatMap(variants).flatMap(({ properties }) => Object.keys(properties ?? {}))
}

function below(schema: Schema, step: PropertyKey): Schema[] {
  return variants(schema).flatMap(({ items, properties, additionalProperties: other }) => {
    const found =
      typeof step === 'number'
        ? items
        : (properties?.[String(step)] ?? (typeof other === 'object' ? other : undefined))
    return found === undefined ? [] : [found]
  })
}

function variants(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? [schema]
}
