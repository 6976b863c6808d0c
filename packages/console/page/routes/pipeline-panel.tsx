import type { PluginInfo } from '../api/bodies.ts'
import { JsonText } from '../shell/json-text.tsx'

/** The plugins in order, with their configuration. */
export function PipelinePanel({ plugins }: { readonly plugins: readonly PluginInfo[] }) {
  return (
    <section class="panel" aria-labelledby="pipeline-title">
      <h2 id="pipeline-title">Pipeline</h2>
      <ol class="pipeline">
        {plugins.map(({ name, configured, configuration }, index) => (
          <li key={name}>
            <details>
              <summary>
                <span class="step-number">{index + 1}</span> <b>{name}</b>
                <span class="note">{configured ? '' : 'has nothing to do'}</span>
              </summary>
              <JsonText label={`Configuration of ${name}`} value={configuration} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}
