import { jsonText } from './generated.ts'

/** One query of a panel; `{{label}}` in the legend is a label of its result. */
type Query = readonly [expression: string, legend: string]

interface Panel {
  readonly title: string
  readonly queries: readonly Query[]
  /** A unit of Grafana; default: a plain number. */
  readonly unit?: string
  /** A number instead of a graph. */
  readonly isStat?: true
  /** Areas on top of each other instead of lines. */
  readonly isStacked?: true
}

const perRoute = 'job=~"$job", route=~"$route"'
const ofJob = 'job=~"$job"'
const failed = 'outcome=~"error|failed_dependency"'
const rate = (metric: string, matchers: string) => `rate(${metric}{${matchers}}[$__rate_interval])`

function quantile(part: number, metric: string, by: string, matchers: string): string {
  return `histogram_quantile(${part}, sum by (le, ${by}) (${rate(`${metric}_bucket`, matchers)}))`
}

/** The rows of the dashboard. A row is 24 wide, and its panels share it evenly. */
const rows: Readonly<Record<string, readonly Panel[]>> = {
  Now: [
    {
      title: 'Gateways',
      isStat: true,
      queries: [[`count(agentic_build_info{${ofJob}}) or vector(0)`, 'gateways']],
    },
    {
      title: 'Requests',
      isStat: true,
      unit: 'reqps',
      queries: [[`sum(${rate('agentic_requests_total', perRoute)})`, 'requests']],
    },
    {
      title: 'Failed (error, failed_dependency)',
      isStat: true,
      unit: 'percentunit',
      queries: [
        [
          // Without any failure there is no series of failures: that is 0 %, not "no data".
          `(sum(${rate('agentic_requests_total', `${perRoute}, ${failed}`)}) or vector(0)) / sum(${rate('agentic_requests_total', perRoute)})`,
          'failed',
        ],
      ],
    },
    {
      title: 'Oldest approval that waits',
      isStat: true,
      unit: 's',
      queries: [['max(agentic_approvals_oldest_pending_seconds)', 'oldest']],
    },
    {
      title: 'Last reload refused',
      isStat: true,
      queries: [[`sum(1 - agentic_config_last_reload_successful{${ofJob}})`, 'gateways']],
    },
  ],
  'Traffic by outcome': [
    {
      title: 'Requests by outcome',
      unit: 'reqps',
      isStacked: true,
      queries: [[`sum by (outcome) (${rate('agentic_requests_total', perRoute)})`, '{{outcome}}']],
    },
    {
      title: 'Failed requests by route',
      unit: 'percentunit',
      queries: [
        [
          `sum by (route) (${rate('agentic_requests_total', `${perRoute}, ${failed}`)}) / sum by (route) (${rate('agentic_requests_total', perRoute)})`,
          '{{route}}',
        ],
      ],
    },
    {
      title: 'Errors of the gateway itself by code',
      unit: 'reqps',
      queries: [[`sum by (code) (${rate('agentic_gateway_errors_total', perRoute)})`, '{{code}}']],
    },
    {
      title: 'Answers that break the profile',
      unit: 'reqps',
      queries: [
        [
          `sum by (route, rule) (${rate('agentic_profile_violations_total', perRoute)})`,
          '{{route}} {{rule}}',
        ],
      ],
    },
  ],
  'Latency by route': [
    ...[0.5, 0.99].map((part) => ({
      title: `Requests, ${part * 100} %`,
      unit: 's',
      queries: [
        [quantile(part, 'agentic_request_duration_seconds', 'route', perRoute), '{{route}}'],
      ] as const,
    })),
    {
      title: 'Services alone, 99 %',
      unit: 's',
      queries: [[quantile(0.99, 'agentic_upstream_duration_seconds', 'route', perRoute), '{{route}}']],
    },
  ],
  Streams: [
    {
      title: 'Open streams by tenant',
      queries: [
        [`topk(10, sum by (tenant_id) (agentic_gateway_sse_connections_active{${ofJob}}))`, '{{tenant_id}}'],
      ],
    },
    {
      title: 'Used part of the stream limit',
      unit: 'percentunit',
      queries: [[`topk(10, agentic:sse_connections:used_ratio{${ofJob}})`, '{{tenant_id}}']],
    },
    {
      title: 'Failed streams by kind',
      unit: 'reqps',
      queries: [
        [`sum by (error_kind) (${rate('agentic_gateway_sse_errors_total', ofJob)})`, '{{error_kind}}'],
      ],
    },
  ],
  Tenants: [
    {
      title: 'Requests of the ten busiest tenants',
      unit: 'reqps',
      queries: [
        [`topk(10, sum by (tenant_id) (${rate('agentic_requests_total', perRoute)}))`, '{{tenant_id}}'],
      ],
    },
    {
      title: 'Tokens',
      queries: [
        [
          `topk(10, sum by (tenant_id, kind) (${rate('agentic_tokens_total', perRoute)}))`,
          '{{tenant_id}} {{kind}}',
        ],
      ],
    },
    {
      title: 'Cost per hour',
      queries: [
        [
          `topk(10, sum by (tenant_id) (${rate('agentic_cost_micro_total', perRoute)})) * 3600 / 1e6`,
          '{{tenant_id}}',
        ],
      ],
    },
  ],
  Limits: [
    {
      title: 'Decisions by policy',
      unit: 'reqps',
      queries: [
        [
          `sum by (policy, result) (${rate('agentic_limit_decisions_total', ofJob)})`,
          '{{policy}} {{result}}',
        ],
      ],
    },
    {
      title: 'Used part of budgets, highest tenant',
      unit: 'percentunit',
      queries: [[`max by (policy) (agentic_budget_used_ratio{${ofJob}})`, '{{policy}}']],
    },
    {
      title: 'Gateways without their store',
      queries: [
        [`sum(agentic_gateway_shared_limit_fallback{${ofJob}})`, 'stream limit'],
        [`sum(agentic_limit_store_fallback{${ofJob}})`, 'rate limits'],
      ],
    },
  ],
  'Questions and approvals': [
    {
      title: 'Questions and approvals asked for',
      unit: 'reqps',
      queries: [
        [
          `sum by (route, outcome) (${rate('agentic_requests_total', `${perRoute}, outcome=~"clarification_required|approval_required"`)})`,
          '{{route}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Oldest approval that waits, by service',
      unit: 's',
      queries: [['max by (job) (agentic_approvals_oldest_pending_seconds)', '{{job}}']],
    },
    {
      title: 'Time to a decision, 90 %',
      unit: 's',
      queries: [
        [
          'histogram_quantile(0.9, sum by (le, operation, verdict) (rate(agentic_approval_wait_seconds_bucket[$__range])))',
          '{{operation}} {{verdict}}',
        ],
      ],
    },
    {
      title: 'Background operations by state',
      queries: [['max by (job, operation, state) (agentic_operations)', '{{job}} {{operation}} {{state}}']],
    },
  ],
  'Upstream targets': [
    {
      title: 'Targets that get requests',
      queries: [
        [`min by (upstream, target) (agentic_upstream_target_up{${ofJob}})`, '{{upstream}} {{target}}'],
      ],
    },
    {
      title: 'Requests by target and result',
      unit: 'reqps',
      queries: [
        [
          `sum by (upstream, target, result) (${rate('agentic_upstream_target_requests_total', ofJob)})`,
          '{{upstream}} {{target}} {{result}}',
        ],
      ],
    },
    {
      title: 'Ejections per hour',
      queries: [
        [
          `sum by (upstream, target) (increase(agentic_upstream_target_ejections_total{${ofJob}}[1h]))`,
          '{{upstream}} {{target}}',
        ],
      ],
    },
    {
      title: 'Connections and queues',
      queries: [
        [`sum by (upstream) (agentic_gateway_upstream_connections{${ofJob}})`, '{{upstream}} open'],
        [`sum by (upstream) (agentic_gateway_upstream_queued{${ofJob}})`, '{{upstream}} queued'],
      ],
    },
  ],
  Audit: [
    {
      title: 'Records written and lost',
      unit: 'cps',
      queries: [
        [
          `sum by (exporter, outcome) (${rate('agentic_plugin_otelaudit_emit_total', ofJob)})`,
          '{{exporter}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Time to write a batch, 99 %',
      unit: 's',
      queries: [
        [quantile(0.99, 'agentic_plugin_otelaudit_emit_duration_seconds', 'exporter', ofJob), '{{exporter}}'],
      ],
    },
  ],
  Gateways: [
    {
      title: 'Requests in flight',
      queries: [[`agentic_gateway_requests_in_flight{${ofJob}}`, '{{instance}}']],
    },
    {
      title: 'Event loop delay, 99 %',
      unit: 's',
      queries: [[`agentic_gateway_event_loop_delay_seconds{${ofJob}, percentile="99"}`, '{{instance}}']],
    },
    {
      title: 'Memory',
      unit: 'bytes',
      queries: [
        [`agentic_gateway_resident_memory_bytes{${ofJob}}`, '{{instance}} resident'],
        [`agentic_gateway_buffered_bytes{${ofJob}}`, '{{instance}} bodies'],
      ],
    },
    {
      title: 'Workers',
      queries: [
        [`agentic_gateway_workers{${ofJob}}`, '{{instance}}'],
        [`increase(agentic_gateway_worker_restarts_total{${ofJob}}[1h])`, '{{instance}} restarts per hour'],
      ],
    },
  ],
}

const datasource = { type: 'prometheus', uid: '${datasource}' }
const WIDTH = 24
const HEIGHT = 8

/** The text of `deploy/grafana/agentic.json`. */
export function grafanaDashboard(): string {
  let y = 0
  let id = 0
  const panels = Object.entries(rows).flatMap(([title, panelsOfRow]) => {
    const header = { id: ++id, type: 'row', title, gridPos: { x: 0, y, w: WIDTH, h: 1 }, panels: [] }
    const width = Math.floor(WIDTH / panelsOfRow.length)
    const height = panelsOfRow.every(({ isStat }) => isStat) ? HEIGHT / 2 : HEIGHT
    const placed = panelsOfRow.map((panel, index) => ({
      id: ++id,
      ...panelOf(panel),
      gridPos: { x: index * width, y: y + 1, w: width, h: height },
    }))
    y += 1 + height
    return [header, ...placed]
  })
  return jsonText({
    uid: 'agentic-gateway',
    title: 'Agentic gateway',
    tags: ['agentic'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: variables() },
    panels,
  })
}

function panelOf({ title, queries, unit = 'short', isStat, isStacked }: Panel) {
  const custom = isStacked ? { fillOpacity: 40, stacking: { mode: 'normal' } } : { fillOpacity: 5 }
  return {
    type: isStat ? 'stat' : 'timeseries',
    title,
    datasource,
    fieldConfig: { defaults: { unit, min: 0, ...(!isStat && { custom }) }, overrides: [] },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat,
    })),
  }
}

function variables() {
  const all = { includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' } }
  const labelOf = (name: string, query: string) => ({
    name,
    type: 'query',
    datasource,
    query,
    definition: query,
    refresh: 2,
    ...all,
  })
  return [
    { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
    labelOf('job', 'label_values(agentic_build_info, job)'),
    labelOf('route', 'label_values(agentic_requests_total{job=~"$job"}, route)'),
  ]
}
