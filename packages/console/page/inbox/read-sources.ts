import type { Approval, ApprovalService, Listed, Source, TokenOwner } from '@agentic-rest/profile/approval'
import { waitsFor } from '@agentic-rest/profile/approval'
import { messageOf } from '../shell/use-load.ts'
import type { Access, InboxApi } from './inbox-api.ts'

/** The person of the inbox. The token is only in memory. */
export interface Who {
  readonly access: Access
  readonly me: TokenOwner
  /** The displayed name; empty if the token does not tell its owner. */
  readonly name: string
}

/** One reading of the lists, for one person. */
export interface Reader {
  readonly api: InboxApi
  readonly who: Who
  readonly now: () => number
  /** Whether it is still the person of the inbox. */
  readonly isCurrent: () => boolean
}

/** The limit of pages of one source; with the page sizes it bounds the memory. */
export const MAX_PAGES = 10
const OPEN_PAGE = 50
const CLOSED_PAGE = 20

/** Reads the first pages of a source. After a failure the approvals of the last reading stay. */
export async function readSource(reader: Reader, before: Source, pages: number): Promise<Source> {
  try {
    return { ...before, ...(await readPages(reader, before, pages)), fault: '' }
  } catch (error) {
    return { ...before, fault: messageOf(error) }
  }
}

async function readPages({ api, who, now, isCurrent }: Reader, { service, state }: Source, pages: number) {
  const isOpen = state === 'pending'
  const approvals: Approval[] = []
  let cursor: string | undefined
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { state, cursor, limit: isOpen ? OPEN_PAGE : CLOSED_PAGE }
    const answer = await api.list(who.access, service, query)
    approvals.push(...answer.approvals)
    cursor = answer.next
    if (cursor === undefined || !isCurrent()) break
    // Many requests of one's own may be newer than the first that waits.
    const isFound = !isOpen || approvals.some((each) => waitsFor(each, who.me, now()))
    if (page >= pages && isFound) break
  }
  return { approvals, hasMore: cursor !== undefined }
}

/** Asks services for one approval, because a decided one leaves its list; undefined if none shows it. */
export async function readListed(
  { api, who }: Reader,
  services: readonly ApprovalService[],
  approvalId: string,
): Promise<Listed | undefined> {
  const answers = await Promise.all(
    services.map(async (service): Promise<Listed | undefined> => {
      const approval = await api.read(who.access, service, approvalId).catch(() => undefined)
      return approval && { approval, service }
    }),
  )
  return answers.find((each) => each !== undefined)
}
