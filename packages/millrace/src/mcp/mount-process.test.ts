import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { callMounted } from '../../test/support/mcp/call-mounted.ts'
import { type McpMount, mountMcp } from './mount-mcp.ts'
import type { McpOptions } from './mcp-options.ts'
import type { McpProcess } from './mcp-server.ts'

const script = fileURLToPath(new URL('../../test/support/mcp/stdio-server.ts', import.meta.url))
const fixture: McpProcess = {
  name: 'mill',
  command: process.execPath,
  args: ['--import', import.meta.resolve('tsx'), script],
}

const mounts: McpMount[] = []

async function mount(options: McpOptions = {}, server: McpProcess = fixture): Promise<McpMount> {
  const mounted = await mountMcp(server, options)
  mounts.push(mounted)
  return mounted
}

afterEach(async () => {
  await Promise.all(mounts.splice(0).map((mounted) => mounted.close()))
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a mounted process', () => {
  test('offers the tools of all pages with names that model APIs accept', async () => {
    const { tools } = await mount()
    expect(tools.map(({ schema }) => schema.name)).toEqual([
      'mill__echo',
      'mill__add_numbers_2',
      'mill__add_numbers',
      'mill__slow',
      'mill__cancelled',
      'mill__fail',
      'mill__throw',
      'mill__media',
      'mill__pid',
      'mill__die',
      'mill__long',
      'mill__grow',
    ])
    expect(tools[0]?.schema).toEqual({
      name: 'mill__echo',
      description: 'Does echo.',
      inputSchema: {
        type: 'object',
        properties: { message: { type: 'string' } },
        required: ['message'],
      },
    })
    const pid = tools.find(({ schema }) => schema.name === 'mill__pid')
    expect(pid?.schema.inputSchema).toEqual({ type: 'object', properties: {} })
  })

  test('reports progress, and is cancelled only during its call', async () => {
    const mounted = await mount()
    await callMounted(mounted, 'mill__echo', { message: '' })
    const controller = new AbortController()
    const reported: string[] = []
    const call = callMounted(
      mounted,
      'mill__slow',
      {},
      {
        signal: controller.signal,
        progress: (message) => {
          if (reported.push(message) === 2) controller.abort()
        },
      },
    )
    expect(await call).toMatchObject({ isError: true })
    expect(reported).toEqual(['grinding (1 of 2)', 'grinding (2 of 2)'])
    await expect.poll(async () => (await callMounted(mounted, 'mill__cancelled')).text).toBe('1')
  })

  test('is cancelled after its timeout', async () => {
    const mounted = await mount({ timeoutMs: 200 })
    expect(await callMounted(mounted, 'mill__slow')).toMatchObject({
      isError: true,
      text: expect.stringContaining('200 ms'),
    })
    await expect.poll(async () => (await callMounted(mounted, 'mill__cancelled')).text).toBe('1')
  })

  test('fails the call in which it crashes, and is restarted by the next', async () => {
    const mounted = await mount()
    const { text: pid } = await callMounted(mounted, 'mill__pid')
    const calls = [callMounted(mounted, 'mill__slow'), callMounted(mounted, 'mill__die')]
    for (const answer of await Promise.all(calls)) {
      expect(answer).toMatchObject({
        isError: true,
        text: 'The MCP server "mill" disconnected during the call; its outcome is unknown.',
      })
    }
    const answers = await Promise.all([1, 2].map(() => callMounted(mounted, 'mill__pid')))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.text).not.toBe(pid)
    expect(answers[0]?.isError).toBe(false)
  })

  test('leaves no process after close, and accepts no calls', async () => {
    const mounted = await mount()
    const pid = Number((await callMounted(mounted, 'mill__pid')).text)
    const open = callMounted(mounted, 'mill__slow')
    expect(isAlive(pid)).toBe(true)
    await mounted.close()
    expect(isAlive(pid)).toBe(false)
    expect((await open).isError).toBe(true)
    expect(await callMounted(mounted, 'mill__pid')).toMatchObject({
      isError: true,
      text: 'The MCP server "mill" was closed.',
    })
    await mounted.close()
  })
})

describe('a process that cannot be mounted', () => {
  test('reports its stderr', async () => {
    const written: string[] = []
    const broken = {
      ...fixture,
      args: [...(fixture.args ?? []), '--broken'],
      onStderr: (text: string) => void written.push(text),
    }
    await expect(mount({}, broken)).rejects.toThrow(
      /"mill" .* could not be started: [^]*the wheel is missing/,
    )
    expect(written.join('')).toContain('the mill is awake')
  })

  test('reports a missing command', async () => {
    const missing = { name: 'none', command: 'millrace-no-such-command' }
    await expect(mount({}, missing)).rejects.toMatchObject({
      code: 'connection_lost',
      message: expect.stringContaining('ENOENT'),
    })
  })

  test('is subject to the timeout', async () => {
    const silent = {
      name: 'silent',
      command: process.execPath,
      args: ['-e', 'process.stdin.resume()'],
    }
    await expect(mount({ connectTimeoutMs: 300 }, silent)).rejects.toThrow(/timed out/)
  })
})
