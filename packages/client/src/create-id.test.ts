import { expect, test } from 'vitest'
import { createId } from './create-id.ts'

test('ids are UUIDs of version 4, and each is another', () => {
  const ids = Array.from({ length: 1000 }, createId)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(1000)
})
