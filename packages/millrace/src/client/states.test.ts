import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSession } from './transport/http/http-session.ts'
import type { ConnectionState, Session } from './session.ts'

const guide = readFileSync(new URL('../../../../docs/client.md', import.meta.url), 'utf8')
const table = [...guide.matchAll(/^\| .*\|$/gm)].map(([row]) =>
  row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.replaceAll('`', '').trim()),
)
const head = table.findIndex(([first]) => first === 'state')
const events = (table[head] ?? []).slice(1)
const rows = new Map(
  table.slice(head + 2, head + 10).map(([state = '', ...cells]) => [state, cells] as const),
)

/** A server with controlled responses. */
function createPuppet() {
  const requests: { resolve: (response: Response) => void; reject: (error: unknown) => void }[] = []
  let body: ReadableStreamDefaultController<Uint8Array> | undefined
  const send = (text: string) => body?.enqueue(new TextEncoder().encode(text))
  return {
    fetch: (_url: string, { signal }: RequestInit) =>
      new Promise<Response>((resolve, reject) => {
        requests.push({ resolve, reject })
        const abort = (): void => {
          reject(new Error('aborted'))
          body?.error(new Error('aborted'))
        }
        if (signal?.aborted) abort()
        signal?.addEventListener('abort', abort)
      }),
    answer: () => {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (body = controller),
      })
      const headers = { 'content-type': 'text/event-stream' }
      requests.at(-1)?.resolve(new Response(stream, { headers }))
    },
    replace: () =>
      requests.at(-1)?.resolve(Response.json({ error: { code: 'log_replaced' } }, { status: 410 })),
    refuse: () => requests.at(-1)?.resolve(Response.json({}, { status: 403 })),
    lose: () => {
      if (body) body.error(new Error('reset'))
      else requests.at(-1)?.reject(new Error('reset'))
    },
    babble: () => send('data: {"no":"envelope"}\n\n'),
    end: () => {
      send('data: [DONE]\n\n')
      body?.close()
    },
  }
}

type Puppet = ReturnType<typeof createPuppet>
type Command = (session: Session, puppet: Puppet) => void

const network = { onLine: true }
const page = new EventTarget()
const settle = async () => {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setTimeout(resolve))
}
const watch: Command = (session) => void session.watch()
const lose: Command = (_, puppet) => puppet.lose()
const loseNetwork: Command = (_, puppet) => {
  network.onLine = false
  puppet.lose()
}

/** Steps that lead to each state. */
const ways: Readonly<Record<ConnectionState, readonly Command[]>> = {
  idle: [],
  connecting: [watch],
  streaming: [watch, (_, puppet) => puppet.answer()],
  waiting: [watch, lose],
  offline: [watch, loseNetwork],
  failed: [watch, (_, puppet) => puppet.refuse()],
  replaced: [watch, (_, puppet) => puppet.replace()],
  closed: [(session) => session.close()],
}

/** Actions of the columns. */
const commands: Readonly<Record<string, Command>> = {
  'run()': (session) => void session.run('hello'),
  'answer() or watch()': watch,
  'close()': (session) => session.close(),
  'the server answers': (_, puppet) => puppet.answer(),
  '[DONE]': (_, puppet) => puppet.end(),
  'connection failure': lose,
  'connection failure, offline': loseNetwork,
  'a refusal': (session, puppet) =>
    session.getSnapshot().connection.state === 'streaming' ? puppet.babble() : puppet.refuse(),
  'a reason to look again': () => void page.dispatchEvent(new Event('visibilitychange')),
}

beforeEach(() => {
  network.onLine = true
  vi.stubGlobal('navigator', network)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('the table of states in docs/client.md', () => {
  test('has every state and every event', () => {
    expect([...rows.keys()].sort()).toEqual(Object.keys(ways).sort())
    expect(events).toEqual(Object.keys(commands))
  })

  const cells = [...rows].flatMap(([state, next]) =>
    next.map((expected, column) => ({ state, event: events[column] ?? '', expected })),
  )

  test.each(cells.filter(({ expected }) => expected !== '–'))(
    '$state, $event: $expected',
    async ({ state, event, expected }) => {
      const puppet = createPuppet()
      const patience = { retryDelayMs: 1e9, maxRetryDelayMs: 1e9, random: () => 1 }
      const session = createSession({ url: 'http://test', fetch: puppet.fetch, ...patience })
      for (const command of ways[state as ConnectionState]) {
        command(session, puppet)
        await settle()
      }
      expect(session.getSnapshot().connection.state).toBe(state)
      commands[event]?.(session, puppet)
      await settle()
      expect(session.getSnapshot().connection.state).toBe(expected)
      session.close()
      await settle()
      expect(getEventListeners(page, 'online')).toEqual([])
    },
  )
})
