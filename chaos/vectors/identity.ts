import { get, PATH, passed, post, refused, type Vector } from './vector.ts'

/** Identity headers in other spellings, repeated or removed. */
export const identityVectors: readonly Vector[] = [
  ...refused({
    'identity: two tenants': get('X-Tenant-ID: globex\r\n'),
    'identity: the same tenant twice': get('X-Tenant-ID: acme\r\n'),
    'identity: a tenant in another case': get('x-tenant-id: globex\r\n'),
    'identity: a list of tenants': `GET ${PATH} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme, globex\r\n\r\n`,
    'identity: a tenant with a NUL': `GET ${PATH} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\0\r\n\r\n`,
    'identity: a tenant on two lines': `GET ${PATH} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID:\r\n acme\r\n\r\n`,
    'identity: a blank before the colon': get('X-Tenant-ID : globex\r\n'),
    'identity: only an underscore twin': `GET ${PATH} HTTP/1.1\r\nHost: gateway\r\nX_Tenant_ID: acme\r\n\r\n`,
    'identity: two authorizations': get('Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'),
    'identity: two correlation ids': get('X-Correlation-ID: a\r\nX-Correlation-ID: b\r\n'),
    'identity: two request ids': get('X-Request-ID: a\r\nX-Request-ID: a\r\n'),
    'identity: two actors': get('X-Actor-Principal: a\r\nX-Actor-Principal: b\r\n'),
    'identity: two keys': get('Idempotency-Key: a\r\nIdempotency-Key: b\r\n'),
    'identity: two content types': post(
      'Content-Type: text/plain\r\nContent-Type: application/json\r\nContent-Length: 2\r\n',
      '{}',
    ),
    'identity: a correlation id outside ASCII': get('X-Correlation-ID: \xe9\r\n'),
  }),
  ...passed(['acme'], {
    'identity: an underscore twin of the tenant': get('X_Tenant_ID: globex\r\n'),
    'identity: a twin with dots': get('X.Tenant.ID: globex\r\n'),
    'identity: a twin with a mixture': get('X-Tenant_ID: globex\r\nX_Tenant-ID: globex\r\n'),
    'identity: a twin with other marks': get('X~Tenant~ID: globex\r\nX!Tenant!ID: globex\r\n'),
    'identity: twins of the actor': get(
      'X_Actor_Subject: root\r\nX.Actor.Roles: admin\r\nX_Actor_Principal: root\r\n',
    ),
    'identity: an actor that only the gateway sets': get('X-Actor-Subject: root\r\nX-Actor-Roles: admin\r\n'),
    'identity: twins of the ids': get('X_Correlation_ID: a\r\nX_Request_ID: b\r\n'),
    'identity: a twin of the token': get('Authorization_: Bearer a\r\n'),
    'identity: a tenant that Connection takes away': get('Connection: X-Tenant-ID\r\n'),
    'identity: everything that Connection takes away': get(
      'Connection: keep-alive, X-Tenant-ID, X-Correlation-ID, X-Request-ID, X-Actor-Principal, X-Forwarded-For, Host\r\n',
    ),
    'identity: Connection twice': get('Connection: X-Tenant-ID\r\nConnection: close\r\n'),
    'identity: Connection that takes the length away': post(
      'Connection: Content-Length, Content-Type\r\nContent-Length: 2\r\n',
      '{}',
    ),
    'identity: addresses': get(
      'X-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\nX-Forwarded-Host: evil\r\n',
    ),
    'identity: addresses in twins': get('X_Forwarded_For: 1.2.3.4\r\nX_Forwarded_Proto: https\r\n'),
    'identity: a trace of another': get(
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ntracestate: a=b\r\n',
    ),
    'identity: another method': post('X-HTTP-Method-Override: DELETE\r\nContent-Length: 2\r\n', '{}'),
    'identity: another address': get('X-Original-URL: /evil\r\nX-Rewrite-URL: /evil\r\n'),
    'identity: a proxy': get(
      'Proxy-Authorization: Basic YTpi\r\nProxy-Connection: keep-alive\r\nProxy: evil\r\n',
    ),
    'identity: an empty key': get('Idempotency-Key:\r\n'),
    'identity: an empty id': get('X-Correlation-ID:\r\nX-Request-ID: \r\n'),
  }),
]
