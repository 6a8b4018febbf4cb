import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterEach, expect, test } from 'vitest'
import { callMounted } from '../../test/support/mcp/call-mounted.ts'
import { createFixtureServer } from '../../test/support/mcp/fixture-server.ts'
import { type HttpFixture, startHttp, startSse } from '../../test/support/mcp/http-server.ts'
import { type McpMount, mountMcp } from './mount-mcp.ts'
import type { McpServer } from './mcp-server.ts'

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(open: Promise<HttpFixture>): Promise<HttpFixture> {
  const fixture = await open
  closing.push(() => fixture.stop())
  return fixture
}

async function mount(server: McpServer): Promise<McpMount> {
  const mounted = await mountMcp(server)
  closing.push(() => mounted.close())
  return mounted
}

test('a streamable HTTP server lists tools, answers, reports progress and is cancelled', async () => {
  const fixture = await start(startHttp())
  const headers = { authorization: 'Bearer grain' }
  const mounted = await mount({ name: 'far', url: fixture.url, headers })
  expect(mounted.tools).toHaveLength(12)
  expect([...fixture.authorizations]).toEqual(['Bearer grain'])
  expect(await callMounted(mounted, 'far__echo', { message: 'hi' })).toMatchObject({ text: 'hi' })
  const controller = new AbortController()
  const reported: string[] = []
  const progress = (message: string) => {
    if (reported.push(message) === 2) controller.abort()
  }
  const call = callMounted(mounted, 'far__slow', {}, { signal: controller.signal, progress })
  expect((await call).isError).toBe(true)
  expect(reported).toEqual(['grinding (1 of 2)', 'grinding (2 of 2)'])
  await expect.poll(async () => (await callMounted(mounted, 'far__cancelled')).text).toBe('1')
})

test('close ends the session on the server', async () => {
  const fixture = await start(startHttp())
  const mounted = await mount({ name: 'far', url: new URL(fixture.url) })
  expect(fixture.sessions()).toBe(1)
  await mounted.close()
  expect(fixture.sessions()).toBe(0)
})

test('a server that disappears fails its open calls, and is reconnected when it is back', async () => {
  const fixture = await start(startHttp())
  const mounted = await mount({ name: 'far', url: fixture.url })
  let stopped: Promise<void> | undefined
  const progress = () => {
    stopped ??= fixture.stop()
  }
  expect(await callMounted(mounted, 'far__slow', {}, { progress })).toMatchObject({
    isError: true,
    text: 'The MCP server "far" disconnected during the call; its outcome is unknown.',
  })
  await stopped
  expect(await callMounted(mounted, 'far__echo', { message: 'hi' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^The MCP server "far" could not be reached: .*ECONNREFUSED/),
  })
  await start(startHttp(fixture.port))
  expect(await callMounted(mounted, 'far__echo', { message: 'hi' })).toMatchObject({ text: 'hi' })
})

test('a server that was restarted between two calls answers the second, also without idempotency', async () => {
  const fixture = await start(startHttp())
  const mounted = await mount({ name: 'far', url: fixture.url })
  await fixture.stop()
  const again = await start(startHttp(fixture.port))
  const answers = await Promise.all(
    ['far__echo', 'far__media'].map((name) => callMounted(mounted, name, { message: 'hi' })),
  )
  expect(answers.map(({ isError }) => isError)).toEqual([false, false])
  expect(again.sessions()).toBe(1)
})

test('an older server is connected by SSE', async () => {
  const fixture = await start(startSse())
  const mounted = await mount({ name: 'old', url: fixture.url })
  expect(await callMounted(mounted, 'old__echo', { message: 'hi' })).toMatchObject({ text: 'hi' })
  expect(mounted.tools).toHaveLength(12)
})

test('an unreachable and an invalid address are rejected with a reason', async () => {
  const fixture = await start(startHttp())
  await fixture.stop()
  await expect(mount({ name: 'far', url: fixture.url })).rejects.toMatchObject({
    code: 'connection_lost',
    message: expect.stringContaining('ECONNREFUSED'),
  })
  await expect(mount({ name: 'far', url: 'nowhere' })).rejects.toMatchObject({
    code: 'bad_request',
  })
})

test('a custom transport function is called again after a connection failure', async () => {
  let made = 0
  let cut: () => Promise<void> = async () => {}
  const mounted = await mount({
    name: 'near',
    transport: async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      made++
      cut = () => theirs.close()
      await createFixtureServer({ onDeath: () => void cut() }).connect(theirs)
      return ours
    },
  })
  expect((await callMounted(mounted, 'near__die')).text).toContain('disconnected during')
  expect(await callMounted(mounted, 'near__echo', { message: 'hi' })).toMatchObject({ text: 'hi' })
  await cut()
  expect(await callMounted(mounted, 'near__echo', { message: 'hi' })).toMatchObject({ text: 'hi' })
  expect(made).toBe(3)
})

test('a custom transport object is used once; a mount supports `await using`', async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const server = createFixtureServer({ onDeath: () => {} })
  await server.connect(theirs)
  const mounted = await mountMcp({ name: 'near', transport: ours })
  expect(await callMounted(mounted, 'near__echo', { message: 'hi' })).toMatchObject({ text: 'hi' })
  await mounted[Symbol.asyncDispose]()
  expect(server.transport).toBeUndefined()
})
