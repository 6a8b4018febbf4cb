import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFaults } from '../support/browser/axe.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

/** A server with two agents, `demo` and `custom`. */
let server: TestServer

const picker = (): Locator => one.page.getByRole('combobox', { name: 'Agent', exact: true })

/** Returns the agent of the page's conversation. */
async function agentAsked(): Promise<unknown> {
  const id = new URL(one.page.url()).searchParams.get('session') ?? ''
  const response = await fetch(`${server.url}/agent/${id}`)
  return ((await response.json()) as { agent_type?: unknown }).agent_type
}

describe.skipIf(left)('a server with several agents', () => {
  withStudio()

  beforeAll(async () => {
    server = await openTestServer({ allowedOrigins: [new URL(studio.server.url).origin] })
  })

  afterAll(async () => {
    await server?.close()
  })

  const openServerPage = async (): Promise<void> => {
    const address = new URL(studio.server.url)
    address.searchParams.set('server', server.url)
    await one.page.goto(address.href)
    await picker().waitFor()
  }

  test('sends a prompt to the selected agent, with the keyboard alone', async () => {
    await openServerPage()
    expect(await picker().inputValue()).toBe('demo')
    expect(await findFaults(one.page, '.composer')).toEqual([])
    await picker().focus()
    await one.page.keyboard.press('ArrowDown')
    await expect.poll(() => picker().inputValue()).toBe('custom')
    // The demos belong to the demo agent.
    await one.page.getByText('The agent here is custom.').waitFor()
    await one.ask('/demo text')
    await one.page.locator('.run-footer').waitFor()
    expect(await agentAsked()).toBe('custom')
    // A conversation keeps its first agent.
    expect(await picker().count()).toBe(0)
    await one.page.reload()
    await one.page.locator('.run-footer').waitFor()
    expect(await picker().count()).toBe(0)
    await one.ask('/demo text')
    await one.page.locator('.run-footer').nth(1).waitFor()
    expect(await agentAsked()).toBe('custom')
  })

  test('uses its default agent without a selection', async () => {
    await openServerPage()
    await one.ask('/demo text')
    await one.page.locator('.run-footer').waitFor()
    expect(await agentAsked()).toBe('demo')
  })

  test('shows no selection if there is only one', async () => {
    await one.page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
    await one.page.getByText('/demo').first().waitFor()
    expect(await picker().count()).toBe(0)
  })
})
