import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import type { Outcome } from '@agentic-rest/profile'
import { startServer } from '@agentic-rest/testing/start-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { sendOutcome } from '../../packages/cli/test/harness/outcome-service.ts'
import { onTerminal } from './on-terminal.ts'

const requiredInputs = [
  {
    name: 'goal',
    location: 'body',
    type: 'string',
    required: true,
    question: 'What for?\u001b[2J',
    allowedValues: ['ctr', 'reach'],
  },
  { name: 'days', location: 'query', type: 'integer', required: true, question: 'For how many days?' },
  { name: 'dry', location: 'body', type: 'boolean', required: true, question: 'Only try?' },
  { name: 'note', location: 'body', type: 'string', required: false, question: 'Anything else?' },
] as const

const asks: Outcome = { type: 'clarification_required', message: 'More is needed.', requiredInputs }

async function startAsking() {
  const seen: string[] = []
  const { url } = await startServer(async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    seen.push(`${request.method} ${request.url} ${body}`)
    sendOutcome(request, response, body.includes('goal') ? { type: 'created', body: { id: 'opt-1' } } : asks)
  })
  return { url, seen }
}

testWith(
  'script',
  'questions are asked with types and values, again until they are answered, and sent',
  async () => {
    const { url, seen } = await startAsking()
    const { code, screen } = await onTerminal(
      ['call', 'POST', '/x', '--base-url', url, '--data', '{"name":"n"}'],
      [
        ['goal> ', 'raech\r'],
        ['did you mean', ''],
        ['goal> ', '2\r'],
        ['days> ', 'many\r'],
        ['days> ', '7\r'],
        ['dry> ', '\r'],
        ['dry> ', 'no\r'],
        ['note> ', '\r'],
      ],
    )
    expect(seen).toEqual(['POST /x {"name":"n"}', 'POST /x?days=7 {"name":"n","goal":"reach","dry":false}'])
    expect(code).toBe(0)
    const shown = stripVTControlCharacters(screen)
    expect(shown).toContain('More is needed.')
    expect(shown).toContain('goal (string, body, required): What for?\\u{1b}[2J')
    expect(shown).toContain('    1 ctr\r\n    2 reach\r\n')
    expect(shown).toContain('it is one of ctr, reach, did you mean "reach"?; Ctrl-D to leave')
    expect(shown).toContain('it is a whole number; Ctrl-D to leave')
    expect(shown).toContain('an answer is needed; Ctrl-D to leave')
    expect(shown).toContain('note (string, body, may be left empty): Anything else?')
    expect(shown).toContain('201 created')
    expect(screen).not.toContain('\u001b[2J')
  },
)

testWith('script', 'Ctrl-D leaves a question, and the clarification is the outcome', async () => {
  const { url, seen } = await startAsking()
  const { code, screen } = await onTerminal(['call', 'POST', '/x', '--base-url', url], [['goal> ', '\u0004']])
  const shown = stripVTControlCharacters(screen)
  expect(shown).toContain('400 clarification_required')
  expect(shown).toContain('\nSend the request again with these inputs.\r\n')
  expect(code).toBe(1)
  expect(seen).toHaveLength(1)
})

testWith('script', 'a question that the client does not answer by itself is only shown', async () => {
  const requiredInputs = [
    { name: 'Authorization', location: 'header', type: 'string', required: true, question: 'Who?' },
  ] as const
  const { url } = await startServer((request, response) =>
    sendOutcome(request, response, {
      type: 'clarification_required',
      message: 'Who are you?',
      requiredInputs,
    }),
  )
  const args = ['call', 'POST', '/x', '--base-url', url]
  const asked = await onTerminal(args, [])
  expect(stripVTControlCharacters(asked.screen)).toContain('\nSend the request again with these inputs.\r\n')
  const shown = await onTerminal([...args, '--no-wait'], [])
  expect(stripVTControlCharacters(shown.screen)).toContain(
    '\nSend the request again with these inputs, or leave --no-wait out to be asked for them.\r\n',
  )
  expect([asked.code, shown.code]).toEqual([1, 1])
})

testWith('script', 'Ctrl-C leaves a question with 130', async () => {
  const { url, seen } = await startAsking()
  const { code, screen } = await onTerminal(['call', 'POST', '/x', '--base-url', url], [['goal> ', '\u0003']])
  expect(screen).toContain('Ended by Ctrl-C.')
  expect(code).toBe(130)
  expect(seen).toHaveLength(1)
})

testWith('script', 'colours are for terminals, and NO_COLOR keeps them away', async () => {
  const { url } = await startServer((request, response) =>
    sendOutcome(request, response, { type: 'success', body: {} }),
  )
  const args = ['call', 'GET', '/x', '--base-url', url]
  expect((await onTerminal(args, [])).screen).toContain('\u001b[32m\u001b[1m200 success')
  expect((await onTerminal(args, [], { NO_COLOR: '1' })).screen).toMatch(/^200 success {2}correlation/)
})
