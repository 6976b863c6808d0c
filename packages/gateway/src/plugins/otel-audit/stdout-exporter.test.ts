import { expect, it } from 'vitest'
import { auditRecord } from '../../../test/plugins/otel-audit/drive.ts'
import { auditLine } from './stdout-exporter.ts'

const event = auditRecord({ outcome_type: 'created' })

it('is one JSON object with level, message and the fields side by side', () => {
  const line = auditLine(event, undefined)
  expect(line.endsWith('}\n')).toBe(true)
  expect(JSON.parse(line)).toEqual({ level: 'INFO', msg: 'agentic.request', ...event })
})

it('has a request body only when there is one', () => {
  expect(JSON.parse(auditLine(event, ''))).toEqual(expect.objectContaining({ request_body: '' }))
  expect(Object.keys(JSON.parse(auditLine(event, undefined)))).not.toContain('request_body')
})

// All characters that some reader takes for the end of a line.
const breaks = ['\n', '\r', '\u000b', '\u000c', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029']

it.each([...breaks, '\r\n', '\ud800'])('stays one line with %j in it and gives it back', (text) => {
  const line = auditLine({ ...event, actor_id: `a${text}b` }, `x${text}y`)
  expect(breaks.filter((character) => line.slice(0, -1).includes(character))).toEqual([])
  expect(JSON.parse(line)).toEqual(
    expect.objectContaining({ actor_id: `a${text}b`, request_body: `x${text}y` }),
  )
})
