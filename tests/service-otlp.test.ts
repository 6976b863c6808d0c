import { otlpAudit } from '@agentic-rest/service/otlp'
import { memoryLog } from '@agentic-rest/testing/start-service'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startCollector } from '../packages/gateway/test/plugins/otel-audit/collector.ts'

const event = {
  event_type: 'agentic.response.written',
  tenant_id: 'acme',
  actor_id: 'alice',
  request_id: 'req-1',
  correlation_id: '0af76519-16cd-43dd-8448-eb211c80319c',
  operation: 'create-optimization',
  resource_id: 'opt-1',
  outcome: 'clarification_required',
  timestamp: '2026-01-02T03:04:05.678Z',
  attributes: { goal: 'ctr' },
}

describe('audit records of a service', () => {
  it('arrive at a collector as spans of the trace that the gateway gives the same correlation id', async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.kill())
    const audit = otlpAudit({ endpoint: collector.url, serviceName: 'campaigns' })
    audit.emit(event)
    audit.emit({ ...event, correlation_id: 'order-17', outcome: 'failed_dependency' })
    await audit.close()
    const [first, second] = collector.spans
    expect(first).toMatchObject({
      name: 'agentic.response',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      startMs: expect.closeTo(Date.parse(event.timestamp)),
      endMs: expect.closeTo(Date.parse(event.timestamp)),
      status: 'STATUS_CODE_UNSET',
      resource: { 'service.name': 'campaigns' },
      attributes: {
        event_type: 'agentic.response.written',
        tenant_id: 'acme',
        actor_id: 'alice',
        request_id: 'req-1',
        correlation_id: event.correlation_id,
        operation: 'create-optimization',
        resource_id: 'opt-1',
        outcome: 'clarification_required',
        timestamp: event.timestamp,
        'attributes.goal': 'ctr',
      },
    })
    expect(second?.status).toBe('STATUS_CODE_ERROR')
    expect(second?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(second?.spanId).not.toBe(first?.spanId)
  })

  it('that the collector refuses are lost, and the log says so', async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.kill())
    collector.answerWith(3)
    const { log, lines } = memoryLog()
    const audit = otlpAudit({ endpoint: collector.url, log })
    audit.emit(event)
    await audit.close()
    expect(collector.spans).toEqual([])
    expect(lines.map(({ message }) => message)).toContain('audit records were lost')
  })

  it('wait in a bounded queue without a receiver', async () => {
    const { log } = memoryLog()
    const audit = otlpAudit({ endpoint: 'http://127.0.0.1:9', log })
    let taken = 0
    const emit = () => {
      for (; taken < 20_000; taken += 1) audit.emit(event)
    }
    expect(emit).toThrow('the queue of audit records is full')
    expect(taken).toBe(8192)
    await audit.close()
  })

  it.each(['', 'collector:4317', '/v1/traces'])(
    'are not sent to %j: that is refused at start',
    (endpoint) => {
      expect(() => otlpAudit({ endpoint })).toThrow('the endpoint of the collector has to be an absolute')
    },
  )
})
