import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { callMounted } from '../../test/support/mcp/call-mounted.ts'
import { countRunning, untilNoneRuns } from '../../test/support/processes/processes.ts'
import { type McpMount, mountMcp } from './mount-mcp.ts'
import type { McpOptions } from './mcp-options.ts'

const script = fileURLToPath(new URL('../../test/support/mcp/hostile-server.mjs', import.meta.url))
const mounts: McpMount[] = []

async function mount(mode: string, options: McpOptions = {}, mark = '0'): Promise<McpMount> {
  const server = { name: 'foe', command: process.execPath, args: [script, mode, mark] }
  const mounted = await mountMcp(server, { connectTimeoutMs: 15_000, ...options })
  mounts.push(mounted)
  return mounted
}

afterEach(async () => {
  await Promise.all(mounts.splice(0).map((mounted) => mounted.close()))
})

const namesOf = ({ tools }: McpMount): string[] => tools.map(({ schema }) => schema.name)

describe('rejects a process with a reason', () => {
  test.each([
    ['cursor loop', {}, /does not end/],
    ['endless cursors', {}, /does not end/],
    ['too many tools', {}, /does not end|more than 128 tools/],
    ['too many tools', { allow: ['t1'] }, /does not end/],
    ['huge list', {}, /sent a message of more than 33554432 bytes/],
    ['half a line', { maxMessageBytes: 1_000_000 }, /sent a message of more than 1000000 bytes/],
    ['no JSON', {}, /more than 10000 unrequested messages/],
    ['empty lines', {}, /more than 10000 unrequested messages/],
    ['never answers initialize', { connectTimeoutMs: 500 }, /timed out/],
    ['never lists', { connectTimeoutMs: 500 }, /longer than 500 ms|timed out/],
  ])('%s %o', async (mode, options, reason) => {
    await expect(mount(mode, options)).rejects.toThrow(reason)
  })
})

describe('a process with an invalid tool list is mounted with the usable tools', () => {
  test('none if there is no list', async () => {
    expect(namesOf(await mount('no list'))).toEqual([])
  })

  test('only tools with a name, a bounded schema and no references to other documents', async () => {
    const mounted = await mount('odd entries')
    expect(namesOf(mounted)).toEqual(['foe__ok', 'foe__run_bash', 'foe__remote', 'foe__wrong'])
    expect(JSON.stringify(mounted.tools)).not.toContain('10.0.0.1')
  })

  test('a bounded description', async () => {
    const { tools } = await mount('long description')
    expect(tools[0]?.schema.description).toHaveLength(10_000)
  })
})

describe('a call of a process', () => {
  test.each([
    ['long result', /^x{100000}\n\[… \d+ more characters omitted\]$/],
    ['many parts', /more characters omitted/],
    ['odd result', /^7$/],
    ['unknown ids', /^fine$/],
    ['duplicate answers', /^fine$/],
    ['progress flood', /^fine$/],
    ['list storm', /^fine$/],
    ['asks the client', /^fine$/],
    ['endless stderr', /^fine$/],
    ['huge result', /closed: it sent a message of more than 33554432 bytes/],
    ['notification flood', /closed: it sent more than 10000 unrequested messages in a minute/],
    ['exits in a call', /disconnected during the call/],
    ['never answers calls', /timed out|within 1000 ms/],
  ])('that ends with %s has a bounded result', async (mode, text) => {
    const mounted = await mount(mode, mode === 'never answers calls' ? { timeoutMs: 1000 } : {})
    const reported: string[] = []
    const progress = (message: string) => void reported.push(message)
    expect((await callMounted(mounted, 'foe__ok', {}, { progress })).text).toMatch(text)
    expect(reported.length).toBeLessThanOrEqual(1000)
    expect(Math.max(0, ...reported.map(({ length }) => length))).toBeLessThan(600)
  })

  test('succeeds after a flood, because it restarts the server', async () => {
    const mounted = await mount('huge result')
    const first = await callMounted(mounted, 'foe__ok')
    const second = await callMounted(mounted, 'foe__ok')
    for (const { text } of [first, second]) expect(text).toContain('more than 33554432 bytes')
  })

  test('that fails contains neither markup nor hidden characters, and not a whole page', async () => {
    const { text, isError } = await callMounted(await mount('error page'), 'foe__ok')
    expect(isError).toBe(true)
    expect(text).not.toMatch(/[<>\u202e]|steal/)
    expect(text).toContain('Failed')
    expect(text.length).toBeLessThan(600)
  })

  test('needs approval even if its tool is annotated as read-only', async () => {
    const { tools } = await mount('rug pull')
    expect(await tools[0]?.needsApproval({})).toBe(true)
  })

  test('is rejected for a tool that has changed since it was offered, and accepted for the new one', async () => {
    let hear = (): void => {}
    const heard = new Promise<void>((resolve) => (hear = resolve))
    const mounted = await mount('rug pull', { onToolsChanged: () => hear() })
    const offered = { ...mounted, tools: mounted.tools }
    expect((await callMounted(offered, 'foe__ok')).text).toBe('fine')
    expect(await callMounted(offered, 'foe__ok')).toMatchObject({
      isError: true,
      text: expect.stringContaining('has changed the description or the schema'),
    })
    await heard
    expect((await callMounted(mounted, 'foe__ok')).text).toBe('fine')
  })

  test('is accepted if tools are not pinned', async () => {
    const mounted = await mount('rug pull', { pinTools: false })
    const offered = { ...mounted, tools: mounted.tools }
    const first = await callMounted(offered, 'foe__ok')
    const second = await callMounted(offered, 'foe__ok')
    expect([first.text, second.text]).toEqual(['fine', 'fine'])
  })
})

test('close ends a process that ignores it, and its children', async () => {
  const mark = '30004801'
  const mounted = await mount('grandchild', {}, mark)
  await expect.poll(() => countRunning(`sleep ${mark}`)).toBeGreaterThan(0)
  await mounted.close()
  expect(await untilNoneRuns(mark)).toBe(0)
})
