import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser/chromium.ts'
import { findBlanks } from '../support/browser/find-blanks.ts'
import {
  begin,
  call,
  end,
  openScriptedStudio,
  say,
  type ScriptedMessage,
  type ScriptedStudio,
} from '../support/browser/scripted-studio.ts'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'

let studio: ScriptedStudio
let page: Page

/** The envelope that starts the run of a sub-agent, under a call of its parent. */
function spawn(
  agent: string,
  parent: string | undefined,
  task: string,
): readonly ScriptedMessage[] {
  const spawned = { task, agent_name: agent }
  const owner = parent === undefined ? {} : { agent: parent }
  const meta = {
    format: 'json',
    user_query: task,
    name: agent,
    parent_agent_uuid: parent ?? studioAgent,
    parent_tool_use_id: `spawn_${agent}`,
  }
  return [
    {
      ...owner,
      type: 'tool_call',
      id: `spawn_${agent}`,
      name: 'spawn_subagent',
      delta: JSON.stringify(spawned),
    },
    { type: 'meta_init', agent, delta: JSON.stringify(meta) },
  ]
}

const studioAgent = '3f2c1a9e-5b7d-4c68-9a01-2d4e6f8a0b1c'

const of = (agent: string, messages: readonly ScriptedMessage[]): readonly ScriptedMessage[] =>
  messages.map((message) => ({ ...message, agent }))

const chat = (): Locator => page.locator('.chat-content')

const lane = (name: string): Locator =>
  page.locator('.agent-card', {
    has: page.locator(':scope > header .tool-name', { hasText: new RegExp(`^${name}$`) }),
  })

describe.skipIf(left)('lanes of sub-agents', () => {
  beforeAll(async () => {
    studio = await openScriptedStudio()
  })

  afterEach(async () => {
    await page.context().close()
    expect(studio.complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await studio?.close()
  })

  test('are filled within the animation frame of a jump into long ones', async () => {
    const calls = (name: string, count: number): readonly ScriptedMessage[] =>
      Array.from({ length: count }, (_, at) => `${name}_${at}`).flatMap((id) =>
        call(id, 'look', { at: id }, `Seen ${id}\n${'and more. '.repeat(id.length * 9)}`),
      )
    page = await studio.open([
      begin('Look around'),
      ...calls('before', 80),
      ...spawn('one', undefined, 'Task one'),
      ...of('one', calls('one', 120)),
      ...spawn('two', 'one', 'Task two'),
      ...of('two', calls('two', 200)),
      ...of('one', calls('again', 60)),
      ...calls('after', 80),
      ...say('All looked.'),
    ])
    await chat().getByText('All looked.').waitFor()
    const parts = [0.5, 0.1, 0.62, 0.35, 0.97, 0, 0.45, 0.55, 0.8, 0.2, 1]
    expect(await findBlanks(page, parts)).toEqual([])
  })

  test('are nested four deep and side by side, and each keeps its own text', async () => {
    page = await studio.open([
      begin('Ask around'),
      ...spawn('one', undefined, 'Task one'),
      ...spawn('other', undefined, 'Task other'),
      ...of('other', say('Other says A.')),
      ...spawn('two', 'one', 'Task two'),
      ...spawn('three', 'two', 'Task three'),
      ...of('three', say('Three speaks.')),
      ...of('other', call('o', 'look', {}, 'Other looked.')),
      ...of('one', say('One waits.')),
      ...of('other', say('Other says B.')),
    ])
    await lane('one')
      .locator(lane('two'))
      .locator(lane('three'))
      .getByText('Three speaks.')
      .waitFor()
    await lane('one').getByText('One waits.').waitFor()
    expect(await lane('one').getByText('Other says').count()).toBe(0)
    expect(await lane('other').locator('.text').allInnerTexts()).toEqual([
      'Other says A.',
      'Other says B.',
    ])
    await lane('two').getByRole('button', { name: /^two/ }).click()
    await chat().getByText('Three speaks.').waitFor({ state: 'detached' })
    await lane('one').getByText('One waits.').waitFor()
  })

  test('may have any length: only the visible part is drawn', async () => {
    const work = Array.from({ length: 2_000 }, (_, index) => [
      ...of('one', call(`a${index}`, 'look', { index }, `One saw ${index}.`)),
      ...of('other', say(`Other says ${index}.\n\nAnd thinks.`)),
      ...of('other', [{ type: 'thinking', delta: 'Hm.' }]),
    ]).flat()
    page = await studio.open([
      begin('Ask around'),
      ...spawn('one', undefined, 'Task one'),
      ...spawn('other', undefined, 'Task other'),
      ...work,
    ])
    await lane('other').getByText('Other says 1999.').waitFor()
    const scrollTo = (part: number) =>
      page.evaluate((to) => {
        const scroll = document.querySelector('.chat-scroll')
        if (scroll) scroll.scrollTop = to * scroll.scrollHeight
      }, part)
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
    expect(await nodes()).toBeLessThan(3_000)
    await scrollTo(0)
    await lane('one').getByText('One saw 0.').first().waitFor()
    expect(await nodes()).toBeLessThan(3_000)
    await scrollTo(0.3)
    await lane('one')
      .getByText(/One saw [1-9]\d\d+\./)
      .first()
      .waitFor()
    expect(await nodes()).toBeLessThan(3_000)
  })

  test('show their figures below: by step, by agent and for the entire run', async () => {
    const step = (number: number, cost: number): ScriptedMessage => ({
      type: 'meta_step',
      delta: JSON.stringify({
        step: number,
        stop_reason: 'tool_use',
        usage: { input_tokens: 100 * number, output_tokens: 7 },
        cost: { total_cost: cost },
      }),
    })
    page = await studio.open([
      begin('Ask around'),
      ...say('I look.'),
      ...call('look', 'look', {}, 'Seen.'),
      step(1, 0.0021),
      ...spawn('one', undefined, 'Task one'),
      ...of('one', [...say('Done.'), step(1, 0.5), end({ cost: { total_cost: 0.5 } })]),
      { type: 'tool_result', id: 'spawn_one', name: 'spawn_subagent', delta: 'Done.' },
      step(2, 0.001),
      ...say('All is well.'),
      step(3, 0.001),
      end({ total_steps: 3, cost: { total_cost: 1.2345 } }),
    ])
    await chat().getByText('Step 1 · 100 tokens in, 7 out · $0.0021').waitFor()
    await chat().getByText('Step 2 · 200 tokens in, 7 out · $0.001').waitFor()
    expect(
      await chat()
        .getByText(/^Step 3/)
        .count(),
    ).toBe(0)
    await chat().getByText('Done · 3 steps · 10 tokens in, 20 out · $1.23 · scripted').waitFor()
    await lane('one').getByRole('button', { name: /^one/ }).click()
    await lane('one').getByText('Done · 1 step · 10 tokens in, 20 out · $0.50').waitFor()
  })
})

describe.skipIf(left)('changes by tools', () => {
  beforeAll(async () => {
    studio = await openScriptedStudio()
  })

  afterEach(async () => {
    await page.context().close()
    expect(studio.complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await studio?.close()
  })

  test('are shown as a diff with line numbers, and collapse', async () => {
    const patch = [
      '--- a/src/wheel.ts',
      '+++ b/src/wheel.ts',
      '@@ -10,4 +10,5 @@ export function turn() {',
      ' const speed = 4',
      '-const flow = 1',
      '+const flow = 2',
      '+const fall = 3',
      ' return speed * flow',
      '',
    ].join('\n')
    page = await studio.open([
      begin('Change it'),
      ...call(
        'p',
        'patch_file',
        { path: 'src/wheel.ts', patch },
        'Patched src/wheel.ts: 1 hunk, +2 -1 lines.',
      ),
      ...call(
        'e',
        'edit',
        { path: 'notes.md', old_string: 'a\nb\n', new_string: 'a\nc\n' },
        'Edited.',
      ),
      ...call('d', 'run_bash', { command: 'git diff' }, patch),
      end(),
    ])
    const diff = page.locator('.diff', { hasText: 'src/wheel.ts' }).first()
    await diff.locator('tr[data-kind=add]', { hasText: 'const fall = 3' }).waitFor()
    expect(await diff.locator('tr[data-kind=add] .diff-number').allInnerTexts()).toEqual([
      '',
      '11',
      '',
      '12',
    ])
    await diff.getByText('+2').waitFor()
    expect(await page.locator('.diff').count()).toBe(3)
    await diff.locator('summary').click()
    await diff.getByText('const fall = 3').waitFor({ state: 'hidden' })
  })
})
