import type { InputLocation, Outcome, OutcomeType } from '@agentic-rest/profile'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type InputField, inputFields } from './input/input-fields.ts'
import { type JsonSchema, jsonSchemaOf } from './input/json-schema.ts'
import { assertPathTemplate, type Method, methods, type PathParams, pathParameters } from './path-template.ts'
import type { AcceptContext, CheckContext, RequestContext, RunContext } from './run-context.ts'
import type { ReleasedOperation, Releaser } from './runtime/contract.ts'
import type { Principal } from './runtime/principal.ts'
import type { Sql } from './runtime/store.ts'
import type { ServiceEvent } from './stream/event.ts'
import type { RawResponse } from './stream/raw.ts'

/** The type of the inputs that `run` gets for a schema. */
export type InputOf<Schema extends StandardSchemaV1 | undefined> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : undefined

/** The type of the events that `run` yields for a schema; without one, anything that can be written as JSON. */
export type EventOf<Schema extends StandardSchemaV1 | undefined> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Schema>
  : unknown

/** The result of `run`: an outcome, a foreign answer, or a generator that yields events and returns an outcome. */
export type Running<Event = unknown> =
  | Outcome
  | RawResponse
  | Promise<Outcome | RawResponse>
  | AsyncGenerator<Event | ServiceEvent<Event>, Outcome, void>

/** A required approval. */
export interface WantedApproval {
  readonly message: string
  readonly approver: { readonly name: string }
  /** Overrides the role of the rule. */
  readonly role?: string
  /** Overrides the quorum of the rule. */
  readonly quorum?: number
  /** The person on whose behalf an agent asks. This person cannot decide, and the token is valid only for requests on their behalf. */
  readonly requestedFor?: string | Principal | undefined
}

/** The common part of the rules for approvals. */
interface ApprovalCondition<Input, Params> {
  /** The time to decide and use the approval; overrides `runtime.approvals.expirySeconds`. */
  readonly expirySeconds?: number
  /** Returns `false` if the request needs no approval. */
  when(context: RequestContext<Input, Params>): false | WantedApproval | Promise<false | WantedApproval>
}

/** Somebody else with a role decides. */
interface DecidedByRole<Input, Params> extends ApprovalCondition<Input, Params> {
  /** The role that decides. */
  readonly role: string
  readonly by?: undefined
  /** The number of different deciders that have to approve; 1 by default, 100 at most. */
  readonly quorum?: number
}

/**
 * The requester confirms its own request; for an agent, the person behind it if the operation names one. It protects
 * against mistakes, not against the requester.
 */
interface ConfirmedByRequester<Input, Params> extends ApprovalCondition<Input, Params> {
  readonly by: 'requester'
  readonly role?: undefined
  readonly quorum?: undefined
}

/** The rule for approvals of an operation. */
export type ApprovalRule<Input = unknown, Params = Readonly<Record<string, string>>> =
  | DecidedByRole<Input, Params>
  | ConfirmedByRequester<Input, Params>

/** The person on whose behalf an agent asks; undefined if the caller asks for itself. */
export type PersonBehind<Input = unknown, Params = Readonly<Record<string, string>>> = (
  context: RequestContext<Input, Params>,
) => Principal | undefined

/** Chooses per request: true is 202, false never, undefined leaves it to the `Prefer` header of the caller. */
export type BackgroundChoice<Input = unknown, Params = Readonly<Record<string, string>>> = (
  context: RequestContext<Input, Params>,
) => boolean | undefined | Promise<boolean | undefined>

/** An outcome without an effect. */
export type Refusal = Exclude<Outcome, { readonly type: 'success' | 'created' | 'accepted' }>

/** A refusal, or nothing when the request may continue. */
export type Objection = Refusal | undefined | Promise<Refusal | undefined>

/** The schemas of the 200 and 201 bodies, for the OpenAPI document. */
export interface OutputSchemas {
  readonly success?: StandardSchemaV1 | JsonSchema
  readonly created?: StandardSchemaV1 | JsonSchema
}

/** The definition of an operation. */
export interface OperationDefinition<
  Path extends string,
  Schema extends StandardSchemaV1 | undefined,
  Event extends StandardSchemaV1 | undefined = undefined,
> {
  /** The id in audit records, idempotency keys and stored jobs. Keep it when the path changes. */
  readonly id: string
  readonly method: Method
  /** A template such as `/campaigns/{campaignId}/optimizations`. */
  readonly path: Path
  readonly summary?: string
  readonly description?: string
  /** A Standard Schema of an object with all inputs, of every location. */
  readonly input?: Schema
  /** The JSON Schema of `input`, for libraries that cannot generate one. */
  readonly inputJsonSchema?: JsonSchema
  /** The locations of inputs. Default: the path if the template has the name, else the query or the body. */
  readonly locations?: Readonly<Record<string, InputLocation>>
  readonly output?: OutputSchemas
  /** A Standard Schema of the data of one event, for a `run` that yields events. Another event is a fault of the service. */
  readonly event?: Event
  /** The outcomes of `run`, for the OpenAPI document; all of them by default. */
  readonly outcomes?: readonly OutcomeType[]
  /** One effect per `Idempotency-Key`. */
  readonly idempotent?: boolean
  /**
   * Whether a request runs in the background. True lets callers ask for 202 with `Prefer: respond-async`. A function
   * chooses per request (decision 43).
   */
  readonly async?: boolean | BackgroundChoice<InputOf<Schema>, PathParams<Path>>
  readonly approval?: ApprovalRule<InputOf<Schema>, PathParams<Path>>
  /**
   * The person behind a request of an agent. That person sees and cancels the background operation as the agent does,
   * sees the approval, and cannot decide it. Believe only agents you know: the person is their claim.
   */
  readonly requestedFor?: PersonBehind<InputOf<Schema>, PathParams<Path>>
  /**
   * Refuses requests that cannot succeed, before the approval, the 202 and the run. The inputs are valid at this point.
   * It must not have an effect.
   */
  check?(context: CheckContext<InputOf<Schema>, PathParams<Path>>): Objection
  /** Reserves resources for a background operation, in the transaction of its 202. A refusal rolls back everything. */
  accept?(context: AcceptContext<InputOf<Schema>, PathParams<Path>>, sql: Sql): Objection
  /** Releases the reservations of `accept`, in the transaction that ends the operation without an effect. */
  release?(released: ReleasedOperation, sql: Sql): void | Promise<void>
  /** Does the work. An async generator streams: it yields events and returns the outcome. */
  run(context: RunContext<InputOf<Schema>, PathParams<Path>>): Running<EventOf<Event>>
}

/** A checked operation. */
export interface Operation {
  readonly id: string
  readonly method: Method
  readonly path: string
  /** The names in the path template, in order. */
  readonly parameters: readonly string[]
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly schema: StandardSchemaV1 | undefined
  readonly jsonSchema: JsonSchema | undefined
  readonly fields: ReadonlyMap<string, InputField>
  /** Whether the request body is read. */
  readonly readsBody: boolean
  readonly output: OutputSchemas
  readonly outcomes: readonly OutcomeType[] | undefined
  readonly idempotent: boolean
  readonly async: boolean | BackgroundChoice
  readonly approval: ApprovalRule | undefined
  readonly requestedFor: PersonBehind | undefined
  readonly check: ((context: CheckContext) => Objection) | undefined
  readonly accept: ((context: AcceptContext, sql: Sql) => Objection) | undefined
  readonly release: Releaser | undefined
  /** Whether `run` yields events. */
  readonly streams: boolean
  readonly event: StandardSchemaV1 | undefined
  run(context: RunContext): Running
}

/** Checks a definition once, at the start; throws a `TypeError` with the id of the operation. */
export function defineOperation<
  const Path extends string,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Event extends StandardSchemaV1 | undefined = undefined,
>(definition: OperationDefinition<Path, Schema, Event>): Operation {
  try {
    return readDefinition(definition)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`operation ${definition.id}: ${reason}`, { cause })
  }
}

function readDefinition<
  Path extends string,
  Schema extends StandardSchemaV1 | undefined,
  Event extends StandardSchemaV1 | undefined,
>(definition: OperationDefinition<Path, Schema, Event>): Operation {
  const { id, method, path, input, output = {} } = definition
  assertNames(id, method)
  assertPathTemplate(path)
  const jsonSchema = input && jsonSchemaOf(input, definition.inputJsonSchema)
  const fields = jsonSchema ? inputFields({ schema: jsonSchema, locate: locator(definition) }) : new Map()
  assertLocations(definition, fields)
  assertHooks(definition)
  if (definition.approval !== undefined) assertRule(definition.approval)
  return {
    id,
    method,
    path,
    parameters: pathParameters(path),
    summary: definition.summary,
    description: definition.description,
    schema: input,
    jsonSchema,
    fields,
    readsBody: readsBody(method, fields),
    output,
    outcomes: definition.outcomes,
    idempotent: definition.idempotent ?? false,
    // The casts are safe: inputs are checked against the same schema before they get here.
    async: (definition.async as Operation['async'] | undefined) ?? false,
    approval: definition.approval as ApprovalRule | undefined,
    requestedFor: readPersonBehind(definition.requestedFor as PersonBehind | undefined),
    check: definition.check?.bind(definition) as Operation['check'],
    accept: definition.accept?.bind(definition) as Operation['accept'],
    release: definition.release?.bind(definition),
    streams: definition.event !== undefined || isGeneratorFunction(definition.run),
    event: definition.event,
    run: (context) => definition.run(context as RunContext<InputOf<Schema>, PathParams<Path>>),
  }
}

/** Also true for a generator function of another realm. */
function isGeneratorFunction(run: unknown): boolean {
  return Object.prototype.toString.call(run) === '[object AsyncGeneratorFunction]'
}

/** A person without a name is none. */
function readPersonBehind(personBehind: PersonBehind | undefined): PersonBehind | undefined {
  if (personBehind === undefined) return undefined
  return (context) => {
    const person = personBehind(context)
    return person?.subject === '' ? undefined : person
  }
}

/** `accept` and `release` need `async`: without a 202 they would never run. */
function assertHooks({ async: canWait = false, accept, release }: Hooks): void {
  if (canWait !== false) return
  const name = (accept && 'accept') ?? (release && 'release')
  if (name !== undefined) throw new TypeError(`it has ${name} but is not async`)
}

/** The limit of deciders of one approval. */
export const MAX_QUORUM = 100

function assertRule({ by, role, quorum, expirySeconds }: RuleLimits): void {
  if (by !== undefined && by !== 'requester') throw new TypeError('its approval.by can only be "requester"')
  if (by === undefined && (typeof role !== 'string' || role === ''))
    throw new TypeError('its approval has to name a role, or by: "requester"')
  if (by !== undefined && (role !== undefined || quorum !== undefined))
    throw new TypeError('its approval by the requester can have neither role nor quorum')
  if (quorum !== undefined && !isQuorum(quorum))
    throw new TypeError(`its approval.quorum has to be a whole number from 1 to ${MAX_QUORUM}`)
  if (expirySeconds !== undefined && !(expirySeconds > 0 && Number.isFinite(expirySeconds)))
    throw new TypeError('its approval.expirySeconds has to be a positive number')
}

/** Whether a number of deciders is possible. */
export function isQuorum(quorum: number): boolean {
  return Number.isInteger(quorum) && quorum >= 1 && quorum <= MAX_QUORUM
}

type RuleLimits = {
  readonly by?: string | undefined
  readonly role?: string | undefined
  readonly quorum?: number | undefined
  readonly expirySeconds?: number | undefined
}
type Hooks = { readonly async?: unknown; readonly accept?: unknown; readonly release?: unknown }
type Placed = Pick<Operation, 'method' | 'path'> & Pick<OperationDefinition<string, undefined>, 'locations'>

function locator({ method, path, locations = {} }: Placed): (name: string) => InputLocation {
  const inPath = new Set(pathParameters(path))
  const elsewhere = hasBody(method) ? 'body' : 'query'
  return (name) => {
    if (Object.hasOwn(locations, name)) return locations[name] ?? elsewhere
    return inPath.has(name) ? 'path' : elsewhere
  }
}

function hasBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE'
}

function readsBody(method: Method, fields: Operation['fields']): boolean {
  return hasBody(method) || [...fields.values()].some(({ location }) => location === 'body')
}

function assertNames(id: string, method: Method): void {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(id)) {
    throw new TypeError('its id has to be 1 to 128 letters, digits, dots, colons, dashes or underscores')
  }
  if (!methods.includes(method)) throw new TypeError(`its method has to be one of ${methods.join(', ')}`)
}

function assertLocations({ path, method, locations = {} }: Placed, fields: Operation['fields']): void {
  for (const name of Object.keys(locations)) {
    if (!fields.has(name)) throw new TypeError(`it places ${name}, which is not one of its inputs`)
  }
  const inPath = new Set(pathParameters(path))
  for (const { name, location } of fields.values()) {
    if ((location === 'path') !== inPath.has(name)) {
      throw new TypeError(`its input ${name} is placed in the ${location}, but its path says otherwise`)
    }
    // RFC 9110, section 9.3.1: a body of GET has no meaning, and servers drop it.
    if (location === 'body' && method === 'GET')
      throw new TypeError(`its input ${name} cannot be in the body of GET`)
  }
}
