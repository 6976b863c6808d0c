import { expect, it } from 'vitest'
import { InitialisationError } from '../../errors.ts'
import { otlpTarget } from './otlp-exporter.ts'

it.each([
  ['http://127.0.0.1:4317', 'http://127.0.0.1:4317'],
  ['http://collector:14317/', 'http://collector:14317'],
  ['http://[::1]:4317', 'http://[::1]:4317'],
  ['http://collector', 'http://collector:4317'],
  ['http://collector:443', 'http://collector:443'],
  ['https://collector:4317/v1/traces', 'https://collector:4317'],
  ['https://collector', 'https://collector'],
  ['https://collector:80', 'https://collector:80'],
  ['http://collector/of:80', 'http://collector:4317'],
  ['http://collector:8080', 'http://collector:8080'],
])('%s is connected to as %s', (endpoint, target) => {
  expect(otlpTarget(endpoint)).toBe(target)
})

it.each([
  '',
  'collector:4317',
  'grpc://collector:4317',
  '/v1/traces',
  'http://collector:80',
  'http://c:80/x',
  'HTTP://c:0080?x',
  'http://user:80@collector',
])('%j is refused at start', (endpoint) => {
  expect(() => otlpTarget(endpoint)).toThrow(InitialisationError)
})
