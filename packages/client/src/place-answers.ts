import { headers, type InputLocation, type RequiredInput } from '@agentic-rest/profile'
import { parameterNames } from './build-url.ts'
import { type ClientRequest, isSafeMethod, type QueryValue } from './client-request.ts'
import { toText } from './to-text.ts'

/** Answers to the inputs of a clarification, by name. */
export type Answers = Readonly<Record<string, unknown>>

// Who asks and for whom is the client's to say: a service cannot have it replaced by asking for it.
const ownHeaders = new Set([...Object.values(headers), 'Cookie', 'Host'].map((name) => name.toLowerCase()))

/** Whether a request has a place for an input; a service may ask for what no answer can give. */
export function canPlace(request: ClientRequest, { name, location }: RequiredInput): boolean {
  switch (location) {
    case 'body':
      return !isSafeMethod(request.method) && isFields(request.body ?? {})
    case 'query':
      return true
    case 'path':
      return parameterNames(request.path).includes(name)
    case 'header':
      return /^[\w-]+$/.test(name) && !ownHeaders.has(name.toLowerCase())
  }
}

/**
 * The request with each answer at the place where it was asked for, or nothing when no input was answered: the
 * same question would come again. What was not asked for is not sent.
 */
export function placeAnswers(
  request: ClientRequest,
  inputs: readonly RequiredInput[],
  answers: Answers,
): ClientRequest | undefined {
  const answered = inputs.filter(({ name }) => Object.hasOwn(answers, name) && answers[name] !== undefined)
  if (answered.length === 0) return undefined
  return answered.reduce(
    (placed, { name, location }) => place[location](placed, name, answers[name]),
    request,
  )
}

type Place = (request: ClientRequest, name: string, value: unknown) => ClientRequest

const place: Readonly<Record<InputLocation, Place>> = {
  body: (request, name, value) => ({
    ...request,
    body: { ...(request.body as object | undefined), [name]: value },
  }),
  query: (request, name, value) => ({ ...request, query: { ...request.query, [name]: toQuery(value) } }),
  path: (request, name, value) => ({ ...request, params: { ...request.params, [name]: toText(value) } }),
  header: (request, name, value) => ({ ...request, headers: { ...request.headers, [name]: toText(value) } }),
}

function toQuery(value: unknown): QueryValue {
  return Array.isArray(value) ? value.map(toText) : toText(value)
}

function isFields(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}
