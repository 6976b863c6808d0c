import { parameterName, pathSegments } from '../../config/schema/path-template.ts'
import { invalidRequest } from '../../errors.ts'
import type { Exchange, StepResult } from '../../exchange.ts'
import type { CompiledRule } from './compile-rules.ts'
import type { ViewReader } from './readable-view.ts'
import {
  createRuleFinder,
  createTextRedactor,
  type Redactions,
  type RedactionTally,
  type TextRedactor,
} from './redact-text.ts'
import { rewriteQuery } from './rewrite-form.ts'
import { createNestedRedactor, notAllowed } from './sanitize-body.ts'

/** Applies the rules to the path and the query of requests. */
export interface TargetInspector {
  /** Refuses a path value with a match, and redacts the query. */
  inspect(exchange: Exchange): StepResult
  /** Redacts the path values of a request that ended before its inspection: records show them. */
  conceal(exchange: Exchange): void
}

/** The parts of an inspector: rules, their reader and the redactor of bodies. */
export interface TargetInspectorOptions {
  readonly rules: readonly CompiledRule[]
  readonly read: ViewReader
  readonly redact: TextRedactor
  readonly tally: RedactionTally
  /** Notes the redactions of a query. */
  readonly note: (exchange: Exchange, redactions: Redactions) => void
}

const CONCEALED = '[REDACTED]'
// A caller without a token must not choose how much is searched for the record of a refusal.
const LONGEST_SEARCHED = 256

/** Creates the inspector of paths and queries. */
export function createTargetInspector(options: TargetInspectorOptions): TargetInspector {
  const { rules, read, redact, tally, note } = options
  const findRule = createRuleFinder(rules, read)
  const mask = createTextRedactor(
    rules.map((rule) => ({ ...rule, action: 'redact' })),
    read,
  )

  function inspectPath(exchange: Exchange): StepResult {
    const { params } = exchange
    for (const name in params) {
      const rule = findRule(params[name] ?? '', name)
      if (rule === undefined) continue
      concealPath(exchange, (text, hint) => masked(mask, text, hint))
      exchange.rule = rule
      return invalidRequest('path', notAllowed(rule))
    }
    return undefined
  }

  function inspectQuery(exchange: Exchange): StepResult {
    if (exchange.query.length < 2) return undefined
    const source = exchange.query.slice(1)
    tally.take()
    const result = rewriteQuery(source, { value: createNestedRedactor(redact), text: redact })
    if (typeof result === 'string') {
      if (result === source) return undefined
      exchange.query = `?${result}`
      note(exchange, tally.take())
      return undefined
    }
    if (result.type === 'malformed') {
      exchange.cause = 'NOT_UTF8'
      return invalidRequest('query', 'The query must be UTF-8, because it is inspected.')
    }
    exchange.rule = result.rule
    return invalidRequest('query', notAllowed(result.rule))
  }

  return {
    inspect(exchange) {
      const refused = inspectPath(exchange)
      // After the search: a search that throws leaves the path to be concealed.
      exchange.pathInspected = true
      return refused ?? inspectQuery(exchange)
    },
    conceal(exchange) {
      if (exchange.pathInspected) return
      concealPath(exchange, (text, hint) =>
        text.length > LONGEST_SEARCHED ? CONCEALED : masked(mask, text, hint),
      )
    },
  }
}

/** Replaces the path values that records show. The path is changed too; it is only for requests that are not forwarded. */
function concealPath(exchange: Exchange, conceal: (text: string, hint: string) => string): void {
  const { params, route } = exchange
  const concealed: Record<string, string> = Object.create(null)
  let isChanged = false
  for (const name in params) {
    const text = params[name] ?? ''
    const shown = conceal(text, name)
    concealed[name] = shown
    isChanged ||= shown !== text
  }
  if (!isChanged || route === undefined) return
  exchange.params = concealed
  const segments = pathSegments(route.path).map((segment) => {
    const name = parameterName(segment)
    return name === undefined ? segment : (concealed[name] ?? '')
  })
  exchange.path = `/${segments.join('/')}`
}

/** Fails closed: a value that cannot be searched is not shown. */
function masked(mask: TextRedactor, text: string, hint: string): string {
  try {
    const result = mask(text, hint)
    return typeof result === 'string' ? result : CONCEALED
  } catch {
    return CONCEALED
  }
}
