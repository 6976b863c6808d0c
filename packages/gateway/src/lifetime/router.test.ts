import { describe, expect, it } from 'vitest'
import type { RouteConfig } from '../config/config-schema.ts'
import { parseConfig } from '../config/parse-config.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'
import { createRouter } from './router.ts'

/** Routes as a configuration file gives them: `POST /a/{b}` is a route with that text as its id. */
function routesOf(...ids: readonly string[]): readonly RouteConfig[] {
  const routes = ids.map((id) => {
    const [method, path] = id.split(' ')
    return { id, method, path, target: 'http://127.0.0.1:1' }
  })
  const text = JSON.stringify({
    plugins: { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } },
    routes,
  })
  const result = parseConfig(text, { file: 'test.yaml', env: {} })
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  return result.config.routes
}

/** A router that is asked as a request would ask it: with the canonical form of a path. */
function router(...ids: readonly string[]) {
  const { match, methods } = createRouter(routesOf(...ids))
  const canonical = (path: string) => {
    const target = canonicalTarget(path, undefined)
    if (!target.ok) throw new Error(target.message)
    return target.path
  }
  return {
    find(request: string) {
      const [method = '', path = ''] = request.split(' ')
      const found = match(method, canonical(path))
      return found.route === undefined
        ? found.allowedMethods
        : { id: found.route.id, params: { ...found.params } }
    },
    match: (method: string, path: string) => match(method, canonical(path)),
    methods: (path: string) => methods(canonical(path)),
  }
}

describe('a route', () => {
  it('matches its path with or without a slash at the end', () => {
    const { find } = router('GET /a/b', 'GET /c/', 'GET /')
    expect(find('GET /a/b')).toEqual({ id: 'GET /a/b', params: {} })
    expect(find('GET /a/b/')).toEqual({ id: 'GET /a/b', params: {} })
    expect(find('GET /c')).toEqual({ id: 'GET /c/', params: {} })
    expect(find('GET /c/')).toEqual({ id: 'GET /c/', params: {} })
    expect(find('GET /')).toEqual({ id: 'GET /', params: {} })
  })

  it('matches nothing that is longer, shorter or of other case', () => {
    const { find } = router('GET /a/b', 'GET /p/{x}')
    for (const path of ['/a', '/a/b/c', '/A/b', '/a/B', '/ab', '/p', '/p/x/y', '/a/b.json', '/a/b;v=1'])
      expect(find(`GET ${path}`), path).toEqual([])
  })

  it('takes a whole segment for each parameter, decoded, in the order of the template', () => {
    const { match } = router('GET /z/{b}/{a}')
    const found = match('GET', '/z/one%20two/%C3%A9%3B%25%32%46%252F')
    expect(found).toMatchObject({ route: { id: 'GET /z/{b}/{a}' } })
    const params = found.route === undefined ? {} : found.params
    expect(Object.entries(params)).toEqual([
      ['b', 'one two'],
      ['a', 'é;%2F%2F'],
    ])
  })

  it('decodes a parameter once', () => {
    const { find } = router('GET /p/{x}')
    for (const [sent, value] of [
      ['%2523', '%23'],
      ['%25', '%'],
      ['%25zz', '%zz'],
      ['a%3Fb%23c', 'a?b#c'],
      ['%252e%252e', '%2e%2e'],
    ])
      expect(find(`GET /p/${sent}`), sent).toEqual({ id: 'GET /p/{x}', params: { x: value } })
  })

  it('has parameters without a prototype, whatever they are called', () => {
    const { match } = router('GET /p/{__proto__}/{constructor}/{toString}')
    const found = match('GET', '/p/a/b/c')
    if (found.route === undefined) throw new Error('no match')
    expect(Object.getPrototypeOf(found.params)).toBeNull()
    expect(Object.entries(found.params)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ])
  })

  it('takes a parameter as long as a head may be', () => {
    const { find } = router('GET /p/{x}')
    const long = 'a'.repeat(100_000)
    expect(find(`GET /p/${long}`)).toEqual({ id: 'GET /p/{x}', params: { x: long } })
  })
})

describe('a literal segment', () => {
  it('beats a parameter', () => {
    const { find } = router('GET /c/{id}', 'GET /c/active', 'GET /c/{id}/{x}', 'GET /c/{id}/log')
    expect(find('GET /c/active')).toEqual({ id: 'GET /c/active', params: {} })
    expect(find('GET /c/activ')).toEqual({ id: 'GET /c/{id}', params: { id: 'activ' } })
    expect(find('GET /c/actives')).toEqual({ id: 'GET /c/{id}', params: { id: 'actives' } })
    expect(find('GET /c/active/log')).toEqual({ id: 'GET /c/{id}/log', params: { id: 'active' } })
    expect(find('GET /c/active/x')).toEqual({ id: 'GET /c/{id}/{x}', params: { id: 'active', x: 'x' } })
  })

  it('gives way when it leads nowhere', () => {
    const { find } = router('GET /a/b/c', 'GET /a/{x}/d', 'GET /{y}/b/e')
    expect(find('GET /a/b/c')).toEqual({ id: 'GET /a/b/c', params: {} })
    expect(find('GET /a/b/d')).toEqual({ id: 'GET /a/{x}/d', params: { x: 'b' } })
    expect(find('GET /a/b/e')).toEqual({ id: 'GET /{y}/b/e', params: { y: 'a' } })
    expect(find('GET /a/b/f')).toEqual([])
  })

  it('may have a colon, as in assets:generate', () => {
    const { find } = router(
      'POST /c/{id}/assets:generate',
      'POST /c/{id}/assets',
      'POST /c/{id}/{x}',
      'POST /:a/::b',
    )
    expect(find('POST /c/1/assets:generate')).toEqual({
      id: 'POST /c/{id}/assets:generate',
      params: { id: '1' },
    })
    expect(find('POST /c/1/assets')).toEqual({ id: 'POST /c/{id}/assets', params: { id: '1' } })
    expect(find('POST /c/1/assets:other')).toEqual({
      id: 'POST /c/{id}/{x}',
      params: { id: '1', x: 'assets:other' },
    })
    expect(find('POST /:a/::b')).toEqual({ id: 'POST /:a/::b', params: {} })
    expect(find('POST /xa/::b')).toEqual([])
  })

  it.each([
    ['/a%20b', '/a%20b'],
    ['/caf%C3%A9', '/caf%c3%a9'],
    ['/%41b', '/Ab'],
    ['/Ab', '/%41b'],
    ['/50%25', '/50%25'],
    ['/a%3Bb', '/a%3bb'],
    ['/a%23b', '/a%23b'],
    ['/a%3Ab', '/a%3Ab'],
    ['/a%3Fb', '/a%3Fb'],
    ["/a(b)!$&'+,;=@~", "/a(b)!$&'+,;=@~"],
    ['/%7Bid%7D', '/%7bid%7d'],
    ['/%7Bid%7D', '/{id}'],
    ['/a.b', '/a%2eb'],
  ])('%s is what %s asks for', (template, path) => {
    expect(router(`GET ${template}`).find(`GET ${path}`)).toEqual({ id: `GET ${template}`, params: {} })
  })

  it.each([
    ['/a;b', '/a%3Bb'],
    ['/a%3Bb', '/a;b'],
    ['/a:b', '/a%3Ab'],
    ['/a%25b', '/a%2525b'],
    ['/a+b', '/a%20b'],
  ])('%s is not what %s asks for: an encoded reserved character is another one', (template, path) => {
    expect(router(`GET ${template}`).find(`GET ${path}`)).toEqual([])
  })
})

describe('the methods of a path', () => {
  it('are all of its routes, and HEAD where there is GET', () => {
    const { methods, find } = router('POST /a', 'GET /a', 'DELETE /a/{id}', 'PUT /b')
    expect(methods('/a')).toEqual(['POST', 'GET', 'HEAD'])
    expect(methods('/a/1')).toEqual(['DELETE'])
    expect(methods('/none')).toEqual([])
    expect(find('PATCH /a')).toEqual(['POST', 'GET', 'HEAD'])
    expect(find('GET /b')).toEqual(['PUT'])
    expect(find('HEAD /b')).toEqual(['PUT'])
    expect(find('PROPFIND /b')).toEqual(['PUT'])
    expect(find('TRACE /none')).toEqual([])
  })

  it('serve HEAD by the route of GET, unless it has its own', () => {
    const { find } = router('GET /a/{x}', 'HEAD /a/own', 'GET /a/own')
    expect(find('HEAD /a/1')).toEqual({ id: 'GET /a/{x}', params: { x: '1' } })
    expect(find('HEAD /a/own')).toEqual({ id: 'HEAD /a/own', params: {} })
    expect(find('GET /a/own')).toEqual({ id: 'GET /a/own', params: {} })
  })
})

describe('a thousand routes', () => {
  it('each find their own request', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `GET /r${index}/{id}/items/i${index}`)
    const { find } = router(...ids)
    for (const [index, id] of ids.entries())
      expect(find(`GET /r${index}/x/items/i${index}`)).toEqual({ id, params: { id: 'x' } })
  })
})
