import { expect, onTestFinished, test, vi } from 'vitest'
import { readApproval } from './approval.ts'
import { ApprovalView, verbLabel, wordsOfState } from './view.ts'

/** An element as text: markup in a text stays visible as such. */
const view = new ApprovalView<{ html: string }>({
  make: (name, attributes, children) => {
    const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
    const inner = children.map((child) =>
      typeof child === 'string' ? child.replaceAll('<', '&lt;') : child.html,
    )
    return { html: `<${name}${given.join('')}>${inner.join('')}</${name}>` }
  },
  level: 2,
})

const NOW = Date.parse('2026-05-04T12:00:00Z')
const approval = (members: object = {}) =>
  readApproval({
    approvalId: 'a-1',
    state: 'pending',
    operation: 'create-payment',
    requester: 'alice',
    requesterIssuer: 'https://one',
    role: 'finance',
    expiresAt: '2026-05-04T14:04:00Z',
    ...members,
  })
const factsOf = (members: object) =>
  new Map(
    view
      .facts(approval(members), NOW)
      .map(([name, value]) => [name, typeof value === 'string' ? value : value.html]),
  )

test('the facts name people with their issuers, the way, the time left and the digest', () => {
  const facts = factsOf({
    requestedFor: 'bob',
    via: ['bob called plan'],
    digest: 'd-1',
    createdAt: 'yesterday',
  })
  expect([...facts.keys()]).toEqual([
    'Operation',
    'Asked by',
    'On behalf of',
    'Way',
    'Asked',
    'Expires',
    'Needed',
    'Digest',
  ])
  expect(facts.get('Asked by')).toBe(
    '<span><span>alice</span><span class="approval-issuer"> at https://one</span></span>',
  )
  expect(facts.get('Way')).toBe(
    '<ol class="approval-way"><li>bob called plan</li><li>alice called create-payment</li></ol>',
  )
  expect(facts.get('Asked')).toBe('yesterday')
  expect(facts.get('Expires')).toMatch(
    /^<span><time datetime="2026-05-04T14:04:00Z">.+<\/time> · 2 h 4 min left<\/span>$/,
  )
  const decisions = [{ decidedBy: 'bob', verdict: 'approved', decidedAt: 'today' }]
  expect(factsOf({ state: 'approved', decisions }).get('Decided at')).toBe('today')
  expect([...factsOf({}).keys()]).toEqual(['Operation', 'Asked by', 'Expires', 'Needed'])
})

test('a time has plain blanks in every language, so that none is shown as its code', () => {
  const spanish = vi.spyOn(Date.prototype, 'toLocaleString').mockReturnValue('4 may, 2:04\u202fp.\u00a0m.')
  onTestFinished(() => spanish.mockRestore())
  expect(factsOf({}).get('Expires')).toContain('>4 may, 2:04 p. m.</time>')
})

test('the request shows its inputs by place, and what is invisible in them', () => {
  const inputs = { body: { to: 'a\u202eb', deep: { a: { b: { c: [1] } } }, none: [] }, query: { q: '<b>' } }
  const { html } = view.request(
    approval({ request: { method: 'POST', path: '/payments', inputs, truncated: true } }),
  )
  expect(html).toContain('<p class="approval-line">POST /payments</p>')
  expect(html).toContain('<p class="approval-cut">Some values are too large to be shown.')
  expect(html.indexOf('<h3>In the query</h3>')).toBeLessThan(html.indexOf('<h3>In the body</h3>'))
  expect(html).toContain('<dt>to</dt><dd><span class="approval-value">a\\u{202e}b</span></dd>')
  expect(html).toContain('<span class="approval-value">&lt;b></span>')
  expect(html).toContain('<code class="approval-value">[1]</code>')
  expect(html).toContain('<dt>none</dt><dd><span>an empty list</span></dd>')
  expect(view.request(approval()).html).toBe(
    '<p class="approval-cut">The service does not show the request.</p>',
  )
})

test.each([
  ['without the member', {}, 'The request has no inputs.'],
  ['with empty places', { inputs: { query: {}, body: {} } }, 'The request has no inputs.'],
  ['with all of them cut', { inputs: {}, truncated: true }, 'Some values are too large to be shown.'],
])('a request %s says what became of its inputs', (_name, members, words) => {
  const { html } = view.request(approval({ request: { method: 'POST', path: '/restarts', ...members } }))
  expect(html).toContain('<p class="approval-line">POST /restarts</p>')
  expect(html).toContain(words)
  expect(html.match(/<p/g)).toHaveLength(2)
})

test('decisions show who said what', () => {
  expect(view.decisions(approval())).toEqual([])
  const decisions = [{ decidedBy: 'bob', verdict: 'approved', comment: 'fine\u0000' }]
  expect(view.decisions(approval({ decisions })).map(({ html }) => html)).toEqual([
    '<section aria-label="Decisions"><h2>Decisions</h2><ul class="approval-decisions"><li><strong><span><span>bob</span></span></strong> approved <p class="approval-comment">fine\\u{0}</p></li></ul></section>',
  ])
})

test('states and buttons have names, also those of a newer service', () => {
  expect(wordsOfState('used')).toEqual({ title: 'Approved and used', words: 'approved and used' })
  expect(wordsOfState('paused')).toEqual({ title: 'Approval', words: 'paused' })
  expect(wordsOfState('toString')).toEqual({ title: 'Approval', words: 'toString' })
  expect(verbLabel(approval(), 'approve')).toBe('Approve')
  expect(verbLabel(approval({ by: 'requester' }), 'approve')).toBe('Confirm')
  expect(verbLabel(approval(), 'reject')).toBe('Reject')
})
