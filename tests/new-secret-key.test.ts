import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hideSecrets } from '../packages/gateway/src/admin/hide-secrets.ts'
import { configJsonSchema } from '../packages/gateway/src/config/json-schema.ts'
import { resolveFiles } from '../packages/gateway/src/config/parse-config.ts'
import { plainSecrets } from '../packages/gateway/src/config/plain-secrets.ts'
import { list, section, text } from '../packages/gateway/src/config/schema/field-kinds.ts'
import { file, isSecretAt, secret, secretFile } from '../packages/gateway/src/config/schema/marks.ts'
import { withSecrets } from '../packages/gateway/src/config/secret-files.ts'
import { readYaml } from '../packages/gateway/src/config/source/read-yaml.ts'
import { buildSourceTree, toValue } from '../packages/gateway/src/config/source/source-tree.ts'
import { configurationKeys, type KeySchema } from '../tools/configuration-keys.ts'

// A configuration of its own: what is marked here is known nowhere else.
const mail = section({
  host: text('a host').describe('Where mail goes.'),
  pass: secret(text('a pass', 4)).optional().describe('Pass of the sender.'),
  pass_file: secretFile((pass) => (pass.length < 4 ? 'is too short' : undefined))
    .optional()
    .describe('File with the pass.'),
  template_file: file().optional().describe('File with the text.'),
})
const schema = section({ mails: list(mail).describe('Mails.') })

function read(source: string) {
  const { document } = readYaml(source)
  if (document === undefined) throw new TypeError('no YAML')
  const { root } = buildSourceTree(document, { environment: {}, positionOf: () => ({ line: 1, column: 1 }) })
  if (root === undefined) throw new TypeError('no tree')
  return { root, value: toValue(root, new Set()), environment: { PASS: 'from-outside' } }
}

test('a marked secret is hidden in the admin API, and so is the name of its file', () => {
  const mails = [{ host: 'mail.test', pass: 'abcd', pass_file: 'pass.txt', template_file: 'mail.txt' }]
  expect(hideSecrets({ mails }, [], { reader: 'operator', schema })).toEqual({
    mails: [{ host: 'mail.test', pass: '[hidden]', pass_file: '[hidden]', template_file: 'mail.txt' }],
  })
})

test('a marked secret does not appear in a message about the file', () => {
  expect(isSecretAt(schema, ['mails', 0, 'pass'])).toBe(true)
  expect(isSecretAt(schema, ['mails', 0, 'host'])).toBe(false)
})

test('a marked secret in plain text is warned about', () => {
  const source = read('mails: [{ host: mail.test, pass: abcd }, { host: mail.test }]')
  expect(plainSecrets(source, schema)).toEqual([
    {
      id: 'plain-text-secret',
      path: ['mails', 0, 'pass'],
      message: 'is a secret in plain text, take it from the environment: ${NAME:?is needed}',
    },
  ])
})

test('a marked secret is resolved from its file, which is relative to the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-marked-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'pass.txt'), 'from-a-file\n')
  const given = { mails: [{ host: 'mail.test', pass_file: 'pass.txt', template_file: 'mail.txt' }] }
  const { section, files } = resolveFiles(given, { file: join(folder, 'gateway.yaml'), schema })
  expect(files).toEqual([
    { path: ['mails', 0, 'pass_file'], name: join(folder, 'pass.txt') },
    { path: ['mails', 0, 'template_file'], name: join(folder, 'mail.txt') },
  ])
  expect(withSecrets(section, [], schema)).toEqual({
    mails: [
      {
        host: 'mail.test',
        pass: 'from-a-file',
        pass_file: join(folder, 'pass.txt'),
        template_file: join(folder, 'mail.txt'),
      },
    ],
  })
  writeFileSync(join(folder, 'pass.txt'), 'abc')
  expect(() => withSecrets(section, [], schema)).toThrow('mails[0].pass_file: its content is too short')
})

test('a marked secret and its file are listed as such in the reference', () => {
  const keys = configurationKeys(configJsonSchema(schema) as KeySchema)
  expect(keys.map(({ path, type }) => `${path}: ${type}`)).toEqual([
    'mails: list of maps',
    'mails[].host: text',
    'mails[].pass: secret, at least 4 characters',
    'mails[].pass_file: file name',
    'mails[].template_file: file name',
  ])
})

test('in a map of free names a name that ends with _file is nothing but a name', () => {
  const tenants = { acme_file: { plans: ['pro'] }, globex_files: { plans: ['pro'] }, acme: { plans: [] } }
  const section = { tenants }
  expect(withSecrets(section, ['plugins', 'license-check'])).toEqual(section)
})
