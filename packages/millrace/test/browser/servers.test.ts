import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFaults } from '../support/browser/axe.ts'
import { type GuardedMill, startGuardedMill } from '../support/servers/guarded-mill.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

const TOKEN = 'wheel-and-race-41'

/** Allows the pages of the studio, with a token. */
let guarded: GuardedMill
/** Allows no page of another origin. */
let closed: GuardedMill

const chat = (): Locator => one.page.locator('.chat-content')
const dialog = (): Locator => one.page.getByRole('dialog')
const tokenField = (): Locator => dialog().getByLabel('Token', { exact: true })
const button = (name: string | RegExp): Locator => one.page.getByRole('button', { name })
const addressOf = ({ url }: GuardedMill): string => {
  const address = new URL(studio.server.url)
  address.searchParams.set('server', url)
  return address.href
}

async function giveToken(token: string): Promise<void> {
  await tokenField().fill(token)
  await one.page.keyboard.press('Enter')
}

/** The texts with which the browser logs refusals of a server. */
const refusals = /status of 401|CORS policy|ERR_FAILED/

describe.skipIf(left)('another server than that of the page', () => {
  withStudio({ noted: refusals })

  beforeAll(async () => {
    const allowedOrigins = [new URL(studio.server.url).origin]
    guarded = await startGuardedMill({ token: TOKEN, allowedOrigins })
    closed = await startGuardedMill({})
  })

  afterAll(async () => {
    await guarded?.close()
    await closed?.close()
  })

  test('requires its token, rejects a wrong one, and is used with the right one', async () => {
    await one.page.goto(addressOf(guarded))
    await tokenField().waitFor()
    expect(await tokenField().getAttribute('type')).toBe('password')
    await one.waitFor('No token')
    await giveToken('not-it')
    await dialog().getByText('The server rejected this token.').waitFor()
    expect(await findFaults(one.page, 'dialog')).toEqual([])
    await giveToken('two words')
    await dialog().getByText('A token has no spaces').waitFor()
    await giveToken(` ${TOKEN} `)
    await dialog().waitFor({ state: 'detached' })
    await one.waitFor('Ready')
    await one.ask('/demo thinking')
    await chat().getByText('204.', { exact: true }).waitFor()
    expect(one.page.url()).not.toContain(TOKEN)
    // After a reload the tab has the token, another tab has not.
    await one.page.reload()
    await chat().getByText('204.', { exact: true }).waitFor()
    expect(await dialog().count()).toBe(0)
    const other = await studio.open(one.page.url())
    await other.page.getByRole('dialog', { name: /requires a token/ }).waitFor()
    expect(await other.page.getByText('204.', { exact: true }).count()).toBe(0)
    await other.page.getByLabel('Token', { exact: true }).fill(TOKEN)
    await other.page.keyboard.press('Enter')
    await other.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    await other.page.close()
  })

  test('does not read a token from the address', async () => {
    await one.page.goto(`${addressOf(guarded)}&token=${TOKEN}#token=${TOKEN}`)
    await tokenField().waitFor()
    expect(await one.page.evaluate(() => Object.keys(sessionStorage))).toEqual([])
  })

  test('gets the token with every request: images, files, uploads, lists; and no other server gets it', async () => {
    const shown: { readonly url: string; readonly authorization: string | undefined }[] = []
    one.page.on('request', (request) => {
      const { authorization } = request.headers()
      shown.push({ url: request.url(), authorization })
    })
    await one.page.goto(addressOf(guarded))
    await giveToken(TOKEN)
    await dialog().waitFor({ state: 'detached' })
    shown.length = 0
    await one.ask('/demo images')
    const image = chat().locator('.result-image img')
    await image.waitFor()
    expect(await image.getAttribute('src')).toMatch(/^blob:/)
    await expect
      .poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0)
    await one.waitFor('Ready')

    await one.ask('/demo files')
    const saving = one.page.waitForEvent('download')
    await one.page.getByLabel('Files').getByRole('link', { name: 'levels.csv' }).click()
    expect((await saving).suggestedFilename()).toBe('levels.csv')
    await one.page
      .getByLabel('Files')
      .getByText(/\d bytes$/)
      .waitFor()

    const file = { name: 'rye.txt', mimeType: 'text/plain', buffer: Buffer.from('rye') }
    await one.page.locator('.chat-foot input[type=file]').setInputFiles(file)
    await expect.poll(() => shown.some(({ url }) => url.endsWith('/agent/upload'))).toBe(true)

    await one.page.getByRole('link', { name: 'Sessions', exact: true }).click()
    const row = one.page.locator('.session', { hasText: '/demo images' })
    await row.getByText('2 runs').waitFor()
    await one.page.getByRole('link', { name: 'Timeline', exact: true }).click()

    const asked = shown.filter(({ url }) => url.startsWith(guarded.url))
    for (const part of ['/run', '/images/', '/files/', '/upload', '/sessions']) {
      expect(asked.some(({ url }) => url.includes(part))).toBe(true)
    }
    expect(asked.filter(({ authorization }) => authorization !== `Bearer ${TOKEN}`)).toEqual([])
    const others = shown.filter(({ url }) => !url.startsWith(guarded.url))
    expect(others.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })

  test('releases an image that is no longer shown', async () => {
    await one.page.goto(addressOf(guarded))
    await giveToken(TOKEN)
    await dialog().waitFor({ state: 'detached' })
    await one.ask('/demo images')
    const image = chat().locator('.result-image img')
    await image.waitFor()
    const source = (await image.getAttribute('src')) ?? ''
    await one.waitFor('Ready')
    await button('New chat').click()
    await image.waitFor({ state: 'detached' })
    const isGone = (): Promise<boolean> =>
      one.page.evaluate(
        (address) =>
          new Promise<boolean>((resolve) => {
            const probe = new Image()
            probe.addEventListener('load', () => resolve(false))
            probe.addEventListener('error', () => resolve(true))
            probe.src = address
          }),
        source,
      )
    await expect.poll(isGone).toBe(true)
    // The browser logs that it is missing.
    studio.complaints.length = 0
  })

  test('is selected in the header after a connection test, and its token can be removed', async () => {
    await button(/^Server/).click()
    await dialog().getByText('The server of this page').waitFor()
    expect(await findFaults(one.page, 'dialog')).toEqual([])
    const field = dialog().getByLabel('Go to another server')
    await field.fill('ftp://mill.example')
    await button('Check').click()
    await dialog().getByText('Use http or https instead of').waitFor()
    await field.fill(guarded.url)
    await button('Check').click()
    await dialog().getByText('It will ask for its token.').waitFor()
    await button('Use this server').click()
    await giveToken(TOKEN)
    await dialog().waitFor({ state: 'detached' })
    expect(new URL(one.page.url()).searchParams.get('server')).toBe(guarded.url)

    await button(/^Server/).click()
    await dialog().getByText('Millrace 9.8.7 · store available').waitFor()
    await button('Forget the token').click()
    await dialog().getByText('No token is stored.').waitFor()
    expect(await one.page.evaluate(() => Object.keys(sessionStorage))).toEqual([])
    await button('Close').click()
    await one.waitFor('No token')
    await chat().page().getByText('Nothing can be read or sent without it.').waitFor()
    await one.page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await one.page.locator('.sessions-pane').getByText('The server requires a token').waitFor()

    await button(/^Server/).click()
    await button('Back to this page’s own').click()
    await one.waitFor('Ready')
    expect(new URL(one.page.url()).searchParams.get('server')).toBeNull()
    await one.ask('/demo thinking')
    await chat().getByText('204.', { exact: true }).waitFor()
  })

  test('may be that of the page, with a token', async () => {
    await one.page.goto(guarded.url)
    await giveToken(TOKEN)
    await dialog().waitFor({ state: 'detached' })
    await one.ask('/demo images')
    const image = chat().locator('.result-image img')
    await image.waitFor()
    expect(await image.getAttribute('src')).toMatch(/^blob:/)
    await one.waitFor('Ready')
    await one.page.reload()
    await image.waitFor()
    // The server now requires another token.
    await one.page.evaluate(() => {
      for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, 'of-yesterday')
    })
    await one.page.reload()
    await dialog().getByText('The server no longer accepts the token of this tab.').waitFor()
    await giveToken(TOKEN)
    await image.waitFor()
    await one.waitFor('Ready')
  })

  test('with an invalid address is reported, and that of the page is used', async () => {
    await one.page.goto(`${studio.server.url}/?server=ftp://mill.example`)
    await one.page.locator('.chat-foot').getByText('instead of ftp://').waitFor()
    await one.waitFor('Ready')
  })

  test('that rejects pages of other origins is explained, with the required option', async () => {
    const option = `--allow-origin ${new URL(studio.server.url).origin}`
    await one.page.goto(addressOf(closed))
    await one.waitFor('No answer')
    await one.page.locator('.chat-foot').getByText(option).waitFor()
    await one.page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await one.page.locator('.sessions-pane').getByText(option).waitFor()
    await one.page.goto(studio.server.url)
    await button(/^Server/).click()
    await dialog().getByLabel('Go to another server').fill(closed.url)
    await button('Check').click()
    await dialog().getByText(option).waitFor()
    await one.page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })
})
