import { hash } from 'node:crypto'
import { headers as headerNames } from '@agentic-rest/profile'
import type { AdminAnswer } from './answer.ts'

// What stands behind the # never reaches a server: it goes along with the form, and the redirect keeps it.
const SCRIPT = 'document.forms[0].action += location.hash'

/** Says nothing of the gateway: whoever reads it has shown nothing yet. */
function page(told: string | undefined): string {
  const [notice, described] =
    told === undefined
      ? ['', '']
      : [`<p id="told" role="alert">${told}</p>\n`, ' aria-invalid="true" aria-describedby="told"']
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box }
main { width: min(24rem, calc(100vw - 2rem)) }
h1 { font-size: 1.25rem }
form { display: grid; gap: .75rem }
input, button { font: inherit; padding: .5rem .75rem }
</style>
<main>
<h1>Sign in</h1>
${notice}<form method="post" action="/session">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus${described}>
<button>Sign in</button>
</form>
</main>
<script>${SCRIPT}</script>
</html>
`
}

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The same refusal, for somebody who came with a browser: a field for a token, and what was wrong with the last one. */
export function signInPage({ status, headers = {} }: AdminAnswer, told?: string): AdminAnswer {
  const own = {
    [headerNames.contentType]: 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
    // With `no-referrer` a browser sends its form with `Origin: null`, which looks like a foreign page.
    'Referrer-Policy': 'same-origin',
  }
  return { status, headers: { ...headers, ...own }, body: Buffer.from(page(told)) }
}
