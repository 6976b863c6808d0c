import {
  type ApprovalsOptions,
  decide,
  list,
  openSession,
  type Session,
  show,
  wait,
} from '../approvals/actions.ts'
import { explainFailure } from '../call/explain-failure.ts'
import { CallError } from '../call/read-call.ts'
import { defineCommand } from '../command.ts'
import { tokenOption } from '../given-token.ts'
import { exitCodes } from '../host.ts'

const actions = ['list', 'show', 'approve', 'reject', 'wait'] as const
const states = ['pending', 'approved', 'rejected', 'used', 'expired', 'withdrawn', 'all'] as const

/** `agentic approvals list | show | approve | reject | wait`: what waits for a decision, and the decision. */
export const approvals = defineCommand({
  name: 'approvals',
  description:
    'Lists the approvals that you may decide or have asked for, shows one, decides it, or waits for its decision.\n' +
    'approve shows the request and asks before it decides. A decision counts only for the request that was shown:\n' +
    'approve and reject send its digest back.',
  operands: [
    { name: 'ACTION', description: 'What to do.', choices: actions },
    {
      name: 'APPROVAL',
      description: 'After all but list: the id of the approval, or the Location of the 412.',
      optional: true,
    },
  ],
  options: {
    'base-url': {
      type: 'string',
      value: 'URL',
      default: 'http://127.0.0.1:8080',
      description: 'The address of the gateway or service; http://127.0.0.1:8080 by default.',
    },
    token: tokenOption,
    tenant: {
      type: 'string',
      value: 'TENANT',
      description: 'One of several tenants of the token, or the tenant of a service account.',
    },
    state: {
      type: 'string',
      value: 'STATE',
      choices: states,
      default: 'pending',
      description: 'For list: the state of the approvals.',
    },
    limit: {
      type: 'string',
      value: 'N',
      default: '20',
      description: 'For list: at most so many, 20 by default.',
    },
    cursor: { type: 'string', value: 'CURSOR', description: 'For list: the cursor of the next page.' },
    comment: {
      type: 'string',
      value: 'TEXT',
      description: 'For approve and reject: the reason, for the record.',
    },
    digest: {
      type: 'string',
      value: 'DIGEST',
      description: 'For approve and reject: decides only if the request has this digest.',
    },
    yes: { type: 'boolean', description: 'For approve: does not ask; needed without a terminal.' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      default: '600',
      description: 'For wait: how long, 600 by default; 0 for no limit.',
    },
    json: { type: 'boolean', description: 'Prints the answer as JSON.' },
  },
  examples: [
    'npx agentic approvals list --token "$(npx agentic token --sub bob)"',
    'npx agentic approvals approve 0196d3a2-5c1e --comment "in the budget"',
    'npx agentic approvals reject /approvals/0196d3a2-5c1e --json',
    'npx agentic approvals wait 0196d3a2-5c1e --timeout 3600',
  ],
  exitCodes: [
    [exitCodes.ok, 'The approvals were shown or decided; after wait, it was approved.'],
    [exitCodes.failed, 'No answer, a refusal, or nothing decided; after wait, it was not approved in time.'],
    [exitCodes.invalid, 'The command line is not valid, or approve without a terminal lacks --yes.'],
    [exitCodes.interrupted, 'Ended by Ctrl-C.'],
  ],
  async run({ values, operands: [action = '', approval] }, host) {
    const stop = new AbortController()
    const interrupt = () => stop.abort()
    host.on('SIGINT', interrupt)
    try {
      return await act(openSession(values, host, stop), action, approval)
    } catch (error) {
      const { json, 'base-url': baseUrl } = values
      return explainFailure(error, {
        command: 'approvals',
        host,
        json,
        baseUrl,
        stopped: stop.signal.aborted,
      })
    } finally {
      host.off('SIGINT', interrupt)
    }
  },
})

function act(session: Session, action: string, approval: string | undefined): Promise<number> {
  checkOptions(session.options, action)
  if (action === 'list') {
    if (approval !== undefined) throw new CallError('list takes no APPROVAL; "show" shows one')
    return list(session)
  }
  const id = idOf(approval, action)
  if (action === 'show') return show(session, id)
  return action === 'wait'
    ? wait(session, id)
    : decide(session, action === 'approve' ? 'approve' : 'reject', id)
}

function checkOptions({ comment, digest, yes }: ApprovalsOptions, action: string): void {
  const isDecision = action === 'approve' || action === 'reject'
  if (!isDecision && (comment !== undefined || digest !== undefined || yes))
    throw new CallError('--comment, --digest and --yes belong to approve and reject')
}

/** An id stays as it is; of a path or an address only the id counts, so that a Location can be pasted. */
function idOf(approval: string | undefined, action: string): string {
  if (approval === undefined) throw new CallError(`APPROVAL is missing after ${action}`)
  const [, id] = /^(?:.*\/approvals\/)?([^/?#]+)$/.exec(approval) ?? []
  if (id === undefined) throw new CallError('APPROVAL is an id, or an address that ends with /approvals/ID')
  return id
}
