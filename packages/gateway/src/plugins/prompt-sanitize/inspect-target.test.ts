import { describe, expect, test } from 'vitest'
import { makeExchange } from '../../../test/plugins/make-exchange.ts'
import type { CompiledRule } from './compile-rules.ts'
import { createTargetInspector } from './inspect-target.ts'
import { createViewReader } from './readable-view.ts'
import { createTextRedactor, RedactionTally } from './redact-text.ts'

function makeRule(overrides: Partial<CompiledRule> = {}): CompiledRule {
  return {
    name: 'secret',
    order: 0,
    action: 'redact',
    placeholder: '[secret]',
    minLength: 1,
    find({ source: { text } }) {
      const start = text.indexOf('s3cret')
      return start === -1 ? [] : [{ start, end: start + 6 }]
    },
    ...overrides,
  }
}

function makeInspector(...rules: CompiledRule[]) {
  const read = createViewReader()
  const tally = new RedactionTally()
  const redact = createTextRedactor(rules, read, tally)
  return createTargetInspector({
    rules,
    read,
    redact,
    tally,
    note: (exchange, redactions) => {
      exchange.redactions = redactions
    },
  })
}

const failing = makeRule({
  find: () => {
    throw new Error('broken')
  },
})

function exchangeOf(value: string, query = '') {
  const path = `/campaigns/${value}/optimizations`
  return makeExchange({ path, query, params: Object.assign(Object.create(null), { campaignId: value }) })
}

const refused = (field: string) => ({
  type: 'validation_failed',
  message: 'The request is not valid.',
  errors: [{ field, message: 'The value is not allowed here by the rule "secret".' }],
})

describe('inspect', () => {
  test('a clean target stays the same objects', () => {
    const exchange = exchangeOf('c-1', '?a=b')
    const { params } = exchange
    expect(makeInspector(makeRule()).inspect(exchange)).toBeUndefined()
    expect(exchange).toMatchObject({
      path: '/campaigns/c-1/optimizations',
      query: '?a=b',
      pathInspected: true,
    })
    expect(exchange.params).toBe(params)
  })

  test.each(['redact', 'reject'] as const)('a rule with action %s refuses a match in the path', (action) => {
    const exchange = exchangeOf('my-s3cret-id', '?a=s3cret')
    expect(makeInspector(makeRule({ action })).inspect(exchange)).toEqual(refused('path'))
    expect(exchange).toMatchObject({
      path: '/campaigns/my-[secret]-id/optimizations',
      params: { campaignId: 'my-[secret]-id' },
      pathInspected: true,
    })
  })

  test('a placeholder in the path is no match', () => {
    const placeholder = makeRule({ placeholder: 's3cret' })
    expect(makeInspector(placeholder).inspect(exchangeOf('s3cret'))).toBeUndefined()
  })

  test('a query is redacted or refused', () => {
    const exchange = exchangeOf('c-1', '?a=s3cret&b=1')
    expect(makeInspector(makeRule()).inspect(exchange)).toBeUndefined()
    expect(exchange.query).toBe('?a=%5Bsecret%5D&b=1')
    expect(makeInspector(makeRule({ action: 'reject' })).inspect(exchangeOf('c-1', '?a=s3cret'))).toEqual(
      refused('query'),
    )
  })

  test('the parameter is the hint of its value', () => {
    const hints: string[] = []
    const rule = makeRule({
      find({ hint }) {
        hints.push(hint)
        return []
      },
    })
    makeInspector(rule).inspect(exchangeOf('c-1', '?ssn=1'))
    expect(hints).toEqual(['campaignId', '', 'ssn'])
  })

  test.each(['', '?'])('the query %j is not searched', (query) => {
    const exchange = makeExchange({ query, params: Object.create(null) })
    expect(makeInspector(failing).inspect(exchange)).toBeUndefined()
  })
})

describe('conceal', () => {
  test('an inspected request is left alone', () => {
    const exchange = exchangeOf('my-s3cret-id')
    exchange.pathInspected = true
    makeInspector(makeRule()).conceal(exchange)
    expect(exchange).toMatchObject({ params: { campaignId: 'my-s3cret-id' } })
  })

  test('a match is replaced, whatever the action', () => {
    const exchange = exchangeOf('my-s3cret-id')
    makeInspector(makeRule({ action: 'reject' })).conceal(exchange)
    expect(exchange).toMatchObject({
      path: '/campaigns/my-[secret]-id/optimizations',
      params: { campaignId: 'my-[secret]-id' },
    })
  })

  test('a clean request keeps its path', () => {
    const exchange = exchangeOf('c-1')
    const { params } = exchange
    makeInspector(makeRule()).conceal(exchange)
    expect(exchange.params).toBe(params)
    expect(exchange.path).toBe('/campaigns/c-1/optimizations')
  })

  test.each([
    [256, 'x'.repeat(256)],
    [257, '[REDACTED]'],
  ])('of %i characters shows %s', (length, shown) => {
    const exchange = exchangeOf('x'.repeat(length))
    makeInspector(makeRule()).conceal(exchange)
    expect(exchange.params).toEqual(Object.assign(Object.create(null), { campaignId: shown }))
  })

  test('a value that cannot be searched is not shown, after a failed inspection either', () => {
    const exchange = exchangeOf('my-s3cret-id')
    const inspector = makeInspector(failing)
    expect(() => inspector.inspect(exchange)).toThrow('broken')
    inspector.conceal(exchange)
    expect(exchange).toMatchObject({
      path: '/campaigns/[REDACTED]/optimizations',
      params: { campaignId: '[REDACTED]' },
    })
  })
})
