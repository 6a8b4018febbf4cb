import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import { byUser, openMill, type OpenMill } from '../../../test/support/servers/open-mill.ts'
import type { Agent } from '../../agent/port/index.ts'
import type { StreamEvent } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Millrace } from './create-millrace.ts'
import type { HandleResult, RunHandle } from './run-handle.ts'
import type { SessionList, SessionState } from './session-values.ts'
import type { Sessions } from './sessions.ts'

const opened: OpenMill[] = []

function open(
  ...options: Parameters<typeof openMill> extends [unknown, ...infer Rest] ? Rest : []
) {
  const one = openMill(createMemoryStore(), ...options)
  opened.push(one)
  return { ...one, ...one.mill }
}

afterEach(async () => {
  for (const { mill, gate } of opened.splice(0)) {
    gate.open()
    await mill.close()
  }
})

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )

const unknownId = '00000000-0000-4000-8000-00000000dead'

test('a handle reads events with their ids, the text and the result, any number of times', async () => {
  const { sessions } = open()
  const run = await sessions.start('grind')
  const events = await collect(run)
  expect(events.at(0)).toMatchObject({ type: 'run_start', id: 1 })
  expect(events.at(-1)).toMatchObject({ type: 'run_end', stopReason: 'end_turn' })
  expect((await collect(run)).map(({ type }) => type)).toEqual(events.map(({ type }) => type))
  expect((await collect(run.textStream)).join('')).toBe('done')
  expect(await run.result).toMatchObject({ status: 'done', text: 'done', steps: 1, pending: [] })
  expect(run.result).toBe(run.result)
  expect(await run.stop()).toBe(false)
})

test('the text of a result is the final answer that the history has', async () => {
  const { sessions, gate, fetch } = open()
  gate.open()
  const run = await sessions.start('hold it')
  const { text } = await run.result
  expect((await collect(run.textStream)).join('')).toBe('first done')
  const path = `http://localhost/agent/${run.session}/conversations`
  const history = await (await fetch(new Request(path))).json()
  expect(history).toMatchObject({ conversations: [{ final_response: text }] })
  expect(text).toBe('done')
})

test('a repeated start with a key finds the same session and run; other content is refused', async () => {
  const { sessions } = open()
  const first = await sessions.start('grind', { key: 'invoice 7'.replace(' ', '-') })
  const again = await sessions.start('grind', { key: 'invoice-7' })
  expect(again.session).toBe(first.session)
  expect(again.key).toBe('invoice-7')
  expect(await again.result).toEqual(await first.result)
  expect((await sessions.read(first.session)).runs).toBe(1)
  expect(await codeOf(sessions.start('other', { key: 'invoice-7' }))).toBe('conflict')
})

test('a key has the same meaning over HTTP', async () => {
  const { sessions, fetch } = open()
  const session = crypto.randomUUID()
  const run = await sessions.start('grind', { session, key: 'k1' })
  await run.result
  const body = { agent_uuid: session, user_prompt: 'grind', message_id: 'k1' }
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(new Request('http://localhost/agent/run', request))
  expect(await response.text()).toContain('"message_id\\":\\"k1\\"')
  expect((await sessions.read(session)).runs).toBe(1)
})

test('a pause is a result with the calls; an answer resumes the run', async () => {
  const { sessions } = open()
  const run = await sessions.start('ask me')
  const paused = await run.result
  expect(paused).toMatchObject({
    status: 'waiting',
    stopReason: 'awaiting_frontend_tools',
    pending: [{ callId: 'c1', name: 'confirm', input: { question: 'sure?' }, approval: false }],
  })
  const resumed = await sessions.answer(run.session, 'c1', 'yes')
  expect(await resumed.result).toMatchObject({ status: 'done', text: 'done', pending: [] })
  expect(await codeOf(sessions.answer(run.session, 'c9', 'yes'))).toBe('not_found')
  expect(await codeOf(sessions.answer(run.session, 'c1', 'no'))).toBe('conflict')
})

test('an approval may edit the arguments; a denial has a reason', async () => {
  const { sessions, erased } = open()
  const run = await sessions.start('erase it')
  expect(await run.result).toMatchObject({ status: 'waiting', pending: [{ approval: true }] })
  const approved = await sessions.approve(run.session, 'a1', { input: { name: 'new' } })
  expect(await approved.result).toMatchObject({ status: 'done' })
  expect(erased).toEqual([{ name: 'new' }])

  const other = await sessions.start('erase it')
  await other.result
  const denied = await sessions.deny(other.session, 'a1', { reason: 'Not on a Friday.' })
  const events = await collect(denied)
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool_status', stage: 'refused', detail: 'Not on a Friday.' }),
  )
  expect(erased).toHaveLength(1)
})

test('a queued prompt has a handle before it starts, and can be withdrawn', async () => {
  const { sessions, gate } = open()
  const run = await sessions.start('hold it')
  expect(await codeOf(sessions.send(run.session, 'next'))).toBe('conflict')
  const queued = await sessions.send(run.session, 'next', { whenBusy: 'queue' })
  const gone = await sessions.send(run.session, 'never', { whenBusy: 'queue', key: 'q2' })
  expect([run.isQueued, queued.isQueued, gone.key]).toEqual([false, true, 'q2'])
  expect(await sessions.read(run.session)).toMatchObject({
    status: 'running',
    queue: [{ key: queued.key, text: 'next', whenBusy: 'queue' }, { key: 'q2' }],
  })
  await sessions.withdraw(run.session, 'q2')
  gate.open()
  expect(await run.result).toMatchObject({ status: 'done' })
  expect(await queued.result).toMatchObject({ status: 'done', text: 'done' })
  expect((await collect(queued)).at(0)).toMatchObject({ type: 'run_start', messageId: queued.key })
  expect(await gone.result).toMatchObject({ status: 'stopped', stopReason: null, text: '' })
})

test('a handle stops its own run only, and withdraws its prompt while that is queued', async () => {
  const { sessions, gate } = open()
  const first = await sessions.start('hold it')
  const second = await sessions.send(first.session, 'hang', { whenBusy: 'queue' })
  const third = await sessions.send(first.session, 'never', { whenBusy: 'queue' })
  expect(await third.stop()).toBe(true)
  expect(await third.result).toMatchObject({ status: 'stopped', stopReason: null })
  gate.open()
  expect(await first.result).toMatchObject({ status: 'done' })
  for await (const { type } of second) if (type === 'text') break
  expect(await first.stop()).toBe(false)
  expect(await second.stop()).toBe(true)
  expect(await second.result).toMatchObject({ status: 'stopped', stopReason: 'aborted' })
  expect(await sessions.read(first.session)).toMatchObject({ runs: 2, status: 'ended' })
})

test('a handle stops a run that waits', async () => {
  const { sessions } = open()
  const run = await sessions.start('ask me', { key: 'k1' })
  expect(await run.result).toMatchObject({ status: 'waiting' })
  expect(await (await sessions.start('ask me', { key: 'k1' })).stop()).toBe(true)
  const readState = () => sessions.read(run.session)
  await expect.poll(readState).toMatchObject({ status: 'ended', pending: [] })
})

test('a run is steered, and stopped by its handle', async () => {
  const { sessions } = open()
  const run = await sessions.start('hold it')
  await sessions.steer(run.session, 'in rye')
  const stopped = run.stop()
  expect(await run.result).toMatchObject({ status: 'stopped', stopReason: 'aborted' })
  expect(await stopped).toBe(true)
  expect(await codeOf(sessions.steer(run.session, 'late'))).toBe('conflict')
  expect(await sessions.stop(run.session)).toBe(false)
})

test('sessions are listed, renamed, forked, shared and deleted', async () => {
  const { sessions, fetch } = open()
  const run = await sessions.start('grind')
  await run.result
  const { session } = run
  await sessions.rename(session, 'Flour')
  expect(await sessions.read(session)).toMatchObject({
    session,
    agent: 'miller',
    title: 'Flour',
    status: 'ended',
    runs: 1,
    pending: [],
    queue: [],
  })
  const branch = await sessions.fork(session, { key: 'b1' })
  expect(await sessions.fork(session, { key: 'b1' })).toBe(branch)
  expect((await sessions.read(branch)).forkedFrom).toMatchObject({ session })
  expect(await sessions.list({ limit: 1 })).toMatchObject({ total: 2, sessions: [{}] })

  const { token, expiresAt } = await sessions.share(session, { expiresIn: 60 })
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
  const read = () => fetch(new Request(`http://localhost/agent/${session}?share=${token}`))
  expect((await read()).status).toBe(200)
  expect([await sessions.unshare(session), await sessions.unshare(session)]).toEqual([true, false])

  await sessions.delete(session)
  expect(await codeOf(sessions.read(session))).toBe('not_found')
})

test('events are read from a frame on, and follow later runs until the signal aborts', async () => {
  const { sessions, activity } = open()
  const run = await sessions.start('grind')
  const all = await collect(sessions.events(run.session))
  expect(all).toEqual(await collect(run))
  const [, second] = all
  expect(await collect(sessions.events(run.session, { after: second!.id }))).toEqual(all.slice(2))

  const leaving = new AbortController()
  const ends: string[] = []
  const reason = new Error('enough')
  const following = (async () => {
    const { signal } = leaving
    for await (const event of sessions.events(run.session, { follow: true, signal })) {
      if (event.type === 'run_end') ends.push(event.stopReason ?? '')
      if (ends.length === 1 && event.type === 'run_end') await sessions.send(run.session, 'more')
      if (ends.length === 2) leaving.abort(reason)
    }
  })()
  await expect(following).rejects.toBe(reason)
  expect(ends).toEqual(['end_turn', 'end_turn'])
  await expect.poll(() => activity().readers).toBe(0)
})

test('a stream that is left closes its reader', async () => {
  const { sessions, activity } = open()
  const run = await sessions.start('hold it')
  for await (const { id } of run) {
    expect([id, activity().readers]).toEqual([1, 1])
    break
  }
  expect(activity().readers).toBe(0)
})

test('a handle of a deleted session ends', async () => {
  const { sessions } = open()
  const run = await sessions.start('grind')
  await sessions.delete(run.session)
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'log_replaced' } })
  expect(await codeOf(collect(run))).toBe('log_replaced')
  expect(await codeOf(collect(run.textStream))).toBe('log_replaced')
})

test('the signal of a command ends the streams of its handle; the run continues', async () => {
  const { sessions, gate } = open()
  const leaving = new AbortController()
  const run = await sessions.start('hold it', { signal: leaving.signal })
  const texts = collect(run.textStream)
  leaving.abort(new Error('left'))
  await expect(texts).rejects.toThrow('left')
  expect(await run.result).toMatchObject({ status: 'failed', error: { message: 'left' } })
  gate.open()
  const { session } = run
  await expect.poll(async () => (await sessions.read(session)).status).toBe('ended')
})

test('a closed server ends the streams of a run that it hands off', async () => {
  const store = { ...createMemoryStore(), isDurable: true }
  const { mill } = openMill(store)
  const run = await mill.sessions.start('hang')
  const reading = collect(run)
  const result = run.result
  await mill.close()
  expect(await codeOf(reading)).toBe('connection_lost')
  expect(await result).toMatchObject({ status: 'failed', error: { code: 'connection_lost' } })
})

test('a slow consumer holds one page of a long log, and still reads every event', async () => {
  const base = createMemoryStore()
  let framesRead = 0
  const store: typeof base = {
    ...base,
    read: async (...range) => {
      const entries = await base.read(...range)
      framesRead += entries.length
      return entries
    },
  }
  const words = 20_000
  const talker: Agent = {
    name: 'talker',
    async *run({ agent }) {
      const block = { agent, block: 0, kind: 'text', content: { type: 'text', text: '' } } as const
      const usage = { input_tokens: 0, output_tokens: 0 }
      yield { type: 'run_start', agent, runId: 'r', prompt: 'go', model: 'm', messages: [] }
      yield { type: 'block_start', ...block }
      for (let n = 0; n < words; n++) yield { type: 'block_delta', agent, block: 0, text: 'flour ' }
      yield { type: 'block_end', ...block }
      const end = { stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
      yield { type: 'run_end', agent, ...end }
    },
  }
  const { mill } = openMill(store, { agents: { talker }, defaultAgent: 'talker' })
  const { session, result } = await mill.sessions.start('talk')
  expect((await result).text).toHaveLength(6 * words)
  framesRead = 0
  let length = 0
  for await (const event of mill.sessions.events(session)) {
    if (length === 0 && event.type === 'text' && event.text !== '') {
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(framesRead).toBeLessThanOrEqual(1_024)
    }
    if (event.type === 'text') length += event.text.length
  }
  expect(length).toBe(6 * words)
  await mill.close()
})

describe('a mistake', () => {
  test('in the name of an option is refused with the right one', async () => {
    const { sessions } = open()
    const misspelt = { whenBussy: 'queue' } as object
    await expect(sessions.start('grind', misspelt)).rejects.toThrow('Did you mean `whenBusy`?')
    expect(() => sessions.events(unknownId, { from: 3 } as object)).toThrow('no option `from`')
  })

  test.each([
    ['an empty prompt', (all: Sessions) => all.start(' '), 'bad_request'],
    ['an id that is no UUID', (all: Sessions) => all.read('7'), 'bad_request'],
    ['an unknown agent', (all: Sessions) => all.start('a', { agent: 'b' }), 'bad_request'],
    ['a wrong key', (all: Sessions) => all.start('a', { key: 'a b' }), 'bad_request'],
    ['a send to no session', (all: Sessions) => all.send(unknownId, 'a'), 'not_found'],
    ['a stop of no session', (all: Sessions) => all.stop(unknownId), 'not_found'],
    ['a fork of no session', (all: Sessions) => all.fork(unknownId), 'not_found'],
    [
      'a fork before the start',
      (all: Sessions) => all.fork(unknownId, { after: -1 }),
      'bad_request',
    ],
    ['events of no session', (all: Sessions) => collect(all.events(unknownId)), 'not_found'],
    ['a page that is too long', (all: Sessions) => all.list({ limit: 1_000 }), 'bad_request'],
  ] as const)('%s is a MillraceError', async (_name, call, code) => {
    expect(await codeOf(call(open().sessions))).toBe(code)
  })
})

describe('the sessions of an owner', () => {
  test('[SES-6] are its own: those of another owner do not exist', async () => {
    const { mill } = open(byUser)
    const [ann, bob] = [mill.as('ann'), mill.as('bob')]
    const { session, ...run } = await ann.start('ask me', { key: 'same' })
    await run.result
    const calls: readonly ((all: Sessions) => Promise<unknown>)[] = [
      (all) => all.read(session),
      (all) => collect(all.events(session)),
      (all) => all.send(session, 'mine?'),
      (all) => all.start('mine?', { session }),
      (all) => all.answer(session, 'c1', 'yes'),
      (all) => all.approve(session, 'c1'),
      (all) => all.deny(session, 'c1'),
      (all) => all.stop(session),
      (all) => all.steer(session, 'mine?'),
      (all) => all.withdraw(session, 'q1'),
      (all) => all.fork(session),
      (all) => all.rename(session, 'mine'),
      (all) => all.share(session),
      (all) => all.unshare(session),
      (all) => all.delete(session),
    ]
    for (const call of calls) expect(await codeOf(call(bob))).toBe('not_found')
    expect(await bob.list()).toEqual({ sessions: [], total: 0 })
    expect(await ann.list()).toMatchObject({ total: 1, sessions: [{ session, status: 'paused' }] })
    // Keys of two owners are apart.
    expect((await bob.start('ask me', { key: 'same' })).session).not.toBe(session)
    expect((await ann.start('ask me', { key: 'same' })).session).toBe(session)
  })

  test('are all reached by trusted code, which acts for the owner of each', async () => {
    const { mill } = open(byUser)
    const ann = mill.as('ann')
    const { session } = await ann.start('grind')
    expect((await mill.sessions.list()).total).toBe(1)
    const branch = await mill.sessions.fork(session)
    expect((await ann.read(branch)).forkedFrom).toMatchObject({ session })
    expect(await codeOf(mill.as('bob').read(branch))).toBe('not_found')
  })

  test('need the options that name owners', () => {
    expect(() => open().mill.as('ann')).toThrow('`context` and `owner`')
    expect(() => open(byUser).mill.as('')).toThrow('sign in')
  })
})

test('the types of the commands and of their results', () => {
  type Awaits<Name extends keyof Sessions> = Awaited<ReturnType<Sessions[Name]>>
  expectTypeOf<
    Awaits<'start' | 'send' | 'answer' | 'approve' | 'deny'>
  >().toEqualTypeOf<RunHandle>()
  expectTypeOf<Awaits<'stop' | 'unshare'>>().toEqualTypeOf<boolean>()
  expectTypeOf<Awaits<'fork'>>().toEqualTypeOf<string>()
  expectTypeOf<Awaits<'list'>>().toEqualTypeOf<SessionList>()
  expectTypeOf<Awaits<'read'>>().toEqualTypeOf<SessionState>()
  expectTypeOf<Awaits<'delete' | 'rename' | 'steer' | 'withdraw'>>().toEqualTypeOf<void>()
  expectTypeOf<ReturnType<Sessions['events']>>().toEqualTypeOf<AsyncIterable<StreamEvent>>()
  expectTypeOf<Awaited<RunHandle['result']>>().toEqualTypeOf<HandleResult>()
  expectTypeOf<HandleResult['status']>().toEqualTypeOf<'done' | 'waiting' | 'stopped' | 'failed'>()
  expectTypeOf<Parameters<Millrace<{ id: string }>['as']>>().toEqualTypeOf<[{ id: string }]>()
  // @ts-expect-error: a misspelt option
  const misspelt: Parameters<Sessions['start']>[1] = { whenBussy: 'queue' }
  expect(misspelt).toBeDefined()
})
