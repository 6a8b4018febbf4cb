import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

const guide = readFileSync(join(root, 'docs/segments.md'), 'utf8')
const codes = [...guide.matchAll(/^```ts run\n(.*?)^```$/gms)].map(([, code = '']) => code)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The example that holds a text. */
function codeWith(text: string): string {
  return codes.find((code) => code.includes(text)) ?? ''
}

function run(name: string, code: string) {
  const file = join(folder, name)
  writeFileSync(file, code)
  return import(file)
}

test('the guide adds a format in about twenty lines, and its code works as described', async () => {
  const code = codeWith('const chevrons')
  const definition = /^const chevrons.*?^\}\)$/ms.exec(code)?.[0] ?? ''
  expect(definition.split('\n').length).toBeLessThanOrEqual(20)
  const { invocations, events } = await run('guide.ts', code)
  expect(invocations).toEqual([
    { id: 'seg_2', name: 'search', arguments: { query: 'a <</arg>> in data' } },
  ])
  const text = events
    .filter((event: { segment_id: string }) => event.segment_id !== 'seg_2')
    .map((event: { payload: { delta?: string } }) => event.payload.delta ?? '')
  expect(text.join('')).toBe('Sure.  Done.')
})

test('the guide reads a format that no data can describe with a body in code', async () => {
  const { invocations } = await run('custom.ts', codeWith('const hereDocument'))
  expect(invocations).toEqual([
    { id: 'seg_2', name: 'run_bash', arguments: { command: 'cat <<END\nflour\nEND' } },
  ])
})

test('the guide reports a call in code', async () => {
  const { hidden } = await run('hidden.ts', codeWith('onHiddenCall'))
  expect(hidden).toEqual([{ name: 'run_bash', reason: 'fence' }])
})

test('the guide gives tools their own parsing states', async () => {
  const { invocations, events } = await run('states.ts', codeWith('states:'))
  expect(invocations).toEqual([
    { id: 'seg_1', name: 'run_sql', arguments: { query: "select '</arg></tool>';\n" } },
  ])
  expect(events.at(-1)).toEqual({ type: 'SEGMENT_END', segment_id: 'seg_2', payload: {} })
})

test('the guide reproduces the events of the streaming parser design', async () => {
  const { invocations, events } = await run('seed.ts', codeWith("compatibility: 'seed-004'"))
  expect(invocations).toEqual([
    { id: 'seg_2', name: 'write_file', arguments: { path: '/a.py', content: "print('hi')" } },
  ])
  const payloads = events.map(({ payload }: { payload: object }) => payload)
  expect(payloads).toEqual([
    { metadata: {} },
    { delta: 'Hello ' },
    {},
    { metadata: { path: '/a.py' } },
    { delta: "print('hi')" },
    {},
  ])
})
