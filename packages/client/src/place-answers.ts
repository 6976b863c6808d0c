import { headers, type InputLocation, type RequiredInput, templateParameters } from '@agentic-rest/profile'
import { toText } from './build-url.ts'
import { type ClientRequest, isSafeMethod, type QueryValue } from './client-request.ts'

/** Answers to the inputs of a clarification, by name. */
export type Answers = Readonly<Record<string, unknown>>

// A service must not replace identity headers by asking for them.
const ownHeaders = new Set([...Object.values(headers), 'Cookie', 'Host'].map((name) => name.toLowerCase()))

/** Whether an input can be sent. A service may ask for inputs that no answer can contain. */
export function canPlace(request: ClientRequest, { name, location }: RequiredInput): boolean {
  switch (location) {
    case 'body':
      return !isSafeMethod(request.method) && isFields(request.body ?? {})
    case 'query':
      return true
    case 'path':
      return templateParameters(request.path).includes(name)
    case 'header':
      return /^[\w-]+$/.test(name) && !ownHeaders.has(name.toLowerCase())
  }
}

/**
 * Adds each answer to the request at its location. Returns nothing if no input was answered, because the same question
 * would come again. Answers to other inputs are not sent.
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
