import { createSampler } from '@agentic-rest/conformance'
import type { OpenApi } from './openapi.ts'
import type { PlannedInput, PlannedOperation } from './plan-operations.ts'

/** A request for an operation, with example inputs. */
export interface SampleRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** `complete` has all required inputs, `empty` only those of the path. */
export type Completeness = 'complete' | 'empty'

/** Makes an example request. */
export function sampleRequest(
  operation: PlannedOperation,
  api: Pick<OpenApi, 'follow'>,
  completeness: Completeness,
): SampleRequest {
  const { method, inputs } = operation
  // Text fits a path, a query, and a body member without a type.
  const sampler = createSampler(api, 'text')
  const sent = inputs.filter(
    ({ location, required }) => location === 'path' || (required && completeness === 'complete'),
  )
  const at = (location: PlannedInput['location']) =>
    sent
      .filter((input) => input.location === location)
      .map(({ name, schema }): [string, unknown] => [name, sampler.make(schema)])
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const [, value] = at('path').find(([each]) => each === name) ?? []
    return encodeURIComponent(String(value ?? 'example')) || 'example'
  })
  const query = new URLSearchParams(at('query').flatMap(pairsOf)).toString()
  const headers = Object.fromEntries(at('header').map(([name, value]) => [name, String(value)]))
  const takesBody = method !== 'GET' && method !== 'DELETE'
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(takesBody && { body: Object.fromEntries(at('body')) }),
  }
}

/** The required inputs that an `empty` request lacks. */
export function asksFor({ inputs }: PlannedOperation): string[] {
  return inputs.filter(({ location, required }) => required && location !== 'path').map(({ name }) => name)
}

/** A list becomes one parameter per element. */
function pairsOf([name, value]: [string, unknown]): [string, string][] {
  return [value].flat().map((item) => [name, String(item)])
}
