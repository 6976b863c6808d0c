import type { AdminReading } from '@agentic-rest/profile/admin'
import { formatMs } from './format.ts'

/** The steps of a request at the gateway, with verdicts and times. */
export function StepList({ steps }: { readonly steps: readonly AdminReading<'Step'>[] }) {
  if (steps.length === 0) return <p class="note">No step was recorded.</p>
  return (
    <ol class="request-steps" aria-label="Steps">
      {steps.map(({ name, verdict, milliseconds, detail }) => (
        <li key={name} class={`request-step ${verdict}`}>
          <span class="step-name">{name}</span> <span class="step-verdict">{verdict}</span>{' '}
          <span class="number note">{verdict === 'skipped' ? '–' : formatMs(milliseconds)}</span>{' '}
          {detail !== '' && <span class="step-detail note">{detail}</span>}
        </li>
      ))}
    </ol>
  )
}
