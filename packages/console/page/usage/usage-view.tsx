import type { ComponentChildren } from 'preact'
import { adminApi } from '../api/admin-api.ts'
import type { TenantUsage, Usage } from '../api/bodies.ts'
import { ItemPicker } from '../shell/item-picker.tsx'
import { LoadFault } from '../shell/load-fault.tsx'
import { Empty } from '../shell/notice.tsx'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import { useLoad, useRepeat } from '../shell/use-load.ts'
import { describeKey, describePolicy, formatCount, formatMoney, viewLimit } from './describe-limit.ts'

const REFRESH_MS = 3000

/** The requests, tokens and cost of tenants against their limits, today and this month. */
export function UsageView({ tenant }: { readonly tenant: string }) {
  const [usage, reload] = useLoad(() => adminApi.usage(tenant), tenant)
  useRepeat(reload, REFRESH_MS)
  return (
    <div class="usage">
      <ItemPicker
        view="Usage"
        item={tenant}
        label="Tenant"
        placeholder="the 100 with the most requests"
        back="All tenants"
      />
      {usage.state === 'loading' && <p class="note">Reading the usage…</p>}
      {usage.state === 'failed' && <LoadFault message={usage.message} onRetry={reload} />}
      {usage.state === 'ready' && <Report {...usage.value} />}
    </div>
  )
}

function Report(usage: Usage) {
  const { currency, policies, tenants } = usage
  return (
    <>
      {policies.length === 0 ? <NoLimits /> : <Policies policies={policies} currency={currency} />}
      {tenants.length === 0 && policies.length > 0 && (
        <Empty title="No request of this month was counted.">
          <p>Counts begin at the start of the gateway. Days and months are those of UTC.</p>
        </Empty>
      )}
      {tenants.map((each) => (
        <Tenant key={each.tenant} own={each} usage={usage} />
      ))}
    </>
  )
}

function NoLimits() {
  return (
    <section class="panel">
      <Empty title="No limits are configured.">
        <p>
          <code>gateway.rate_limits</code> of the configuration limits the requests, tokens and cost of each
          tenant. Tokens and cost are counted on routes with such a limit.
        </p>
      </Empty>
    </section>
  )
}

function Policies({ policies, currency }: Pick<Usage, 'policies' | 'currency'>) {
  return (
    <section class="panel" aria-labelledby="policies-title">
      <h2 id="policies-title">Limits</h2>
      <ScrollRegion label="Table of limits">
        <table class="rows policies">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col">Allows</th>
              <th scope="col">Counts</th>
              <th scope="col">Routes</th>
            </tr>
          </thead>
          <tbody>
            {policies.map((policy) => (
              <tr key={policy.name}>
                <th scope="row" class="mono">
                  {policy.name}
                </th>
                <td>{describePolicy(policy, currency)}</td>
                <td>{describeKey(policy)}</td>
                <td>{policy.routes === null ? 'all routes' : `only ${policy.routes.join(', ')}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </section>
  )
}

interface TenantProps {
  readonly own: TenantUsage
  readonly usage: Usage
}

function Tenant({ own: { tenant, today, month, limits }, usage }: TenantProps) {
  // Without limits nothing is refused by one. After a reload there may be earlier refusals.
  const hasRefusals = usage.policies.length > 0 || month.refused > 0
  const rows = countRows.filter(({ name }) => name !== REFUSED || hasRefusals)
  return (
    <section class="panel usage-tenant" aria-label={`Usage of ${tenant}`}>
      <h2 class="mono">{tenant}</h2>
      <ScrollRegion label={`Counts of ${tenant}`}>
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Count</th>
              <th scope="col" class="number">
                Today
              </th>
              <th scope="col" class="number">
                This month
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, show }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{show(today, usage.currency)}</td>
                <td class="number">{show(month, usage.currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {limits.length > 0 && (
        <ul class="meters">
          {limits.map((state) => (
            <Meter key={state.policy} tenant={tenant} {...viewLimit(state, usage)} />
          ))}
        </ul>
      )}
    </section>
  )
}

interface CountRow {
  readonly name: string
  show(counts: TenantUsage['today'], currency: Usage['currency']): ComponentChildren
}

const REFUSED = 'Refused by a limit'

const countRows: readonly CountRow[] = [
  { name: 'Requests', show: ({ requests }) => formatCount(requests) },
  {
    name: REFUSED,
    show: ({ refused }) => (refused === 0 ? '0' : <span class="badge refused">{formatCount(refused)}</span>),
  },
  { name: 'Tokens in', show: ({ inputTokens }) => formatCount(inputTokens) },
  { name: 'Tokens out', show: ({ outputTokens }) => formatCount(outputTokens) },
  { name: 'Cost', show: ({ costMicro }, currency) => formatMoney(costMicro, currency) },
]

type MeterProps = ReturnType<typeof viewLimit> & { readonly tenant: string }

const levelWords = { free: '', nearly: 'nearly used up', full: 'used up' } as const

function Meter({ tenant, name, used, most, nearly, text, reset, level }: MeterProps) {
  return (
    <li>
      <span class="meter-name mono">{name}</span>
      <span class="meter-count">
        {text}
        {level !== 'free' && ` · ${levelWords[level]}`}
      </span>
      <meter
        min={0}
        max={Math.max(most, 1)}
        value={used}
        optimum={0}
        low={nearly}
        high={Math.max(most - 1, nearly)}
        aria-label={`${name} of ${tenant}: ${text}`}
      />
      {reset !== '' && <span class="note">{reset}</span>}
    </li>
  )
}
