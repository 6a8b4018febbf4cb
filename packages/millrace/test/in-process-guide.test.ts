import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import type { Model } from '../src/events/index.ts'
import type { Millrace } from '../src/server/in-process/create-millrace.ts'
import { call, text } from './support/agents/agent-harness.ts'
import { createScriptedModel } from './support/agents/scripted-model.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// Inside the package, so that the example resolves its dependencies.
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
const guide = readFileSync(join(root, 'docs/in-process.md'), 'utf8')
const [, code = ''] = /^```ts run\n(.*?)^```$/ms.exec(guide) ?? []
writeFileSync(join(folder, 'mill.ts'), code)
const { openMill, remindOf } = (await import(join(folder, 'mill.ts'))) as {
  openMill(model: Model): Millrace
  remindOf(mill: Millrace, invoice: string): Promise<string>
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the worker of the guide approves the call of its run, once however often it is repeated', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const input = { invoice: '7', text: 'Please pay.' }
  const model = createScriptedModel([
    { content: [call('c1', 'send_reminder', input)] },
    { content: [text('I have reminded them.')] },
  ])
  const mill = openMill(model)
  const reminded = 'done: I have reminded them.'
  expect(await remindOf(mill, '7')).toBe(reminded)
  expect(log.mock.calls).toEqual([['Approved:', input]])
  expect(model.requests).toHaveLength(2)
  await mill.sessions.start('Remind them of invoice 7.', { key: 'reminder-7' })
  expect(model.requests).toHaveLength(2)
  await mill.close()
  log.mockRestore()
})

test('the guide lists every command and every member of a handle', () => {
  const source = (name: string) =>
    readFileSync(join(root, 'packages/millrace/src/server/in-process', name), 'utf8')
  const membersOf = (name: string, type: string) => {
    const [, body = ''] =
      new RegExp(`^export interface ${type}[^{]*\\{\\n(.*?)^\\}$`, 'ms').exec(source(name)) ?? []
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(?:]/gm)].map(([, member = '']) => member)
  }
  const commands = membersOf('sessions.ts', 'Sessions')
  const members = membersOf('run-handle.ts', 'RunHandle')
  expect([commands.length, members.length]).toEqual([16, 8])
  for (const name of commands) expect(guide).toContain(`\`${name}(`)
  for (const name of members) expect(guide).toMatch(new RegExp(`^\\| \`${name}`, 'm'))
})
