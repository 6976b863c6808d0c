import { headers } from '@agentic-rest/profile'
import type { PromptSanitizeOptions } from '../../config/config-schema.ts'
import { causeOf, invalidRequest, refusal } from '../../errors.ts'
import type { Exchange, StepResult } from '../../exchange.ts'
import { LimitReachedError, refuse } from '../../limits/refuse.ts'
import type { PipelineContext, PipelinePlugin, PluginPlan } from '../../plugin.ts'
import { type BodyKind, INSPECTED_TYPES, judgeBody } from './body-kind.ts'
import { compileRules, matchedReplacements } from './compile-rules.ts'
import { createTargetInspector, type TargetInspector } from './inspect-target.ts'
import { describeFailure } from './inspection-failure.ts'
import { InspectionPool, OFF_LOOP_BYTES } from './inspection-pool.ts'
import { createViewReader } from './readable-view.ts'
import { createTextRedactor, type Redactions, RedactionTally } from './redact-text.ts'
import { type SanitizedBody, sanitizeCounted } from './sanitize-body.ts'

/** Redacts the matches of the rules in query and body, or refuses the request (decision 21). */
export function promptSanitize(options: PromptSanitizeOptions, context: PipelineContext): PipelinePlugin {
  const plan = () => planPromptSanitize(options)
  if (options.rules.length === 0) return { name: 'prompt-sanitize', request: () => undefined, plan }
  const { target, sanitize, close } = createSanitizer(options, context)

  function inspectTarget(exchange: Exchange): StepResult {
    try {
      return target.inspect(exchange)
    } catch (error) {
      return fail(error, exchange, context)
    }
  }

  function inspectBody(exchange: Exchange): StepResult | Promise<StepResult> {
    if (exchange.body.length === 0) return undefined
    const judgement = judgeBody(exchange)
    switch (judgement.type) {
      case 'uninspected':
        return options.uninspected === 'refuse' ? refuseType(exchange) : pass(exchange, context)
      case 'refuse':
        exchange.rule = judgement.field
        return invalidRequest(judgement.field, judgement.message)
      case 'inspect':
        return sanitize(exchange, judgement.kind)
    }
  }

  return {
    name: 'prompt-sanitize',
    request: (exchange) => inspectTarget(exchange) ?? inspectBody(exchange),
    // Before otel-audit completes its record.
    response: target.conceal,
    plan,
    close,
  }
}

const TYPE_REFUSED = invalidRequest(
  headers.contentType,
  `The type of the body must be one that can be inspected: ${INSPECTED_TYPES}.`,
)

function refuseType(exchange: Exchange): StepResult {
  exchange.rule = headers.contentType
  return TYPE_REFUSED
}

/** Forwards a body that no rule has searched. */
function pass(exchange: Exchange, { metrics }: PipelineContext): undefined {
  metrics.sanitizeSkipped(exchange.route?.id ?? 'unmatched')
  exchange.bodyUninspected = true
}

/** Whether requests are inspected, and by which rules. */
export function planPromptSanitize({ rules }: PromptSanitizeOptions): PluginPlan {
  if (rules.length === 0) return { runs: false, why: 'it has no rules' }
  const names = rules.map(({ name }) => name).join(', ')
  const why = `looks at path, query and body with ${rules.length === 1 ? 'rule' : 'rules'} ${names}`
  return { runs: true, why }
}

interface Sanitizer {
  readonly target: TargetInspector
  sanitize(exchange: Exchange, kind: BodyKind): StepResult | Promise<StepResult>
  close(): Promise<void>
}

function createSanitizer(
  { rules, max_body_bytes: maxBytes }: PromptSanitizeOptions,
  context: PipelineContext,
): Sanitizer {
  const read = createViewReader()
  const compiled = compileRules(rules, read)
  for (const { rule, matchedBy } of matchedReplacements(compiled, read)) {
    context.log.warn('prompt-sanitize: a rule matches a replacement, which is never replaced itself', {
      rule: matchedBy,
      replacement_of: rule,
    })
  }
  const tally = new RedactionTally()
  const redact = createTextRedactor(compiled, read, tally)
  const counted = { redact, tally }
  const note = (exchange: Exchange, redactions: Redactions) => noteRedactions(exchange, redactions, context)
  const settle = (exchange: Exchange, result: SanitizedBody): StepResult => {
    if (result.type === 'changed') note(exchange, result.redactions ?? {})
    return settleBody(exchange, result)
  }
  // A reload that leaves the rules as they are keeps the threads.
  const pool = context.hold(JSON.stringify(rules), () => new InspectionPool(rules))
  const inspect = (exchange: Exchange, bytes: Buffer, kind: BodyKind) => {
    if (bytes.length <= OFF_LOOP_BYTES) return sanitizeCounted(bytes, kind, counted)
    return pool.value.inspect({ tenant: exchange.tenantId ?? '', bytes, kind, signal: exchange.signal })
  }
  const sanitizeLater = async (exchange: Exchange, kind: BodyKind) => {
    try {
      const { body, tenantId = '' } = exchange
      // Before it is read: there would be no place for it then.
      if ((body.length ?? 0) > OFF_LOOP_BYTES) pool.value.refuseIfFull(tenantId)
      const bytes = await body.read(maxBytes)
      if (bytes === undefined) {
        exchange.limit = 'max_body_bytes'
        return refusal('BODY_TOO_LARGE')
      }
      return bytes.length === 0 ? undefined : settle(exchange, await inspect(exchange, bytes, kind))
    } catch (error) {
      return fail(error, exchange, context)
    }
  }
  return {
    close: () => pool.release(),
    target: createTargetInspector({ rules: compiled, read, redact, tally, note }),
    sanitize(exchange, kind) {
      const bytes = exchange.body.arrived(Math.min(maxBytes, OFF_LOOP_BYTES))
      if (bytes === undefined) return sanitizeLater(exchange, kind)
      try {
        return bytes.length === 0 ? undefined : settle(exchange, sanitizeCounted(bytes, kind, counted))
      } catch (error) {
        return fail(error, exchange, context)
      }
    },
  }
}

/** A redaction leaves a trace: otherwise nobody could tell why a service got another text than the client sent. */
function noteRedactions(exchange: Exchange, redactions: Redactions, { metrics }: PipelineContext): void {
  const all: Record<string, number> = Object.assign(Object.create(null), exchange.redactions)
  for (const [rule, count] of Object.entries(redactions)) {
    all[rule] = (all[rule] ?? 0) + count
    metrics.redacted(rule, count)
  }
  exchange.redactions = all
}

function settleBody(exchange: Exchange, result: SanitizedBody): StepResult {
  switch (result.type) {
    case 'unchanged':
      return undefined
    case 'changed':
      return void exchange.body.replace(result.bytes)
    case 'refused':
      exchange.rule = result.rule
      exchange.cause = result.cause
      return invalidRequest(result.field, result.message)
  }
}

/** Fails closed: an uninspected request is not forwarded. */
function fail(error: unknown, exchange: Exchange, { log }: PipelineContext): StepResult {
  const { trace, signal } = exchange
  if (error instanceof LimitReachedError) return refuse(exchange, error.limit)
  // A disconnected client is no fault of the gateway and gets no answer.
  if (!signal.aborted) {
    log.error('prompt-sanitize could not inspect a request', {
      request_id: trace.requestId,
      ...describeFailure(error),
    })
  }
  exchange.cause = causeOf(error)
  return refusal('SANITIZE_FAILED')
}
