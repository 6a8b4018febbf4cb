import { afterEach, describe, expect, test } from 'vitest'
import { isMillraceError } from '../../src/errors/index.ts'
import { createRedisStore } from '../../src/stores/redis/index.ts'
import type { RedisLimits } from '../../src/stores/redis/redis-store-options.ts'
import type { HandlerLimits } from '../../src/server/handler-options.ts'
import {
  createTestServers,
  errorOf,
  pendingIds,
  slowPace,
  upTo,
} from '../support/servers/test-servers.ts'
import type { TestServerOptions } from '../support/servers/test-server.ts'
import { payloadOf, type ReadStream, readStream, typesOf } from '../support/frames/read-stream.ts'
import { startRedisProxy } from '../support/stores/redis-proxy.ts'
import { redisMissing, type RedisServer, startRedis } from '../support/stores/redis-server.ts'

/** Longer than a test: earlier recovered runs were handed over, or their owner is recorded as gone. */
const longLease: HandlerLimits = { leaseMs: 600_000 }

const testServers = createTestServers()
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  await testServers.close()
  for (const close of closing.splice(0).reverse()) await close()
})

async function openRedis(): Promise<RedisServer> {
  const redis = await startRedis()
  closing.push(redis.stop)
  return redis
}

/** A whole server with separate connections to Redis, at a pace that leaves time for requests. */
async function openNode(url: string, options: TestServerOptions = {}, limits: RedisLimits = {}) {
  const store = createRedisStore({ url, ...limits })
  closing.push(() => store.close())
  return testServers.open({ store, pace: slowPace, limits: longLease, recovers: true, ...options })
}

type Node = Awaited<ReturnType<typeof openNode>>

/** Starts a run at one node and reads it at both; resolves when some frames have arrived at the second. */
async function begin(one: Node, two: Node, prompt: string) {
  const session = crypto.randomUUID()
  const body = { agent_uuid: session, user_prompt: prompt }
  const asked = readStream(await one.post('/agent/run?compact=0', body))
  let tell = (): void => {}
  const hasCome = new Promise<void>((resolve) => (tell = resolve))
  const response = await two.get(`/agent/${session}/stream?compact=0`)
  const watched = readStream(response, ({ frames }) => {
    if (frames.length > 20) tell()
    return false
  })
  await Promise.race([hasCome, watched])
  // A closing node cuts its readers.
  return { session, asked: asked.catch(() => undefined), watched }
}

const control = async (node: Node, path: string, body: object = {}): Promise<unknown> =>
  (await node.post(`/agent/${path}`, body)).json()

const endOf = (stream: ReadStream) => payloadOf(stream, 'meta_end')

/** A stream without missing frames. */
function expectWhole(stream: ReadStream): void {
  expect(stream.frames.map(({ id }) => id)).toEqual(upTo(stream.frames.length))
  expect(stream.isDone).toBe(true)
}

describe.skipIf(redisMissing !== '')(`two nodes on one Redis${redisMissing}`, () => {
  test('a run of one is read and stopped at the other', async () => {
    const { url } = await openRedis()
    const [one, two] = [await openNode(url), await openNode(url)]
    const { session, asked, watched } = await begin(one, two, '/demo long 100000')
    expect(await control(two, `${session}/stop`)).toEqual({ stopped: true })
    const seen = await watched
    expectWhole(seen)
    expect(endOf(seen)).toMatchObject({ stop_reason: 'aborted' })
    expect((await asked)?.frames).toEqual(seen.frames)
    expect([one.errors, two.errors]).toEqual([[], []])
  })

  test('a run of one is steered at the other', async () => {
    const { url } = await openRedis()
    const [one, two] = [await openNode(url), await openNode(url)]
    const { session, asked, watched } = await begin(one, two, '/demo long 100000')
    const received = await two.post(`/agent/${session}/steer`, { user_prompt: '/demo thinking' })
    expect(received.ok).toBe(true)
    const seen = await watched
    expectWhole(seen)
    expect(typesOf(seen)).toContain('user_message')
    expect(endOf(seen)).toMatchObject({ stop_reason: 'end_turn' })
    expect((await asked)?.frames).toEqual(seen.frames)
  })

  test('a paused run of one is answered at the other, which resumes it', async () => {
    const { url } = await openRedis()
    const [one, two] = [await openNode(url), await openNode(url)]
    const question = await one.ask('/demo frontend')
    const [call = ''] = pendingIds(question)
    const answered = await two.answer(question.session, { [call]: 'yes' })
    expect(endOf(answered)).toMatchObject({ stop_reason: 'end_turn' })
    const all = await one.watch(question.session)
    expectWhole(all)
    expect(all.frames).toEqual([...question.frames, ...answered.frames])
    // The first answer counts; later ones are refused at any node.
    const late = { tool_use_id: call, content: 'no' }
    const body = { agent_uuid: question.session, tool_results: [late] }
    expect(await errorOf(await one.post('/agent/tool_results', body))).toMatchObject({
      status: 409,
    })
  })

  test('a sub-agent of a run at one is answered at the other while the rest continues', async () => {
    const { url } = await openRedis()
    const [one, two] = [await openNode(url), await openNode(url)]
    const { session, watched } = await begin(one, two, '/demo subagents')
    const pending = async (): Promise<readonly { tool_use_id: string }[]> => {
      const state = await (await two.get(`/agent/${session}`)).json()
      return (state as { pending: { tool_use_id: string }[] }).pending
    }
    await expect.poll(async () => (await pending()).length, { timeout: 20_000 }).toBe(1)
    const [{ tool_use_id: call } = { tool_use_id: '' }] = await pending()
    await two.answer(session, { [call]: 'yes' })
    const all = await two.watch(session)
    expectWhole(all)
    expect((await watched).frames).toEqual(all.frames.slice(0, (await watched).frames.length))
    expect(all.frames.at(-1)?.data).toContain('"meta_end"')
  })

  test('a run that a closing node hands over is resumed by the other at once', async () => {
    const { url } = await openRedis()
    const [one, two] = [await openNode(url), await openNode(url, { pace: 'instant' })]
    const { session, watched } = await begin(one, two, '/demo long 10000')
    await one.close()
    const seen = await watched
    expectWhole(seen)
    expect(endOf(seen)).toMatchObject({ stop_reason: 'end_turn' })
    expect(typesOf(seen)).toContain('rollback')
    expect(await (await two.get(`/agent/${session}`)).json()).toMatchObject({ status: 'ended' })
    expect([one.errors, two.errors, two.violations]).toEqual([[], [], []])
  })

  test('a run that a lost node leaves behind is recovered by the other, and the first is fenced', async () => {
    const redis = await openRedis()
    const proxy = await startRedisProxy(redis.port)
    closing.push(proxy.close)
    let isOneGone = false
    // A node that stopped using Redis before the other has recovered would end its run itself.
    const one = await openNode(proxy.url, {}, { commandTimeoutMs: 600_000 })
    const limits = { leaseMs: 400 }
    const two = await openNode(redis.url, { limits, pace: 'instant', isGone: () => isOneGone })
    const { session, watched } = await begin(one, two, '/demo long 10000')
    proxy.refuse()
    isOneGone = true
    const seen = await watched
    expectWhole(seen)
    expect(endOf(seen)).toMatchObject({ stop_reason: 'end_turn' })
    proxy.accept()
    const codes = () => one.errors.map((error) => isMillraceError(error) && error.code)
    await expect.poll(codes, { timeout: 20_000 }).toContain('lease_lost')
    expect((await one.watch(session)).frames).toEqual(seen.frames)
  })
})

describe.skipIf(redisMissing !== '')(`readers of data that Redis has lost${redisMissing}`, () => {
  test('get an error at both nodes, at the end of the remaining frames too', async () => {
    const redis = await openRedis()
    const [one, two] = [await openNode(redis.url), await openNode(redis.url)]
    const { session, watched } = await begin(one, two, '/demo long 100000')
    await redis.admin.save()
    const saved = Number(await redis.admin.hget(`millrace:{${session}}:meta`, 'tail'))
    await expect
      .poll(async () => Number(await redis.admin.hget(`millrace:{${session}}:meta`, 'tail')))
      .toBeGreaterThan(saved + 50)
    await redis.crash()
    const cut = await watched.catch(() => undefined)
    expect(cut?.isDone ?? false).toBe(false)
    const ask = { agent_uuid: session, user_prompt: 'again' }
    for (const node of [one, two]) {
      const stream = (cursor: number) => node.get(`/agent/${session}/stream?cursor=${cursor}`)
      const left = (await readStream(await stream(0))).frames.at(-1)?.id ?? 0
      for (const cursor of [left, left + 1])
        expect(await errorOf(await stream(cursor))).toMatchObject({
          status: 410,
          code: 'log_truncated',
        })
      expect(await errorOf(await node.post('/agent/run', ask))).toMatchObject({
        status: 410,
        code: 'log_truncated',
      })
    }
  })

  test('get an error if nothing remains', async () => {
    const redis = await openRedis()
    const [one, two] = [await openNode(redis.url), await openNode(redis.url)]
    const { session, watched } = await begin(one, two, '/demo long 100000')
    await redis.crash()
    await watched.catch(() => undefined)
    for (const node of [one, two]) {
      const stream = `/agent/${session}/stream?cursor=20`
      expect(await errorOf(await node.get(stream))).toMatchObject({ status: 404 })
      expect(await errorOf(await node.get(`${stream}&log=0123456789ab`))).toMatchObject({
        status: 410,
        code: 'log_replaced',
      })
      await expect.poll(async () => (await node.get('/health')).status).toBe(503)
    }
  })
})
