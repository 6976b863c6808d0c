import { hash } from 'node:crypto'
import { acceptsType, headers as headerNames } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import { pageScript, pageStyle } from './page-source.ts'

/** The path of the approvals that a person opens in a browser. */
export const APPROVALS_PATH = '/approvals'

/** Where the page signs a browser in and out with a token. */
export const SESSION_PATH = `${APPROVALS_PATH}/session`

const PAGE_PATH = new RegExp(`^${APPROVALS_PATH}/[^/]+$`)
/** With an inbox the approvals of services below other paths have the page too. */
const LISTED_PATH = new RegExp(`^(?:/[^/]+)*${APPROVALS_PATH}/[^/]+$`)

/** The page that a person opens in a browser: the inbox, where people can sign in, or an approval. Programs ask for JSON, or for anything. */
export function pageOf(
  { method, path, headers }: Exchange,
  hasSignIn: boolean,
): 'inbox' | 'approval' | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !acceptsType(headers['accept'], 'text/html'))
    return undefined
  if (hasSignIn && path === APPROVALS_PATH) return 'inbox'
  const isApproval = (hasSignIn ? LISTED_PATH : PAGE_PATH).test(path) && path !== SESSION_PATH
  return isApproval ? 'approval' : undefined
}

const policy = [
  "default-src 'none'",
  `script-src ${sourceOf(pageScript)}`,
  `style-src ${sourceOf(pageStyle)}`,
  "connect-src 'self'",
  // The form is sent by the script, never by the browser.
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}

/** The headers of the page. It is the same for everybody: the script reads the approval. */
export const pageHeaders: Readonly<Record<string, string>> = {
  [headerNames.contentType]: 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The address of an approval is for those who may decide it.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  Vary: 'Accept',
}

/** The page, by whether people can sign in at an identity provider. */
export const pageBodies: Readonly<Record<'withSignIn' | 'withToken', Buffer>> = {
  withSignIn: html(' data-sign-in', 'Turn it on, then sign in.'),
  withToken: html('', ''),
}

function html(attributes: string, link: string): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en"${attributes}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Approval</title>
<style>${pageStyle}</style>
<main id="page" aria-busy="true"><h1>Approval</h1><noscript><p>This page needs JavaScript. ${link}</p></noscript></main>
<script>${pageScript}</script>
</html>
`)
}
