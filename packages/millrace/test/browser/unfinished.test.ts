import { describe, expect, test } from 'vitest'
import { left, one, withStudio } from '../support/browser/studio-tests.ts'

const agent = '0b0e7c3a-1111-4222-8333-444455556666'
const line = (type: string, delta: string, extras = {}) =>
  JSON.stringify({ type, agent, final: true, delta, ...extras })
const frames = [
  line('meta_init', JSON.stringify({ user_query: 'Grind.', agent_uuid: agent, run_id: 'r1' })),
  line('tool_call', '{"kilograms":20}', { id: 't1', name: 'grind' }),
]
const toStream = (lines: readonly string[]): string =>
  [...lines.map((data, index) => `id: ${index + 1}\ndata: ${data}\n\n`), 'data: [DONE]\n\n'].join(
    '',
  )

describe.skipIf(left)('incomplete content', () => {
  withStudio()

  test('of a run whose stream ends early is not shown as running', async () => {
    const stream = (lines: readonly string[]) => ({
      contentType: 'text/event-stream',
      body: toStream(lines),
    })
    await one.page.route('**/agent/run*', (route) => route.fulfill(stream(frames)))
    await one.page.route('**/agent/*/stream*', (route) => route.fulfill(stream([])))
    await one.page.route('**/agent/*/times*', (route) => route.fulfill({ json: { times: [] } }))
    await one.ask('Grind.')
    const card = one.page.locator('.card', { hasText: 'grind' })
    await card.getByText('Stopped').waitFor()
    expect(await card.getByText('Running…').count()).toBe(0)
    await one.waitFor('Ready')
  })

  test('is marked as interrupted, and arguments that are not JSON are shown as the model wrote them', async () => {
    const cut = { interrupted: true }
    const child = `${agent}.1`
    const init = { parent_agent_uuid: agent, parent_tool_use_id: 's1', user_query: 'Dig.' }
    const lines = [
      ...frames,
      line('tool_result', 'half of', { id: 't1', name: 'grind', ...cut }),
      line('tool_call', 'hello   {world}', { id: 't2', name: 'greet', ...cut }),
      line('tool_call', '{"task":"Dig."}', { id: 's1', name: 'spawn_subagent' }),
      line('meta_init', JSON.stringify(init), { agent: child }),
      line('text', 'I have', { agent: child, ...cut }),
      line('meta_end', '{"stop_reason":"error"}', { agent: child }),
      line('tool_result', 'I have', { id: 's1', name: 'spawn_subagent', ...cut }),
      line('text', 'The mill', { final: false }),
      line('text', '', cut),
      line('meta_end', '{"stop_reason":"error"}'),
    ]
    const { page } = one
    await page.route('**/agent/run*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: toStream(lines) }),
    )
    await page.route('**/agent/*/times*', (route) => route.fulfill({ json: { times: [] } }))
    await one.ask('Grind.')
    const stateOf = (text: string) =>
      page.locator('.card', { hasText: text }).locator('.tool-state')
    await stateOf('grind').filter({ hasText: 'Interrupted' }).waitFor()
    await stateOf('greet').filter({ hasText: 'Interrupted' }).waitFor()
    await stateOf('Dig.').filter({ hasText: 'Interrupted' }).first().waitFor()
    await page.locator('.row', { hasText: 'The mill' }).getByText('Interrupted').waitFor()
    expect(await page.locator('.card', { hasText: 'greet' }).locator('.payload').innerText()).toBe(
      'hello   {world}',
    )
  })

  test('of the prompt field is kept when a recording is closed', async () => {
    const { page } = one
    const prompt = page.getByLabel('Your message')
    await prompt.fill('How much flour do')
    await page.getByLabel('Files to attach').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('The wheel turns.'),
    })
    const attached = page.getByRole('list', { name: 'Attached files' })
    await attached.getByText('16 bytes').waitFor()
    await page
      .getByLabel('A recorded run')
      .first()
      .setInputFiles({
        name: 'mine.sse',
        mimeType: 'text/plain',
        buffer: Buffer.from(toStream(frames)),
      })
    await page.getByText('This is a recording: mine.sse').waitFor()
    expect(await prompt.count()).toBe(0)
    await page.getByRole('button', { name: 'Close the recording' }).click()
    await prompt.waitFor()
    expect(await prompt.inputValue()).toBe('How much flour do')
    await attached.getByText('16 bytes').waitFor()
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(false)
  })

  test('of a previous conversation is one step back in history', async () => {
    const { page, ask, waitFor } = one
    const conversation = page.locator('.chat-content')
    await ask('/demo thinking')
    await conversation.getByText('204.', { exact: true }).waitFor()
    await waitFor('Ready')
    await page.getByRole('button', { name: 'New chat' }).click()
    await ask('/demo frontend')
    await waitFor('Waiting')
    await page.goBack()
    await conversation.getByText('204.', { exact: true }).waitFor()
    await page.goForward()
    await waitFor('Waiting')
    await page.getByRole('button', { name: 'Yes' }).click()
    await waitFor('Ready')
  })

  test('of the prompt field is kept after a reload, in its conversation only', async () => {
    const { page, ask, waitFor } = one
    const prompt = page.getByLabel('Your message')
    await prompt.fill('How much flour do')
    await page.reload()
    await expect.poll(() => prompt.inputValue()).toBe('How much flour do')
    // A demo that is selected meanwhile begins the conversation, and the draft is kept.
    await page.locator('.welcome').getByRole('button').first().click()
    await page.locator('.run-footer').waitFor()
    await waitFor('Ready')
    await page.reload()
    await expect.poll(() => prompt.inputValue()).toBe('How much flour do')
    await page.getByRole('button', { name: 'New chat' }).click()
    await expect.poll(() => prompt.inputValue()).toBe('')
    await ask('/demo text')
    await waitFor('Ready')
    await page.reload()
    await waitFor('Ready')
    expect(await prompt.inputValue()).toBe('')
  })
})
