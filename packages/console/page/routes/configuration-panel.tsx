import type { AdminReading } from '@agentic-rest/profile/admin'
import { adminApi } from '../api/admin-api.ts'
import type { GatewayInfo } from '../api/bodies.ts'
import { Fact } from '../shell/fact.tsx'
import { Notice } from '../shell/notice.tsx'
import { useLoad, useRepeat } from '../shell/use-load.ts'

const REFRESH_MS = 3000

/** The configuration file, its warnings, and the result of the last reload. */
export function ConfigurationPanel() {
  const [gateway, reload] = useLoad(adminApi.gateway)
  // The file may be edited while this view is open.
  useRepeat(reload, REFRESH_MS)
  if (gateway.state === 'loading') return null
  if (gateway.state === 'failed') return <Notice kind="fault" title={gateway.message} />
  const { configuration } = gateway.value
  return (
    <section class="panel" aria-labelledby="configuration-title">
      <h2 id="configuration-title">Configuration</h2>
      <Facts gateway={gateway.value} />
      <ReloadResult reload={configuration.lastReload} />
      {configuration.warnings.length > 0 && (
        <Notice kind="warning" title={`${configuration.warnings.length} warnings`}>
          <ul>
            {configuration.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
    </section>
  )
}

function Facts({
  gateway: { gatewayUrl, startedAt, streamLimit, configuration },
}: {
  readonly gateway: GatewayInfo
}) {
  return (
    <dl class="fact-row">
      <Fact name="File" value={configuration.file || 'given by a program'} />
      <Fact name="Loaded" value={momentOf(configuration.loadedAt)} />
      <Fact name="Gateway" value={gatewayUrl} />
      <Fact name="Running since" value={momentOf(startedAt)} />
      <Fact name="Streams per tenant" value={String(streamLimit)} />
    </dl>
  )
}

function ReloadResult({ reload }: { readonly reload: AdminReading<'Reload'> | null }) {
  if (reload === null) return <p class="note">The file has not been reloaded since the gateway started.</p>
  if (reload.faults.length === 0)
    return (
      <p class="note">
        The last reload was {reload.result}, {momentOf(reload.at)}.
      </p>
    )
  return (
    <Notice
      kind="fault"
      title={`The last reload was ${reload.result}, ${momentOf(reload.at)}; the gateway goes on as before.`}
    >
      <ul class="mono">
        {reload.faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </Notice>
  )
}

function momentOf(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? '–' : time.toLocaleString()
}
