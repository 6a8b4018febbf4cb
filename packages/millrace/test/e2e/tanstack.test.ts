import { toolDefinition } from '@tanstack/ai'
import { ChatClient, fetchServerSentEvents, type UIMessage } from '@tanstack/ai-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Pace, Scenario } from 'millrace-tools/emulator'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import { type Cut, type CuttingProxy, startCuttingProxy } from '../support/network/cutting-proxy.ts'
import { createTestClient, type TestClient } from '../support/servers/test-client.ts'
import { call } from '../support/agents/agent-harness.ts'
import { scripted } from '../support/servers/scripted-server.ts'
import type { ContentBlock } from '../../src/events/index.ts'
import { createTestServers, slowPace } from '../support/servers/test-servers.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { runs } from '../support/runs.ts'
import { temporaryPaths } from '../support/stores/sqlite/temporary-store.ts'

const words = ['mill ', 'räd\n', '水車 ', '🎡', '"quo\\ted" ', '[DONE]', 'data: id: 7\n\n', ' ']
const said = Array.from({ length: 60 }, (_, n) => `${n} ${words[n % words.length]}`)
const thought = 'I count to 60, as I was asked.'

/** A thought and many words, some of which look like framing. */
const tale: Scenario = {
  name: 'tale',
  summary: 'many words',
  matches: () => true,
  reply: () => ({
    blocks: [
      { type: 'thinking', thinking: thought },
      { type: 'text', text: said },
    ],
  }),
}

const nextPath = temporaryPaths()
let testServer: TestServer & TestClient
let slow: TestServer & TestClient

beforeAll(async () => {
  const open = async (pace: Pace | 'instant') => {
    const opened = await openTestServer({ scenarios: [tale], store: createMemoryStore(), pace })
    return { ...opened, ...createTestClient(opened.url) }
  }
  testServer = await open('instant')
  slow = await open(slowPace)
})

afterAll(async () => {
  for (const one of [testServer, slow]) {
    await one.close()
    expect(one.errors).toEqual([])
    expect(one.violations).toEqual([])
  }
})

/** It ignores sub-agents, and reconnects by itself after a cut. */
const QUERY = '?client=tanstack'

interface Chat {
  readonly messages: () => readonly UIMessage[]
  readonly send: (words: string) => Promise<void>
  readonly errors: readonly Error[]
  /** The `Last-Event-ID` headers of the adapter, one for each reconnection. */
  readonly returns: readonly string[]
}

/** An unmodified client of TanStack AI on a thread. */
function openChat(url: string, threadId: string, query = QUERY, delayMs = 2): Chat {
  const errors: Error[] = []
  const returns: string[] = []
  const fetchClient: typeof fetch = (target, init) => {
    const header = new Headers(init?.headers).get('last-event-id')
    if (header !== null) returns.push(header)
    return fetch(target, init)
  }
  const reconnect = { delayMs, maxAttempts: 1_000 }
  const client = new ChatClient({
    connection: fetchServerSentEvents(`${url}/ag-ui${query}`, { fetchClient, reconnect }),
    threadId,
    onError: (error) => void errors.push(error),
  })
  return {
    messages: () => client.getMessages(),
    send: async (text) => {
      await client.sendMessage(text)
    },
    errors,
    returns,
  }
}

const partsOf = (messages: readonly UIMessage[], type: 'text' | 'thinking'): string =>
  messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts)
    .map((part) => (part.type === type ? part.content : ''))
    .join('')

async function through<T>(
  cuts: readonly Cut[],
  read: (proxy: CuttingProxy) => Promise<T>,
  { url }: { readonly url: string } = testServer,
): Promise<T> {
  const proxy = await startCuttingProxy(url, cuts)
  try {
    return await read(proxy)
  } finally {
    await proxy.close()
  }
}

async function runsOf(threadId: string, server: TestClient = testServer): Promise<number> {
  const state = (await (await server.get(`/agent/${threadId}`)).json()) as { total_runs: number }
  return state.total_runs
}

describe('an unmodified client of TanStack AI', () => {
  test('reads a run, and sends another prompt', async () => {
    const threadId = crypto.randomUUID()
    const chat = openChat(testServer.url, threadId)
    await chat.send('count')
    await chat.send('again')
    expect(chat.errors).toEqual([])
    expect(partsOf(chat.messages(), 'text')).toBe(said.join('').repeat(2))
    expect(partsOf(chat.messages(), 'thinking')).toBe(thought.repeat(2))
    expect(chat.messages().filter(({ role }) => role === 'user')).toHaveLength(2)
    expect(await runsOf(threadId)).toBe(2)
  })

  test('[DIA-2] reconnects with Last-Event-ID after a cut at any byte, and has each word once', async () => {
    const probe = await testServer.post('/ag-ui?subagents=drop', {
      threadId: crypto.randomUUID(),
      runId: 'r',
      state: {},
      messages: [{ id: 'm', role: 'user', content: 'count' }],
    })
    const body = await probe.text()
    const total = Buffer.byteLength(body)
    // Without an id it does not reconnect; the ids of its own runs are longer than this one.
    const first = body.indexOf('\n\n', body.indexOf('id: ')) + 60
    const step = Math.ceil(total / runs(40, 1_000))
    const places: number[] = []
    for (let place = first; place < total; place += step) places.push(place)
    for (const after of [...places, total - 3, total - 2, total - 1]) {
      const manner = after % 2 === 0 ? 'break' : 'end'
      await through([{ after, manner }], async ({ url, passed }) => {
        const threadId = crypto.randomUUID()
        const chat = openChat(url, threadId)
        await chat.send('count')
        expect(chat.errors, `cut at ${after}`).toEqual([])
        expect(partsOf(chat.messages(), 'text')).toBe(said.join(''))
        expect(partsOf(chat.messages(), 'thinking')).toBe(thought)
        expect(chat.returns).toHaveLength(passed.length - 1)
        expect(await runsOf(threadId)).toBe(1)
      })
    }
  })

  test.each([
    ['a run that may be over', () => testServer],
    ['a run under way', () => slow],
  ])('[DIA-2] reconnects to %s after every cut', async (_, serverOf) => {
    const server = serverOf()
    const cuts = [900, 400, 1_300, 700, 500, 2_000].map((after, n): Cut => {
      return { after, manner: n % 2 === 0 ? 'end' : 'break' }
    })
    const read = async ({ url }: CuttingProxy) => {
      const threadId = crypto.randomUUID()
      const chat = openChat(url, threadId, `${QUERY}&compact=0`)
      await chat.send('count')
      expect(chat.errors).toEqual([])
      expect(partsOf(chat.messages(), 'text')).toBe(said.join(''))
      expect(chat.returns).toHaveLength(cuts.length)
      expect(await runsOf(threadId, server)).toBe(1)
    }
    await through(cuts, read, server)
  })

  test('[LOG-2] continues with a server that was restarted in the middle of a run', async () => {
    const path = nextPath()
    const open = async () => {
      const store = createSqliteStore({ path })
      const options = { scenarios: [tale], store, pace: slowPace, recovers: true }
      return { store, ...(await openTestServer(options)) }
    }
    const first = await open()
    const proxy = await startCuttingProxy(first.url)
    const threadId = crypto.randomUUID()
    const chat = openChat(proxy.url, threadId, QUERY, 20)
    const sent = chat.send('count')
    const shown = () => partsOf(chat.messages(), 'text').length
    await expect.poll(shown, { timeout: 20_000 }).toBeGreaterThan(20)
    await first.close()
    await first.store.close()
    const second = await open()
    proxy.lead(second.url)
    await sent
    expect(chat.errors).toEqual([])
    // Content of a repeated step is void, which this client does not detect before its next prompt.
    expect(partsOf(chat.messages(), 'text')).toContain(said.join(''))
    await chat.send('again')
    expect(partsOf(chat.messages(), 'text')).toBe(said.join('').repeat(2))
    await proxy.close()
    await second.close()
    await second.store.close()
  })
})

describe('an unmodified client of TanStack AI in a paused run', () => {
  const testServers = createTestServers()
  afterEach(() => testServers.close())

  /** A client that runs `confirm` itself, on an agent that calls the given tools. */
  async function openPage(
    calls: readonly ContentBlock[],
    confirms: () => Promise<string>,
    query = QUERY,
  ) {
    const agent = scripted([{ content: calls }, { content: [{ type: 'text', text: 'done' }] }])
    const server = await testServers.open({ agents: { scripted: agent }, defaultAgent: 'scripted' })
    const errors: Error[] = []
    const ran: unknown[] = []
    const toTool = (name: string) =>
      toolDefinition({ name, description: '' }).client((input: unknown) => {
        ran.push(input)
        return confirms()
      })
    const threadId = crypto.randomUUID()
    const open = () =>
      new ChatClient({
        connection: fetchServerSentEvents(`${server.url}/ag-ui${query}`),
        threadId,
        tools: [toTool('confirm'), toTool('sign')],
        onError: (error) => void errors.push(error),
      })
    const client = open()
    const state = async () =>
      (await (await server.get(`/agent/${threadId}`)).json()) as { status: string; tail: number }
    const over = async () => {
      await expect.poll(async () => (await state()).status, { timeout: 10_000 }).toBe('ended')
      await expect
        .poll(() => partsOf(client.getMessages(), 'text'), { timeout: 10_000 })
        .toBe('done')
      expect(errors).toEqual([])
    }
    const results = () =>
      client
        .getMessages()
        .flatMap(({ parts }) => parts)
        .flatMap((part) => (part.type === 'tool-result' ? [[part.toolCallId, part.content]] : []))
    /** The content of the server. */
    const received = async () =>
      (await server.post('/ag-ui', { threadId, runId: 'view', messages: [] })).text()
    return { client, open, ran, over, results, received }
  }

  test('runs a tool of its page, and continues with the result', async () => {
    const { client, ran, over, results } = await openPage([call('c', 'confirm', { ask: 1 })], () =>
      Promise.resolve('yes'),
    )
    await client.sendMessage('go')
    await over()
    expect(ran).toEqual([{ ask: 1 }])
    expect(results()).toEqual([['c', 'yes']])
  })

  test('reports that a tool of its page has failed', async () => {
    const { client, ran, over, results, received } = await openPage([call('c', 'confirm')], () =>
      Promise.reject(new Error('not here')),
    )
    await client.sendMessage('go')
    await over()
    expect(ran).toHaveLength(1)
    expect(results()).toHaveLength(1)
    expect(await received()).toContain('"error":"not here"')
  })

  test.each([true, false])(
    'decides on a call with addToolApprovalResponse: %s',
    async (approved) => {
      const { client, over, results } = await openPage([call('a', 'guarded')], () =>
        Promise.resolve(''),
      )
      await client.sendMessage('go')
      await client.addToolApprovalResponse({ id: 'a', approved })
      await over()
      expect(JSON.stringify(results())).toContain(approved ? 'ran with' : 'refused')
    },
  )

  test('decides on several calls, and continues after all decisions', async () => {
    const { client, over, results } = await openPage(
      [call('a', 'guarded'), call('b', 'guarded')],
      () => Promise.resolve(''),
    )
    await client.sendMessage('go')
    await client.addToolApprovalResponse({ id: 'a', approved: true })
    await client.addToolApprovalResponse({ id: 'b', approved: false })
    await over()
    const received = Object.fromEntries(results()) as Record<string, string>
    expect(received['a']).toContain('ran with')
    expect(received['b']).toContain('refused')
  })

  test('approves a call with other arguments', async () => {
    const { client, over, results } = await openPage([call('a', 'guarded', { sacks: 2 })], () =>
      Promise.resolve(''),
    )
    await client.sendMessage('go')
    const [interrupt] = client.getInterrupts()
    if (interrupt?.kind !== 'generic') throw new Error('It is no interrupt that it can resolve.')
    interrupt.resolveInterrupt({ approved: true, editedArgs: { sacks: 3 } })
    await over()
    expect(JSON.stringify(results())).toContain('3')
  })

  test('runs a tool of its page that needs approval first, next to one that does not', async () => {
    const { client, ran, over, results, received } = await openPage(
      [call('s', 'sign', { as: 'me' }), call('c', 'confirm')],
      () => Promise.resolve('by hand'),
    )
    await client.sendMessage('go')
    expect(ran).toEqual([{}])
    await client.addToolApprovalResponse({ id: 's', approved: true })
    await over()
    expect(ran).toEqual([{}, { as: 'me' }])
    expect(Object.fromEntries(results())).toEqual({ c: 'by hand', s: 'by hand' })
    expect(await received()).not.toContain('pendingExecution')
  })

  test('without its own events waits for manual results and decisions', async () => {
    const { client, ran, over, results } = await openPage(
      [call('a', 'guarded'), call('c', 'confirm')],
      () => Promise.resolve('never'),
      '?subagents=drop&cuts=silent',
    )
    await client.sendMessage('go')
    await client.addToolApprovalResponse({ id: 'a', approved: true })
    expect(client.getInterrupts()).toHaveLength(1)
    await client.addToolResult({ toolCallId: 'c', tool: 'confirm', output: 'yes' })
    const [interrupt] = client.getInterrupts()
    if (interrupt?.kind !== 'generic') throw new Error('It is no interrupt that it can resolve.')
    interrupt.resolveInterrupt({ approved: true })
    await over()
    expect(ran).toEqual([])
    expect(Object.fromEntries(results())['c']).toBe('yes')
  })

  test('with an empty chat gets all messages with its next prompt', async () => {
    const { client, open } = await openPage([call('a', 'guarded')], () => Promise.resolve(''))
    await client.sendMessage('go')
    const later = open()
    await later.sendMessage('and now?')
    const texts = later
      .getMessages()
      .flatMap(({ role, parts }) =>
        parts.flatMap((part) => (part.type === 'text' ? [`${role}: ${part.content}`] : [])),
      )
    expect(texts).toEqual(['user: go', 'user: and now?', 'assistant: done'])
  })

  test.each(['at once', 'after the decision'])(
    'does both, if the tool of the page is done %s',
    async (when) => {
      let done: (word: string) => void = () => {}
      const confirmed = new Promise<string>((resolve) => {
        done = resolve
      })
      const { client, ran, over, results } = await openPage(
        [call('a', 'guarded'), call('c', 'confirm')],
        () => confirmed,
      )
      if (when === 'at once') done('yes')
      // It does not resolve before the tools of its page.
      const sent = client.sendMessage('go')
      await expect.poll(() => client.getInterrupts().length, { timeout: 10_000 }).toBe(1)
      const decided = client.addToolApprovalResponse({ id: 'a', approved: true })
      done('yes')
      await Promise.all([sent, decided])
      await over()
      expect(ran).toHaveLength(1)
      expect(new Set(results().map(([id]) => id))).toEqual(new Set(['a', 'c']))
      expect(results()).toHaveLength(2)
    },
  )
})
