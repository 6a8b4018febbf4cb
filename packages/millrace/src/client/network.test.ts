import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createScriptedServer, type Fault } from '../../test/support/frames/scripted-server.ts'
import { createSession } from './transport/http/http-session.ts'

const agent = '0b0e7c3a-1111-4222-8333-444455556666'
const line = (type: string, delta: string) => JSON.stringify({ type, agent, final: true, delta })
const run = [
  line('meta_init', JSON.stringify({ user_query: 'hello', agent_uuid: agent })),
  line('text', 'Hello.'),
  line('meta_end', '{"stop_reason":"end_turn"}'),
]

/** A page with a controlled network and visibility. */
const page = Object.assign(new EventTarget(), { hidden: false })
const network = { onLine: true }
let listeners = 0

beforeEach(() => {
  network.onLine = true
  page.hidden = false
  listeners = 0
  vi.stubGlobal('navigator', network)
  vi.stubGlobal(
    'addEventListener',
    (type: string, listener: EventListener, options: { signal: AbortSignal }) => {
      listeners++
      options.signal.addEventListener('abort', () => listeners--)
      page.addEventListener(type, listener, options)
    },
  )
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const far = 1e9

function setUp(faults: readonly Fault[], delayMs = far) {
  const server = createScriptedServer({ runs: [run], faults })
  const session = createSession({
    url: 'http://test',
    session: agent,
    fetch: server.fetch,
    retryDelayMs: delayMs,
    maxRetryDelayMs: delayMs,
    random: () => 1,
    now: () => 0,
  })
  const until = (state: string) =>
    vi.waitUntil(() => session.getSnapshot().connection.state === state)
  return { server, session, until, look: () => session.getSnapshot() }
}

describe('a device without a network', () => {
  test('is a state of its own, counts no connection failures, and reconnects as soon as the network is back', async () => {
    const { session, until, look, server } = setUp([
      { cut: { afterBytes: 200, how: 'error' } },
      { lose: 'request' },
    ])
    network.onLine = false
    const whole = session.run('hello')
    await until('offline')
    expect(look().connection).toMatchObject({ attempt: 0, error: { code: 'connection_lost' } })
    void session.watch()
    await vi.waitUntil(() => server.requests.length === 2)
    await until('offline')
    expect(look().connection.attempt).toBe(0)
    network.onLine = true
    page.dispatchEvent(new Event('online'))
    await whole
    expect(look().transcript.status).toBe('complete')
    expect(server.count('POST')).toBe(1)
  })

  test('reconnects occasionally all the same: a server on the same machine needs no network', async () => {
    const { session, look } = setUp([{ cut: { afterBytes: 200, how: 'error' } }], 1)
    network.onLine = false
    await session.run('hello')
    expect(look().transcript.status).toBe('complete')
  })

  test('a stream that was open when the network returned is opened again, because it may be dead', async () => {
    const { session, until, look, server } = setUp([{ cut: { afterBytes: 200, how: 'hang' } }], 1)
    const whole = session.run('hello')
    await until('streaming')
    await vi.waitUntil(() => look().transcript.lastId > 0)
    page.dispatchEvent(new Event('online'))
    await whole
    expect(look().transcript.status).toBe('complete')
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })
})

describe('a page in the background', () => {
  test('continues reading while it is hidden, and reconnects at once when it becomes visible', async () => {
    const { session, until, look, server } = setUp([{ cut: { afterBytes: 200, how: 'hang' } }])
    const whole = session.run('hello')
    await vi.waitUntil(() => look().transcript.lastId > 0)
    for (const type of ['visibilitychange', 'pagehide', 'freeze', 'blur', 'beforeunload']) {
      page.dispatchEvent(new Event(type))
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(look().connection.state).toBe('streaming')
    expect(server.requests).toHaveLength(1)
    page.dispatchEvent(new Event('online'))
    await until('waiting')
    page.dispatchEvent(new Event('visibilitychange'))
    await whole
    expect(look().transcript.status).toBe('complete')
  })

  test('does not reconnect when it becomes hidden', async () => {
    const { session, until, server } = setUp([{ cut: { afterBytes: 200, how: 'error' } }])
    const whole = session.run('hello')
    await until('waiting')
    page.hidden = true
    page.dispatchEvent(new Event('visibilitychange'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(session.getSnapshot().connection.state).toBe('waiting')
    expect(server.requests).toHaveLength(1)
    page.hidden = false
    page.dispatchEvent(new Event('visibilitychange'))
    await whole
  })

  test('listens only during a read', async () => {
    const { session } = setUp([])
    expect(listeners).toBe(0)
    const whole = session.run('hello')
    expect(listeners).toBe(2)
    await whole
    expect(listeners).toBe(0)
  })
})

describe('a server that sends Retry-After', () => {
  const delayAfter = async (fault: Fault): Promise<number | undefined> => {
    const { session, look } = setUp([{ lose: 'response' }, fault], 2)
    const delay = new Promise<number | undefined>((resolve) => {
      session.subscribe(() => {
        const { state, attempt, retryAt } = look().connection
        if (state === 'waiting' && attempt === 2) resolve(retryAt)
      })
    })
    void session.run('hello')
    await delay
    session.close()
    return delay
  }

  test('gets no request for that time and a short jitter, at most a minute', async () => {
    expect(await delayAfter({ refuse: { status: 503, retryAfter: '3' } })).toBe(3_002)
    expect(await delayAfter({ refuse: { status: 429, retryAfter: '5' } })).toBe(5_002)
    expect(await delayAfter({ refuse: { status: 503, retryAfter: '86400' } })).toBe(60_002)
    expect(await delayAfter({ refuse: { status: 503, retryAfter: 'soon' } })).toBe(2)
  })

  test('a prompt that a limit rejected was not accepted, and is sent again', async () => {
    const { session, look, server } = setUp([{ refuse: { status: 429, retryAfter: '0' } }], 1)
    await session.run('hello')
    expect(look().transcript.status).toBe('complete')
    expect(server.requests.map(({ path }) => path)).toEqual(['/agent/run', '/agent/run'])
  })

  test('a prompt that a gateway may have passed on is looked up, and sent again with its key', async () => {
    const { session, server } = setUp([{ refuse: { status: 503 } }], 1)
    await session.run('hello')
    expect(server.count('POST')).toBe(2)
    expect(server.count('GET')).toBe(1)
  })
})
