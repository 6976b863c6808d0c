import { hash } from 'node:crypto'
import { headers as headerNames } from '@agentic-rest/profile'

/** An answer of the gateway itself. */
export interface PageAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Buffer | undefined
}

// Browsers do not send the fragment after #. The script adds it to the addresses, and the redirect keeps it.
const SCRIPT =
  "document.forms[0].action += location.hash; for (const a of document.querySelectorAll('a.button')) a.href += encodeURIComponent(location.hash)"

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const pageHeaders = {
  [headerNames.contentType]: 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  // With `no-referrer` a browser sends its form with `Origin: null`, which looks like a foreign page.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

/** A page with one sentence. */
export function sentencePage(
  status: number,
  sentence: string,
  headers: PageAnswer['headers'] = {},
): PageAnswer {
  const body = html('Sign in', `<p>${escapeHtml(sentence)}</p>`)
  return { status, headers: { ...pageHeaders, ...headers }, body }
}

/** The parts of the sign-in page that differ. */
export interface SignInPage {
  /** Why the token was not taken. */
  readonly message: string | undefined
  /** HTML that says which role is needed. */
  readonly needed: string
  /** Whether people can sign in at an identity provider. */
  readonly hasSignIn: boolean
}

/** Turns a refusal into the page of the console where people sign in. It has nothing about the gateway but the roles. */
export function signInPage({ status, headers = {} }: PageAnswer, page: SignInPage): PageAnswer {
  const form = tokenForm(page)
  const body = page.hasSignIn
    ? `<a class="button" href="/sign-in?return=/">Sign in</a>\n<details><summary>Use a token</summary>\n${form}</details>`
    : form
  return {
    status,
    headers: { ...headers, ...pageHeaders },
    body: html('Sign in', `${body}\n</main>\n<script>${SCRIPT}</script>`),
  }
}

function tokenForm({ message, needed, hasSignIn }: SignInPage): string {
  const [notice, invalid] =
    message === undefined
      ? ['', 'aria-describedby="needed"']
      : [`<p id="told" role="alert">${message}</p>\n`, 'aria-invalid="true" aria-describedby="told needed"']
  return `${notice}<form method="post" action="/session">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required ${hasSignIn ? '' : 'autofocus '}${invalid}>
<p id="needed">${needed}</p>
<button>Sign in</button>
</form>`
}

function html(title: string, main: string): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#1b1d20, #e6e8ea); background: light-dark(#f7f7f5, #101214) }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box }
main { width: min(26rem, calc(100vw - 2rem)); padding: 1.5rem; box-sizing: border-box; border-radius: 8px;
  border: 1px solid light-dark(#e3e3de, #2a2f34); background: light-dark(#ffffff, #171a1d) }
h1 { margin: 0 0 .75rem; font-size: 1.25rem }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }
form { display: grid; gap: .5rem }
label { font-weight: 600; font-size: .875rem }
code { font-size: .9em }
input, button { font: inherit; color: inherit; padding: .5rem .75rem; border-radius: 6px;
  border: 1px solid light-dark(#8a8d92, #6b727a); background: transparent }
button, .button { margin-top: .5rem; border-color: transparent; background: light-dark(#3a4bc4, #9aa9ff);
  color: light-dark(#ffffff, #0e1020); font-weight: 600; cursor: pointer }
.button { display: block; padding: .5rem .75rem; border-radius: 6px; text-align: center; text-decoration: none }
summary { margin-top: 1rem; cursor: pointer }
:focus-visible { outline: 2px solid light-dark(#3a4bc4, #9aa9ff); outline-offset: 2px }
#needed { color: light-dark(#585c63, #a3aab2); font-size: .875rem }
#told { color: light-dark(#b0241c, #ff958b) }
</style>
<main>
<h1>${title}</h1>
${main}
</html>
`)
}
