import { createHash } from 'node:crypto'
import type { User } from './demo-users.ts'

/** The content of the sign-in page. */
export interface SignInPage {
  /** The name that the client gave itself. */
  readonly client: string
  /** A gateway, and not a program that wants to use its tools. */
  readonly isGateway: boolean
  /** The address that the browser is sent to afterwards. */
  readonly redirectUri: string
  /** The path that the choice is posted to. */
  readonly action: string
  readonly people: ReadonlyMap<string, User>
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 36rem; padding: 2rem 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; margin: 0 0 1rem }
form { display: grid; gap: .5rem; margin: 1.5rem 0 }
button { font: inherit; text-align: left; padding: .75rem 1rem; border: 1px solid #767676; border-radius: .5rem;
  background: transparent; color: inherit; cursor: pointer }
button:hover, button:focus-visible { outline: 2px solid #2563eb; outline-offset: 1px }
button small { display: block }
`

/**
 * The Content-Security-Policy of the pages: no scripts and nothing of other sites. Chromium applies `form-action` to the
 * redirect of the answer too.
 */
export function pagePolicy(redirectUri?: string): string {
  const digest = createHash('sha256').update(style).digest('base64')
  const rules = [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    redirectUri === undefined ? "form-action 'none'" : `form-action 'self' ${new URL(redirectUri).origin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return rules.join('; ')
}

/** Makes the page: one button per person, without passwords, because it is for development only. */
export function signInPage({ client, isGateway, redirectUri, action, people }: SignInPage): string {
  const host = escapeHtml(new URL(redirectUri).host)
  const purpose = isGateway
    ? `<h1>Sign in</h1>\n<p>You sign in to the gateway at <strong>${host}</strong>.</p>`
    : `<h1>Sign in to the tools</h1>
<p><strong>${escapeHtml(client)}</strong> wants to use the tools of this gateway in your name.
Afterwards you return to <strong>${host}</strong>.</p>`
  const buttons = [...people].map(
    ([sub, { tenant, roles }]) =>
      `<button name="sub" value="${escapeHtml(sub)}">${escapeHtml(sub)}<small>${escapeHtml(tenant)}, ${escapeHtml(
        roles.length === 0 ? 'no roles' : roles.join(', '),
      )}</small></button>`,
  )
  return page(
    'Sign in',
    `${purpose}
<p>Development only: choose a person. There are no passwords.</p>
<form method="post" action="${escapeHtml(action)}">
${buttons.join('\n')}
</form>
<form method="post" action="${escapeHtml(action)}"><button name="refuse" value="yes">Cancel</button></form>`,
  )
}

/** Makes the page of a failed sign-in. */
export function faultPage(message: string): string {
  return page(
    'No sign-in',
    `<h1>No sign-in</h1>\n<p>${escapeHtml(message)}</p>\n<p>Start again in your client.</p>`,
  )
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body><main>
${body}
</main></body>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
