import { expect, test } from 'vitest'
import { callFacts, callOfRecord, callWords, readCall, viaOf } from './mcp-call.ts'
import { fieldsOf } from './read-json.ts'

const call = { tool: 'create-optimization', client: 'claude-code', version: '2026-07-28', round: 2 }

test('a call is read from a row and from a record, and is absent in others', () => {
  expect(readCall(fieldsOf({ mcp: call }))).toEqual(call)
  const attributes = {
    via: 'mcp',
    mcp_tool: call.tool,
    mcp_client: call.client,
    mcp_version: call.version,
    mcp_round: '2',
  }
  expect(callOfRecord(fieldsOf(attributes))).toEqual(call)
  expect(readCall(fieldsOf({}))).toBeNull()
  expect(callOfRecord(fieldsOf({ via: 'other' }))).toBeNull()
  expect(readCall(fieldsOf({ mcp: 7 }))).toEqual({ tool: '', client: '', version: '', round: 0 })
})

test('the name of a client is cut and has no character that reorders a line', () => {
  const client = `a\u202Eb\u0000c${'x'.repeat(100)}`
  const read = readCall(fieldsOf({ mcp: { ...call, client } }))
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
