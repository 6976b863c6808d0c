import { expect, test } from 'vitest'
import { certificateOf } from './verify-token.ts'

test.each([
  [{ 'x5t#S256': 'digest' }, 'digest'],
  [{ 'x5t#S256': 'digest', jkt: 'key' }, ''],
  [{ jkt: 'key', 'x5t#S256': 'digest' }, ''],
  [{ jkt: 'key' }, ''],
  [{ 'x5t#S256': 1 }, ''],
  [{}, ''],
  [['digest'], ''],
  ['digest', ''],
  [null, ''],
])('the certificate of the confirmation %j', (cnf, digest) => {
  expect(certificateOf(cnf)).toBe(digest)
})
