import { mediaTypeEssence } from '@agentic-rest/profile'
import { isObject } from '../offline/fault.ts'
import { createReferences } from '../offline/references.ts'
import type { Scenario } from '../scenario/scenario-schema.ts'
import { createSampler } from './sample-value.ts'

type Method = NonNullable<Scenario['stream']>['request']['method']

/** One operation of an OpenAPI document, as far as a scenario needs it. */
export interface OperationSketch {
  readonly method: Method
  /** With examples in place of its parameters. */
  readonly path: string
  /** Parameters of the path that the document has no example of. */
  readonly invented: readonly string[]
  /** An example of a body, if it takes one. */
  readonly body: unknown
  /** Statuses as the document spells them, with the media types of each. */
  readonly responses: ReadonlyMap<string, readonly string[]>
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]

/** The operations of an OpenAPI document, in its order. */
export function readOperations(document: Readonly<Record<string, unknown>>): OperationSketch[] {
  const references = createReferences(document, () => undefined)
  const object = (value: unknown): Readonly<Record<string, unknown>> => {
    const followed = references.follow(value)
    return isObject(followed) ? followed : {}
  }
  const sample = createSampler(references)
  return Object.entries(object(document['paths'])).flatMap(([template, item]) =>
    methods.flatMap((method): OperationSketch[] => {
      const operation = object(item)[method.toLowerCase()]
      if (!isObject(operation)) return []
      const parameters = [...listOf(object(item)['parameters']), ...listOf(operation['parameters'])].map(
        object,
      )
      return [
        {
          method,
          ...fillPath(template, parameters, sample),
          body: bodyExample(object(operation['requestBody']), sample),
          responses: new Map(
            Object.entries(object(operation['responses'])).map(([status, response]) => [
              status,
              Object.keys(object(object(response)['content'])).flatMap(
                (name) => mediaTypeEssence(name) ?? [],
              ),
            ]),
          ),
        },
      ]
    }),
  )
}

type Sample = ReturnType<typeof createSampler>

function fillPath(
  template: string,
  parameters: readonly Readonly<Record<string, unknown>>[],
  sample: Sample,
): Pick<OperationSketch, 'path' | 'invented'> {
  const invented: string[] = []
  const path = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each['in'] === 'path' && each['name'] === name)
    const value = parameter?.['example'] ?? sample.given(parameter?.['schema'])
    if (value === undefined) invented.push(name)
    return encodeURIComponent(String(value ?? `some-${name}`))
  })
  const query = parameters
    .filter((each) => each['in'] === 'query' && each['required'] === true)
    .map((each): [string, string] => [
      String(each['name']),
      String(each['example'] ?? sample.make(each['schema'])),
    ])
  return { path: query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`, invented }
}

function bodyExample(requestBody: Readonly<Record<string, unknown>>, sample: Sample): unknown {
  const content = requestBody['content']
  const media = isObject(content) ? Object.values(content).find(isObject) : undefined
  if (media === undefined) return undefined
  const named = isObject(media['examples'])
    ? Object.values(media['examples']).find(isObject)?.['value']
    : undefined
  return media['example'] ?? named ?? sample.make(media['schema'])
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
