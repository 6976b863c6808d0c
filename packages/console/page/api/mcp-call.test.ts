import { expect, test } from 'vitest'
import { readRecord } from './audit-records.ts'
import { callFacts, callOfRecord, callWords, shownCall, viaOf } from './mcp-call.ts'

const call = { tool: 'create-optimization', client: 'claude-code', version: '2026-07-28', round: 2 }

const ofRecord = (attributes: object) => callOfRecord(readRecord({ attributes }).attributes)

test('a call is read from a record, and is absent in others', () => {
  const attributes = {
    via: 'mcp',
    mcp_tool: call.tool,
    mcp_client: call.client,
    mcp_version: call.version,
    mcp_round: '2',
  }
  expect(ofRecord(attributes)).toEqual(call)
  expect(shownCall(null)).toBeNull()
  expect(ofRecord({ via: 'other' })).toBeNull()
  expect(ofRecord({ via: 'mcp', mcp_round: 'x' })).toEqual({ tool: '', client: '', version: '', round: 0 })
})

test('the name of a client is cut and has no character that reorders a line', () => {
  const client = `a\u202Eb\u0000c${'x'.repeat(100)}`
  const read = shownCall({ ...call, client })
  expect(read?.client).toBe(`a\uFFFDb\uFFFDc${'x'.repeat(59)}`)
})

test('a call is searched by MCP, its tool and its client, and told in a few words', () => {
  expect(viaOf(call)).toEqual(['MCP', 'tool create-optimization', 'client claude-code'])
  expect(viaOf(null)).toEqual([])
  expect(callWords(call)).toBe('via MCP, round 2, claude-code')
  expect(callFacts(call)).toEqual([
    ['Via', 'MCP 2026-07-28'],
    ['Tool', 'create-optimization'],
    ['Client', 'claude-code'],
    ['Round', '2'],
  ])
  expect(callWords({ ...call, round: 1, client: '' })).toBe('via MCP')
})
