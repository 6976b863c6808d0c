import { expect, test } from 'vitest'
import { challengeOf, metadataPaths, resourceMetadata } from './resource-metadata.ts'

const publicUrl = 'https://agents.example.com/mcp'

test('the metadata names the endpoint, its issuers and its scopes', () => {
  const resource = {
    publicUrl,
    issuers: ['https://id.example.com'],
    scopes: ['campaign:optimize', 'offline_access'],
    title: 'Agents of Acme',
  }
  expect(resourceMetadata(resource)).toEqual({
    resource: publicUrl,
    authorization_servers: ['https://id.example.com'],
    scopes_supported: ['campaign:optimize'],
    bearer_methods_supported: ['header'],
    resource_name: 'Agents of Acme',
  })
})

test('the metadata is below the path of the endpoint and at the root', () => {
  expect(metadataPaths(publicUrl)).toEqual([
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource',
  ])
  expect(metadataPaths('https://agents.example.com/')).toEqual(['/.well-known/oauth-protected-resource'])
})

test('a challenge keeps its own parameters and adds the metadata', () => {
  const metadata = 'resource_metadata="https://agents.example.com/.well-known/oauth-protected-resource/mcp"'
  expect(challengeOf(publicUrl)).toBe(`Bearer ${metadata}`)
  expect(challengeOf(publicUrl, 'Bearer error="invalid_token"', ['a', 'b'])).toBe(
    `Bearer error="invalid_token", ${metadata}, scope="a b"`,
  )
  expect(challengeOf(publicUrl, 'Bearer error="insufficient_scope", scope="x"', ['a'])).toBe(
    `Bearer error="insufficient_scope", scope="x", ${metadata}`,
  )
})
