import { type OutcomeType, outcomeTypes } from '@agentic-rest/profile'
import { z } from 'zod'

const text = z.string().min(1)
const path = z.string().regex(/^\/(?!\/)/, 'expected a path that starts with one "/"')
const address = z.string().regex(/^https?:\/\/[^/?#\s]/i, 'expected an http or https address')
const seconds = z.number().positive().max(300)
const texts = z.record(text, z.string())
const jsonPath = z
  .string()
  .regex(/^\$(\.[A-Za-z_][\w-]*|\[-?\d+\])*$/, 'expected a path such as $.items[0].id')

/** The token name of a request without a token. */
export const NO_TOKEN = 'none'

const outcomeNames = outcomeTypes as readonly [OutcomeType, ...OutcomeType[]]

/** The source of a token. The file itself contains no token. */
const token = z.union(
  [
    z.strictObject({ env: text }),
    z.strictObject({ command: text }),
    z.strictObject({ file: text }),
    z.strictObject({ url: address, form: texts.optional(), field: text.default('access_token') }),
  ],
  { error: 'expected a map with one of env, command, file and url' },
)

const requestShape = {
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  path,
  /** A name of `services`; the base address when absent. */
  service: text.optional(),
  /** A name of `tokens`, or `none`. */
  token: text.optional(),
  tenant: text.optional(),
  headers: texts.optional(),
  /** Sent as JSON; a text is sent as it is. */
  body: z.unknown().optional(),
}

const request = z.strictObject(requestShape)

const step = z.strictObject({
  ...requestShape,
  /** The expected outcomes; any 2xx by default. */
  expect: z.array(z.enum(outcomeNames)).min(1).optional(),
  /** Repeats the step until the value at the path is in the list, for at most `seconds`. */
  until: z
    .strictObject({ path: jsonPath, in: z.array(z.unknown()).min(1), seconds: seconds.default(10) })
    .optional(),
  /** Names for values of the answer: `$.id` of the body, `header:Location` of the head. */
  capture: z
    .record(
      z.string().regex(/^[A-Za-z]\w*$/),
      z.union([jsonPath, z.string().regex(/^header:[\w-]+$/)], {
        error: 'expected a path such as $.id, or header:NAME',
      }),
    )
    .optional(),
})

const probeShape = {
  setup: z.array(step).optional(),
  request,
  cleanup: z.array(step).optional(),
}

const probe = z.strictObject(probeShape)

const clarification = z.strictObject({
  ...probeShape,
  /** Inputs that the answer must ask for. */
  asks: z.array(text).min(1).optional(),
  /** Input names of the inner agent, which the answer must not use. */
  hides: z.array(text).min(1).optional(),
})

const approval = z.strictObject({ ...probeShape, approver: text.optional() })

/** Replaces token and tenant of a request; the ones of the scenario by default. */
const caller = z.strictObject({ token: text.optional(), tenant: text.optional() })

/** A route that refuses everybody is no proof of `forbidden`, so `admits` names a caller that it does not refuse. */
const forbidden = z.strictObject({ ...probeShape, admits: caller.optional() })

const effects = z.strictObject({
  ...requestShape,
  /** The list or number in the body that grows with every effect. */
  count: jsonPath,
})

const outcomeProbes = {
  success: probe,
  created: probe,
  accepted: probe,
  clarification_required: clarification,
  validation_failed: probe,
  approval_required: approval,
  forbidden,
  conflict: probe,
  failed_dependency: probe,
  error: probe,
} satisfies Record<OutcomeType, z.ZodType>

/** The schema of a scenario file. */
export const scenarioSchema = z.strictObject({
  /** A gateway, or a service without one; fewer rules apply to a service. */
  target: z.enum(['gateway', 'service']).default('gateway'),
  token: text.optional(),
  tenant: text.optional(),
  tokens: z.record(text, token).optional(),
  services: z.record(text, address).optional(),
  outcomes: z.strictObject(outcomeProbes).partial().optional(),
  stream: probe.optional(),
  limit: z
    .strictObject({
      ...probeShape,
      /** The number of concurrent streams of a tenant. */
      streams: z.int().min(1).max(1000).default(10),
      otherTenant: caller.optional(),
    })
    .optional(),
  deadline: z.strictObject({ ...probeShape, seconds }).optional(),
  graph: z
    .strictObject({
      failed_dependency: probe,
      clarification_required: clarification,
      approval_required: approval,
      /** A call of agent A, and the records of agent B about it. */
      hop: z.strictObject({ ...probeShape, records: effects }),
    })
    .partial()
    .optional(),
  retry: z.strictObject({ ...probeShape, effects }).optional(),
  /** A tenant that the token does not allow. */
  foreignTenant: text.optional(),
  /** A request whose upstream answers with a vendor type and no trace. */
  tracelessUpstream: probe.optional(),
  /** A request whose upstream answers with a vendor type and the trace of another request. */
  mismatchedUpstream: probe.optional(),
  /** A request whose upstream cannot be reached. */
  unreachableUpstream: probe.optional(),
  /** A request whose upstream answers with the headers that it received. */
  echo: probe.optional(),
  metrics: path.optional(),
  packages: z.array(text).min(1).optional(),
  fixtures: text.optional(),
})

/** A scenario: the requests for each outcome, as data. */
export type Scenario = z.output<typeof scenarioSchema>
/** A scenario before defaults are added. */
export type ScenarioInput = z.input<typeof scenarioSchema>
/** One request of a scenario. */
export type ScenarioRequest = z.output<typeof request>
/** A request before or after the judged one. */
export type Step = z.output<typeof step>
/** A judged request with its setup and cleanup. */
export type Probe = z.output<typeof probe>
/** The source of a token. */
export type TokenSource = z.output<typeof token>
/** The request that counts effects. */
export type Effects = z.output<typeof effects>
