import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Agent } from '../src/agent/port/index.ts'
import { createHandler } from '../src/server/handler.ts'
import { createMemoryStore } from '../src/stores/memory/memory-store.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
const guide = readFileSync(join(root, 'docs/agent.md'), 'utf8')
const codes = [...guide.matchAll(/^```ts run\n(.*?)^```$/gms)].map(([, code = '']) => code)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(name: string, code = '') {
  const file = join(folder, name)
  writeFileSync(file, code)
  return import(file)
}

test('the first example of the guide runs a tool, answers and continues', async () => {
  const { seen, next, ...result } = await run('grind.ts', codes[0])
  expect(result).toMatchObject({
    finalAnswer: 'They make 16 kg of flour.',
    stopReason: 'end_turn',
    steps: 2,
    cost: { modelId: 'claude-sonnet-5' },
  })
  expect(seen.join('')).toBe(
    '{"kilograms":20}[grind started][grind progress][grind succeeded]They make 16 kg of flour.',
  )
  expect(next).toMatchObject({ finalAnswer: 'They make 16 kg of flour.', steps: 2 })
  expect(next.state.messages).toHaveLength(8)
})

test('the guide chooses the tool of each step', async () => {
  const { model, result } = await run('choice.ts', codes[1])
  expect(result).toMatchObject({ finalAnswer: 'It is on its way.', steps: 2 })
  expect(model.requests.map(({ toolChoice }: { toolChoice?: unknown }) => toolChoice)).toEqual([
    { tool: 'find_order' },
    'none',
  ])
})

test('the guide ends a run after the results of a step', async () => {
  const { model, result } = await run('stop.ts', codes[2])
  expect(result).toMatchObject({ stopReason: 'stop_condition', steps: 1 })
  expect(model.requests).toHaveLength(1)
})

test('the guide prepares and observes steps', async () => {
  const { result, log } = await run('hooks.ts', codes[3])
  expect(result).toMatchObject({ finalAnswer: 'The level is 2 m.', steps: 2 })
  expect(log).toEqual(['measure {"mill":"north"}', 'step 1: 1 results', 'step 2: 0 results'])
})

test('the guide pauses for the browser and resumes from a stored state', async () => {
  const { paused, done } = await run('pause.ts', codes[4])
  expect(paused.stopReason).toBe('awaiting_frontend_tools')
  expect(done).toMatchObject({ stopReason: 'end_turn', steps: 2 })
  expect(done.finalAnswer).toContain('**Sent.**')
})

test('the guide approves a call with other arguments', async () => {
  const { paused, done, sent } = await run('approval.ts', codes[5])
  expect(paused.stopReason).toBe('awaiting_approval')
  expect(sent).toEqual([['council@mill.test']])
  expect(done.finalAnswer).toMatch(/^The tool said: The user changed the arguments.*Published\.$/s)
})

test('the guide reads a structured output that was repaired', async () => {
  const { result, order } = await run('output.ts', codes[6])
  expect(result).toMatchObject({ stopReason: 'end_turn', steps: 2 })
  expect(order).toEqual({ id: '7', pieces: 2 })
})

test('the guide serves a custom agent, which has a history', async () => {
  const { echo } = (await run('echo.ts', codes[7])) as { echo: Agent }
  const options = { agents: { echo }, defaultAgent: 'echo', store: createMemoryStore() }
  const handler = createHandler(options)
  const send = async (path: string, init?: RequestInit) =>
    (await handler.fetch(new Request(`http://localhost/agent/${path}`, init))).text()
  const agent_uuid = '00000000-0000-4000-8000-000000000000'
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ agent_uuid, user_prompt: 'rye' })
  expect(await send('run', { method: 'POST', headers, body })).toContain('You said rye')
  expect(JSON.parse(await send(`${agent_uuid}/conversations`))).toMatchObject({
    conversations: [{ user_message: 'rye', final_response: 'You said rye' }],
  })
  await handler.close()
})

test('the guide tests an agent with a script', async () => {
  const { model, result } = await run('testing.ts', codes[8])
  expect(result).toMatchObject({ finalAnswer: 'They make 16 kg.', steps: 2 })
  expect(model.requests).toHaveLength(3)
})

test('the guide lists every option of an agent with its default', () => {
  const source = readFileSync(join(root, 'packages/millrace/src/agent/create-agent.ts'), 'utf8')
  const [, body = ''] =
    /^export interface AgentOptions(?:<[^{]*>)? \{\n(.*?)^\}$/ms.exec(source) ?? []
  const options = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name)
  const [, table = ''] = /^## Options\n(.*?)^## /ms.exec(guide) ?? []
  const rows = [...table.matchAll(/^\| (`.*?)\s*\| (.*?)\s*\|/gm)].flatMap(([, names, value]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => ({ name, value: value! })),
  )
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(options))
  for (const { name, value } of rows.filter(({ value }) => /^\d/.test(value))) {
    const figure = new RegExp(`^ {2}${name} = ([\\d_]+),$`, 'm').exec(source)?.[1]
    expect(`${name} ${Number(figure?.replaceAll('_', ''))}`).toBe(
      `${name} ${Number(value.replaceAll(',', ''))}`,
    )
  }
})

test('the guide lists every event of an agent and every stage of a call', () => {
  const source = readFileSync(join(root, 'packages/millrace/src/events/agent-event.ts'), 'utf8')
  const types = [...source.matchAll(/(?<=readonly type: .*'|Emitted<')\w+(?=')/g)].map(
    ([type]) => type,
  )
  const [, stages = ''] = /^export type ToolStage =\n((?: {2}\| '\w+'\n)+)/m.exec(source) ?? []
  const names = [...types, ...[...stages.matchAll(/'(\w+)'/g)].map(([, stage]) => stage)]
  expect(names.length).toBeGreaterThan(15)
  const [, table = ''] = /^## Events\n(.*?)^## /ms.exec(guide) ?? []
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([])
})
