import { expect, test } from 'vitest'
import { isAllowedOrigin } from './request-origin.ts'

const rules = { publicUrl: 'https://agents.example.com/mcp', origins: ['https://app.example.com'] }

test.each([
  [{ host: 'agents.example.com' }, true],
  [{ host: 'agents.example.com', origin: 'https://agents.example.com' }, true],
  [{ host: 'agents.example.com', origin: 'https://app.example.com' }, true],
  [{ host: 'agents.example.com', origin: 'https://evil.example.com' }, false],
  [{ host: 'agents.example.com', origin: 'null' }, false],
  [{ host: 'evil.example.com' }, false],
  [{}, false],
  [{ host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }, true],
  [{ host: 'localhost:8080' }, true],
  [{ host: '[::1]:8080', origin: 'http://[::1]:8080' }, true],
  [{ host: 'localhost:8080', origin: 'http://localhost:3000' }, false],
])('%j is allowed: %s', (headers, expected) => {
  expect(isAllowedOrigin(headers, rules)).toBe(expected)
})
