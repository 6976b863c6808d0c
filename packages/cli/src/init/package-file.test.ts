import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageFile, testedVersions, vendorSection } from './package-file.ts'

const plain = { version: '1.2.3', tarballs: undefined }
const files = new Map(
  ['agentic-rest', '@agentic-rest/profile', '@agentic-rest/service'].map((name) => [
    name,
    `${name.length}.tgz`,
  ]),
)
const vendored = { ...plain, tarballs: { folder: '/kept', files } }

test('plain versions need no overrides and no section in the README', () => {
  const { dependencies, devDependencies, overrides } = JSON.parse(packageFile('a', plain))
  expect(dependencies).toMatchObject({ '@agentic-rest/service': '1.2.3' })
  expect(devDependencies).toMatchObject({ 'agentic-rest': '1.2.3' })
  expect([overrides, vendorSection(plain)]).toEqual([undefined, ''])
})

test('vendored packages are files, and overrides for the packages of packages', () => {
  const { dependencies, devDependencies, overrides } = JSON.parse(packageFile('a', vendored))
  expect(dependencies).toMatchObject({ '@agentic-rest/service': 'file:vendor/21.tgz' })
  expect(devDependencies).toMatchObject({ 'agentic-rest': 'file:vendor/12.tgz' })
  expect(overrides).toEqual({ '@agentic-rest/profile': 'file:vendor/21.tgz' })
  expect(vendorSection(vendored)).toContain('\nnpm pkg delete overrides\n')
})

test('the other versions are those of this repository', () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(new URL(`../../../../${path}/package.json`, import.meta.url), 'utf8'))
  const { devDependencies, optionalDependencies } = read('.')
  const { dependencies } = read('packages/gateway')
  expect(testedVersions).toEqual({
    zod: dependencies.zod,
    typescript: devDependencies.typescript,
    '@types/node': devDependencies['@types/node'],
    ...optionalDependencies,
  })
})
