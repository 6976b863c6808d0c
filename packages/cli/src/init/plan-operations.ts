import {
  elementsOf,
  headerKeys,
  type JsonObject,
  mediaTypeEssence,
  membersOf,
  outcomes,
  patternsOf,
  wholeSchema,
  withPatterns,
} from '@agentic-rest/profile'
import { type FoundOperation, findOperations, parameterName } from './find-operations.ts'
import { InitError } from './init-error.ts'
import { type OpenApi, textOf } from './openapi.ts'
import { unsupportedKeywords } from './zod-source.ts'

/** One input of an operation. */
export interface PlannedInput {
  readonly name: string
  readonly location: 'path' | 'query' | 'header' | 'body'
  readonly required: boolean
  readonly question: string | undefined
  readonly schema: JsonObject
}

/** One operation of the project. */
export interface PlannedOperation {
  readonly id: string
  readonly method: FoundOperation['method']
  readonly path: string
  readonly summary: string | undefined
  readonly inputs: readonly PlannedInput[]
  /** The outcome of a complete request. */
  readonly outcome: 'success' | 'created'
  readonly streams: boolean
  /** The extension `x-agentic` of documents that the SDK writes. */
  readonly async: boolean
  readonly idempotent: boolean
  readonly approvalRole: string | undefined
}

/** The operations, and notes about parts of the document that were left out. */
export interface OperationPlan {
  readonly operations: readonly PlannedOperation[]
  readonly notes: readonly string[]
}

// The SDK adds these operations to a service with background work or approvals.
const SDK_ID = /^agentic\./
const SDK_PATHS = {
  async: /^\/operations\/\{\w+\}\/(?:status|cancel)$/,
  approval: /^\/approvals(?:\/\{\w+\}(?:\/(?:approve|reject|withdraw))?)?$/,
}
// The ids of their routes in the template.
const SDK_ROUTES = [
  ...['operation-status', 'cancel-operation', 'show-approval', 'approve', 'reject', 'withdraw'],
  'list-approvals',
]
// Headers of the gateway, the SDK or HTTP itself: no inputs of an operation.
const ownedHeaders = new Set<string>([
  ...Object.values(headerKeys),
  ...['accept', 'connection', 'content-length', 'cookie', 'host', 'prefer', 'transfer-encoding'],
])
// The rule of the SDK for path parameters. Documents of the SDK have it, and the written service adds it again; the test of
// a project from such a document compares both.
const REFUSED = String.raw`/\\\u0000-\u001f\u007f-\u009f`
const SDK_PATTERN = String.raw`^(?:[^.${REFUSED}]|\.[^.;${REFUSED}]|\.\.[^;${REFUSED}])[^${REFUSED}]*$`
const OWNED_PREFIX = /^x-(?:actor|forwarded)-/

/** Turns the operations of a document into routes and operations of a project. */
export function planOperations(api: OpenApi): OperationPlan {
  const { found, notes } = findOperations(api)
  const plan = { api, taken: new Set<string>(SDK_ROUTES), notes }
  const own = found.filter(({ operation }) => !SDK_ID.test(textOf(operation['operationId']) ?? ''))
  const operations = withoutSdkPaths(
    own.map((each) => planOperation(each, plan)),
    notes,
  )
  if (operations.length === 0) throw new InitError('the document has no operation that a route can have')
  return { operations, notes }
}

/** A document of another framework may have these paths itself; the SDK takes them if it needs them. */
function withoutSdkPaths(planned: readonly PlannedOperation[], notes: string[]): PlannedOperation[] {
  const needed = [
    ...(planned.some((operation) => operation.async) ? [SDK_PATHS.async] : []),
    ...(planned.some(({ approvalRole }) => approvalRole !== undefined) ? [SDK_PATHS.approval] : []),
  ]
  return planned.filter(({ method, path }) => {
    const isTaken = needed.some((pattern) => pattern.test(path))
    if (isTaken) notes.push(`${method} ${JSON.stringify(path)} is left out: the SDK answers it itself`)
    return !isTaken
  })
}

interface Plan {
  readonly api: OpenApi
  readonly taken: Set<string>
  readonly notes: string[]
}

function planOperation({ method, path, operation, item }: FoundOperation, plan: Plan): PlannedOperation {
  const { api, taken, notes } = plan
  const parameters = [...elementsOf(item['parameters']), ...elementsOf(operation['parameters'])].map((each) =>
    api.follow(each),
  )
  const leaveOut: LeaveOut = (part, reason) =>
    void notes.push(`${method} ${path}: ${part} is left out${reason === undefined ? '' : `: ${reason}`}`)
  const body = api.follow(operation['requestBody'])
  const takesBody = method !== 'GET' && method !== 'DELETE'
  if (!takesBody && Object.hasOwn(body, 'content')) leaveOut('the body', `${method} has none`)
  noteExtension(operation, leaveOut)
  const found = [
    ...pathInputs(path, parameters, api),
    ...parameters.flatMap((parameter) => parameterInput(parameter, api, leaveOut)),
    ...(takesBody ? bodyInputs(body, api, leaveOut) : []),
  ]
  const inputs = [...new Map(found.map((input) => [input.name, input])).values()]
  if (inputs.length < found.length)
    notes.push(`${method} ${path}: inputs with one name at two places are merged; the last place is used`)
  const responses = membersOf(operation['responses'])
  return {
    id: idFor(textOf(operation['operationId']) ?? `${method.toLowerCase()}${path}`, taken),
    method,
    path,
    summary: textOf(operation['summary']),
    // An input of the path stays in the path, even if another input has its name.
    inputs: inputs.map(
      (input) => found.find((each) => each.name === input.name && each.location === 'path') ?? input,
    ),
    outcome: isCreated(responses) ? 'created' : 'success',
    streams: hasStream(operation, api),
    ...extensionOf(operation),
  }
}

type LeaveOut = (part: string, reason?: string) => void

function noteExtension(operation: JsonObject, leaveOut: LeaveOut): void {
  const { async: canWait, idempotent, approval } = membersOf(operation['x-agentic'])
  if (!['boolean', 'undefined'].includes(typeof canWait)) leaveOut('async of x-agentic', 'it is no boolean')
  if (!['boolean', 'undefined'].includes(typeof idempotent))
    leaveOut('idempotent of x-agentic', 'it is no boolean')
  if (approval !== undefined && textOf(membersOf(approval)['role']) === undefined)
    leaveOut('approval of x-agentic', 'it names no role')
}

/** The facts of `x-agentic`. */
export function extensionOf(
  operation: JsonObject,
): Pick<PlannedOperation, 'async' | 'idempotent' | 'approvalRole'> {
  const { async: canWait, idempotent, approval } = membersOf(operation['x-agentic'])
  return {
    async: canWait === true,
    idempotent: idempotent === true,
    approvalRole: textOf(membersOf(approval)['role']),
  }
}

function pathInputs(path: string, parameters: readonly JsonObject[], api: OpenApi): PlannedInput[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter =
      parameters.find((each) => each['in'] === 'path' && parameterName(String(each['name'])) === name) ?? {}
    const schema = withoutSdkPattern(wholeSchema(parameter['schema'], api))
    return {
      name,
      location: 'path',
      required: true,
      question: undefined,
      schema: Object.hasOwn(schema, 'type') ? schema : { type: 'string', ...schema },
    }
  })
}

/** The schema that the author of a service wrote for a path parameter. */
function withoutSdkPattern(schema: JsonObject): JsonObject {
  const patterns = patternsOf(schema)
  if (!patterns.includes(SDK_PATTERN)) return schema
  return withPatterns(
    schema,
    patterns.filter((pattern) => pattern !== SDK_PATTERN),
  )
}

function parameterInput(parameter: JsonObject, api: OpenApi, leaveOut: LeaveOut): PlannedInput[] {
  const { in: location, name, required, schema, description } = parameter
  if (location === 'path') return []
  if (location !== 'query' && location !== 'header') {
    leaveOut(`the ${location} parameter ${name}`)
    return []
  }
  if (location === 'header' && isOwnedHeader(String(name).toLowerCase())) return []
  if (!isInputName(name)) {
    leaveOut(`the parameter ${JSON.stringify(name)}`, NAME_RULE)
    return []
  }
  if (schema === undefined && parameter['content'] !== undefined)
    leaveOut(`the schema of the parameter ${name}`, 'it is in content')
  return [
    {
      name,
      location,
      required: required === true,
      question: textOf(description),
      schema: wholeSchema(schema, api),
    },
  ]
}

function isOwnedHeader(key: string): boolean {
  return ownedHeaders.has(key) || OWNED_PREFIX.test(key)
}

function bodyInputs(body: JsonObject, api: OpenApi, leaveOut: LeaveOut): PlannedInput[] {
  const contents = Object.entries(membersOf(body['content']))
  const media = contents.find(([type]) => mediaTypeEssence(type)?.endsWith('json'))
  for (const [type] of contents.filter((each) => each !== media)) leaveOut(`the body of type ${type}`)
  const schema = wholeSchema(membersOf(media?.[1])['schema'], api)
  const { type = 'object', properties, required } = schema
  if (type !== 'object') {
    leaveOut('the body', 'it is no object')
    return []
  }
  for (const keyword of unsupportedKeywords({ ...schema, type })) leaveOut(`${keyword} of the body`)
  return Object.entries(membersOf(properties)).flatMap(([name, given]) => {
    if (!isInputName(name)) {
      leaveOut(`the member ${JSON.stringify(name)}`, NAME_RULE)
      return []
    }
    const schema = wholeSchema(given, api)
    return [
      {
        name,
        location: 'body',
        required: elementsOf(required).includes(name),
        question: textOf(schema['description']),
        schema,
      },
    ]
  })
}

const NAME_RULE = 'a name has at most 64 letters, digits and . _ -, and starts with a letter or _'

function isInputName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][\w.-]{0,63}$/.test(name) && name !== '__proto__'
}

function isCreated(responses: JsonObject): boolean {
  const { success, created } = outcomes
  return Object.hasOwn(responses, created.status) && !Object.hasOwn(responses, success.status)
}

/** Whether an operation can answer with a stream: it says so, or it has the media type. */
export function hasStream(operation: JsonObject, api: OpenApi): boolean {
  if (membersOf(operation['x-agentic'])['stream'] === true) return true
  return Object.values(membersOf(operation['responses']))
    .flatMap((response) => Object.keys(membersOf(api.follow(response)['content'])))
    .some((type) => mediaTypeEssence(type) === 'text/event-stream')
}

/** A unique id that is valid for a route and an operation. */
export function idFor(wish: string, taken: Set<string>): string {
  const plain =
    wish
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 100) || 'operation'
  const base = plain === 'unmatched' ? 'unmatched-operation' : plain
  let id = base
  for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`
  taken.add(id)
  return id
}
