import type { Locator } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { defineFrontendTool } from '../../src/tools/define-tool.ts'
import { anything, call, text } from '../support/agents/agent-harness.ts'
import { createFamily } from '../support/agents/approving-family.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { createScriptedModel } from '../support/agents/scripted-model.ts'
import type { StudioPage } from '../support/browser/studio-browser.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

/** An agent that asks two questions at once, one of them by a tool without a form in Studio. */
function createAsker() {
  const questions = ['Publish it?', 'Tell everyone?'].map((question, index) =>
    call(`q${index}`, 'user_confirm', { question }),
  )
  const tools = ['user_confirm', 'measure'].map((name) =>
    defineFrontendTool({ name, description: '', input: anything }),
  )
  return createAgent({
    name: 'asker',
    model: createScriptedModel([
      { content: [...questions, call('m', 'measure', {})] },
      { content: [text('Thank you.')] },
    ]),
    tools,
  })
}

let server: TestServer
let commands: string[]

/** The card of the call that runs a command. */
const cardOf = ({ page }: StudioPage, command: string): Locator =>
  page.locator('.card:not(.agent-card)', { hasText: command })
const stateOf = (card: Locator): Locator => card.locator('.tool-state').first()
const approveIn = (card: Locator): Locator =>
  card.getByRole('button', { name: 'Approve', exact: true })
const questionOf = ({ page }: StudioPage, question: string): Locator =>
  page.locator('.question', { hasText: question })

/** Opens the page on the test server, with an agent. */
async function openOn(agent: string): Promise<void> {
  const address = new URL(studio.server.url)
  address.searchParams.set('server', server.url)
  await one.page.goto(address.href)
  await one.page.getByRole('combobox', { name: 'Agent', exact: true }).selectOption(agent)
}

describe.skipIf(left)('pending calls', () => {
  withStudio()

  beforeEach(async () => {
    commands = []
    server = await openTestServer({
      agents: { family: createFamily(commands), asker: createAsker() },
      allowedOrigins: [new URL(studio.server.url).origin],
    })
  })

  afterEach(async () => {
    await server.close()
    expect([server.errors, server.violations]).toEqual([[], []])
  })

  test('[CALL-1] of two sub-agents whose models assigned the same id run when they are approved, and only then', async () => {
    await openOn('family')
    await one.ask('Clean up.')
    await one.waitFor('Waiting for you')
    const two = await one.openTab()
    for (const tab of [one, two]) {
      await approveIn(cardOf(tab, 'rm -rf build')).waitFor()
      await approveIn(cardOf(tab, 'ls')).waitFor()
    }
    await approveIn(cardOf(one, 'ls')).click()
    const check = async (tab: StudioPage): Promise<void> => {
      // The lane of an agent that has ended is collapsed.
      const lane = tab.page.getByRole('button', { name: /the second task/ })
      await lane.filter({ hasText: 'Done' }).and(tab.page.locator('[aria-expanded=false]')).click()
      await cardOf(tab, 'ls').getByText('ran ls').waitFor()
      await approveIn(cardOf(tab, 'rm -rf build')).waitFor()
      expect(await stateOf(cardOf(tab, 'rm -rf build')).innerText()).toBe('Waiting for you')
      expect(await approveIn(cardOf(tab, 'ls')).count()).toBe(0)
    }
    await check(one)
    await check(two)
    expect(commands).toEqual(['ls'])
    await one.page.reload()
    await check(one)
    await approveIn(cardOf(one, 'rm -rf build')).click()
    for (const tab of [one, two]) await tab.page.getByText('Both are done.').waitFor()
    expect(commands).toEqual(['ls', 'rm -rf build'])
  })

  test('[CALL-3] with an answer that leaves others pending are shown in every tab, also after a reload', async () => {
    await openOn('asker')
    await one.ask('Go on.')
    await one.waitFor('Waiting for you')
    const two = await one.openTab()
    const second = questionOf(two, 'Tell everyone?').getByRole('button', { name: 'No' })
    await second.waitFor()
    await questionOf(one, 'Publish it?').getByRole('button', { name: 'Yes' }).click()
    await questionOf(one, 'Publish it?').getByText('You answered: yes').waitFor()
    const answered = 'Answered. The agent continues when all calls are answered.'
    await questionOf(two, 'Publish it?').getByText(answered).waitFor()
    expect(await questionOf(two, 'Publish it?').getByRole('button').count()).toBe(0)
    await one.page.reload()
    await questionOf(one, 'Publish it?').getByText(answered).waitFor()
    // The cards of tools show it too.
    const measure = (tab: StudioPage): Locator => tab.page.locator('.card', { hasText: 'measure' })
    await measure(two)
      .getByLabel(/^This tool runs in the browser/)
      .fill('3 m')
    await measure(two).getByRole('button', { name: 'Send result' }).click()
    for (const tab of [one, two]) {
      await stateOf(measure(tab)).filter({ hasText: 'Answered' }).waitFor()
      await tab.waitFor('Waiting for you')
    }
    await second.click()
    for (const tab of [one, two]) {
      await tab.page.getByText('Thank you.').waitFor()
      await questionOf(tab, 'Publish it?').getByText('You answered: yes').waitFor()
      await questionOf(tab, 'Tell everyone?').getByText('You answered: no').waitFor()
      await tab.waitFor('Ready')
    }
  })
})
