import { consoleFolder } from '@agentic-rest/console'
import { freePort } from '@agentic-rest/testing/free-port'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { testWith } from '@agentic-rest/testing/test-with'
import { SignJWT } from 'jose'
import { expect, onTestFinished } from 'vitest'
import { startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { overflowOf, violations } from './console-browser.ts'

const secret = 'a shared secret of the tests, long enough'
const issuer = 'https://id.example.test'
const issuers = [{ issuer, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: secret }]

function tokenOf(role: string): Promise<string> {
  return new SignJWT({ roles: [role] })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('agentic')
    .setSubject('operator')
    .setExpirationTime('5m')
    .sign(Buffer.from(secret))
}

testWith(
  'chromium',
  'outside development a browser signs in with a token that has the role, with no other, and ends where it wanted to go',
  async () => {
    const { adminUrl } = await startAdmin({
      admin: { consoleFolder },
      settings: { role: 'gateway:admin' },
      config: { plugins: { 'token-validator': { issuers } } },
    })
    const browser = await sharedBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const signIn = async (role: string) => {
      await page.getByLabel('Token').fill(await tokenOf(role))
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.goto(`${adminUrl}/#/routes`)
    expect(await page.getByText('Connected').count()).toBe(0)
    await page.getByText('The token needs the role gateway:admin.').waitFor()
    await signIn('campaign:optimize')
    expect(await page.getByRole('alert').textContent()).toBe(
      'The token does not have the role that is needed here.',
    )
    await signIn('gateway:admin')
    await page.waitForURL(`${adminUrl}/#/routes`)
    await page.getByText('Connected').waitFor({ state: 'attached' })
  },
)

testWith(
  'chromium',
  'the header names the signed-in person, who signs out and leaves nothing in the browser',
  async () => {
    const { adminUrl } = await startAdmin({
      admin: { consoleFolder },
      settings: { role: 'gateway:admin' },
      config: { plugins: { 'token-validator': { issuers } } },
    })
    const browser = await sharedBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } })
    await page.goto(`${adminUrl}/#/try`)
    await page.getByLabel('Token').fill(await tokenOf('gateway:admin'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('banner').getByText('operator', { exact: true }).waitFor()
    await page.getByLabel('itemId', { exact: true }).fill('7')
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 of at most 50').waitFor()
    expect(await overflowOf(page)).toBe(0)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(
      /item|7/,
    )
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  },
)

testWith(
  'chromium',
  'a gateway that has stopped is said to be, and one that came back has signed everybody out',
  async () => {
    const options = { admin: { consoleFolder }, config: { plugins: { 'token-validator': { issuers } } } }
    // A port that is not given to others while the gateway is down.
    const settings = { role: 'gateway:admin', port: await freePort() }
    const { adminUrl, gateway } = await startAdmin({ ...options, settings })
    const browser = await sharedBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } })
    await page.goto(adminUrl)
    await page.getByLabel('Token').fill(await tokenOf('gateway:admin'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Connected').waitFor()
    await gateway.close()
    await page.getByText('Disconnected').waitFor()
    await page.getByRole('alert').getByText('The gateway does not answer.').waitFor()
    await expect.poll(() => page.getByText('not known', { exact: true }).count()).toBe(2)
    await page.getByRole('link', { name: 'Try', exact: true }).click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await startAdmin({ ...options, settings })
    await page.getByRole('alert').getByText('You are signed out.').waitFor()
    await page.getByRole('link', { name: 'Live', exact: true }).click()
    await page.getByRole('alert').getByText('The values below are old. Reload the page').waitFor()
    await page.getByText('Signed out', { exact: true }).waitFor()
  },
)
