import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outcomes, outcomeTypes, PROFILE_VERSION, readOutcome, statusOf, writeOutcome } from '../src/index.ts'
import { createBodyValidator } from '../src/validate.ts'
import { outcomeArbitraries, traces } from './arbitrary-outcomes.ts'

const validator = createBodyValidator()

describe.each(outcomeTypes)('%s', (type) => {
  it('is read back as it was written, from plain data and from a Response', async () => {
    await fc.assert(
      fc.asyncProperty(outcomeArbitraries[type], traces, async (outcome, trace) => {
        const written = writeOutcome(outcome, trace)
        const reading = readOutcome(written)
        const carriesTrace = outcomes[type].schema !== null || JSON.parse(written.body)?.trace !== undefined
        expect(reading).toMatchObject({ ok: true, outcome, profile: PROFILE_VERSION })
        if (reading.ok) expect(reading.outcome).toEqual(outcome)
        if (reading.ok && outcomes[type].schema !== null) expect(reading.trace).toEqual(trace)
        if (!carriesTrace && reading.ok) expect(reading.trace).toBeUndefined()
        const response = new Response(written.body, {
          status: written.status,
          headers: { ...written.headers },
        })
        expect(await readOutcome(response)).toEqual(reading)
      }),
    )
  })

  it('is written with the status and media type of its row and a body that its schema accepts', () => {
    fc.assert(
      fc.property(outcomeArbitraries[type], traces, (outcome, trace) => {
        const written = writeOutcome(outcome, trace)
        expect(written.status).toBe(statusOf(outcome))
        expect(written.headers).toMatchObject({
          'Content-Type': outcomes[type].mediaType,
          'X-Agentic-Profile': 'v0.3',
          'X-Correlation-ID': trace.correlationId,
          'X-Request-ID': trace.requestId,
        })
        if (outcomes[type].schema === null) return
        expect(validator.validate(JSON.parse(written.body))).toEqual({ valid: true, errors: [] })
      }),
    )
  })
})
