import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text, tool } from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { find, putOlder } from '../../../test/support/stores/sessions-before-port.ts'
import type { Compactor } from '../../agent/compaction/index.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'
import type { JsonObject } from '../../json/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'

const session = '00000000-0000-4000-8000-000000000000'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** A server whose agent compacts its context on request, and which counts the parts that it reads. */
function open(replies: readonly ScriptedReply[], options: Partial<HandlerOptions> = {}) {
  const model = createScriptedModel(replies)
  let isDue = false
  let reads: string[] = []
  const compactor: Compactor = {
    name: 'when told',
    compact: ({ messages }) => {
      if (!isDue) return messages
      isDue = false
      const note = [{ role: 'user', content: [text('so far')] }] as const
      return [...note, { role: 'assistant', content: [text('I see.')] }, ...messages.slice(-1)]
    },
  }
  const tools = [confirm, tool('grind', () => 'flour '.repeat(150)), tool('look_up')]
  const miller = createAgent({ name: 'miller', model, compactor, tools })
  const memory = createMemoryStore()
  const parts: typeof memory.parts = async (...given) => {
    const page = await memory.parts(...given)
    reads.push(...page.map(({ collection, number }) => `${collection} ${number}`))
    return page
  }
  const store = { ...memory, parts }
  const agents = { main: miller }
  const handler = createHandler({
    agents,
    defaultAgent: 'main',
    store,
    recovers: false,
    ...options,
  })
  handlers.push(handler)
  const send = async (path: string, body?: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return (await handler.fetch(new Request(`http://localhost/${path}`, post))).text()
  }
  const ask = (prompt: string, to = session): Promise<string> =>
    send('agent/run', { agent_uuid: to, user_prompt: prompt })
  const conversations = async (of = session): Promise<readonly JsonObject[]> =>
    (
      JSON.parse(await send(`agent/${of}/conversations?limit=100`)) as {
        conversations: JsonObject[]
      }
    ).conversations
  return {
    store,
    model,
    send,
    ask,
    conversations,
    compactNext: () => {
      isDue = true
    },
    /** Returns the parts of the conversation and of its runs that are read. */
    readsOf: async (work: () => Promise<unknown>) => {
      reads = []
      await work()
      return reads.filter((part) => /^(lane:\d+|runs) /.test(part))
    },
  }
}

const grinding = (id: string): readonly ScriptedReply[] => [
  { content: [text('so'), call(id, 'grind')] },
  { content: [text('done')] },
]
const asking: readonly ScriptedReply[] = [{ content: [call('c1', 'confirm')] }]

/** A session with a compaction after `count` runs. */
async function openCompacted(
  count: number,
  more: readonly ScriptedReply[] = [],
  options: Partial<HandlerOptions> = {},
) {
  const script = Array.from({ length: count }, () => grinding('g1')).flat()
  const opened = open([...script, { content: [text('short')] }, ...more], options)
  const ends: number[] = []
  for (let n = 1; n <= count; n++) {
    await opened.ask(`question ${n}`)
    ends.push((await opened.store.info(session))?.tail ?? 0)
  }
  opened.compactNext()
  await opened.ask('short now')
  return { ...opened, ends }
}

const lastRequest = ({ model }: ReturnType<typeof open>) => model.requests.at(-1)?.messages ?? []

test('prompts and answers read as many parts after a long conversation before a compaction as after a short one', async () => {
  const readsAfter = async (count: number): Promise<readonly number[]> => {
    const { ask, send, readsOf } = await openCompacted(count, asking)
    const asked = await readsOf(() => ask('ask me'))
    const results = [{ tool_use_id: 'c1', content: 'yes' }]
    const answered = await readsOf(() =>
      send('agent/tool_results', { agent_uuid: session, tool_results: results }),
    )
    return [asked.length, answered.length]
  }
  expect(await readsAfter(40)).toEqual(await readsAfter(2))
})

test('the history and its summaries are whole after a compaction', async () => {
  const { conversations, send } = await openCompacted(3, asking)
  const known = await conversations()
  expect(known.map(({ user_message: asked }) => asked)).toEqual([
    'short now',
    'question 3',
    'question 2',
    'question 1',
  ])
  expect(known.map(({ messages }) => (messages as unknown[]).length)).toEqual([2, 4, 4, 4])
  const stream_meta_history_and_tool_results = true
  const prompt = { agent_uuid: session, user_prompt: 'all', stream_meta_history_and_tool_results }
  const stream = await send('agent/run', prompt)
  const results = [{ tool_use_id: 'c1', content: 'yes' }]
  const answered = await send('agent/tool_results', { agent_uuid: session, tool_results: results })
  expect(historyIn(stream, 'meta_init', 'message_history')).toHaveLength(15)
  expect(historyIn(answered, 'meta_final', 'conversation_history')).toHaveLength(18)
})

/** Returns a member of the JSON in the frames of a type. */
function historyIn(stream: string, type: string, member: string): unknown {
  const frames = stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as { type: string; delta: string })
  const deltas = frames.flatMap((one) => (one.type === type ? [one.delta] : []))
  return (JSON.parse(deltas.join('')) as JsonObject)[member]
}

test('a branch from before a compaction has the messages, one from after it their summary', async () => {
  const opened = await openCompacted(3, [...grinding('g1'), ...grinding('g1')])
  const { send, ask, ends, store, conversations } = opened
  const [early, late] = ['1', '2'].map((n) => session.replace(/0$/, n)) as [string, string]
  const tail = (await store.info(session))?.tail
  await send(`agent/${session}/fork`, { after: ends[1], branch_uuid: early })
  await send(`agent/${session}/fork`, { after: tail, branch_uuid: late })
  await ask('and now', early)
  const sentEarly = lastRequest(opened)
  expect(JSON.stringify(sentEarly)).toMatch(/question 1.*question 2.*and now/)
  expect(JSON.stringify(sentEarly)).not.toContain('so far')
  expect(sentEarly).toHaveLength(11)
  await ask('and now', late)
  const sentLate = lastRequest(opened)
  expect(JSON.stringify(sentLate)).toMatch(/so far.*short now.*short.*and now/)
  expect(JSON.stringify(sentLate)).not.toContain('question 1')
  // The ids of calls before the compaction stay in use.
  const idsIn = (sent: readonly unknown[]) => JSON.stringify(sent).match(/"id":"g\d"/g)
  expect(idsIn(sentEarly)).toEqual(['"id":"g1"', '"id":"g2"', '"id":"g3"'])
  expect(idsIn(sentLate)).toEqual(['"id":"g4"'])
  expect(await conversations(early)).toHaveLength(3)
  expect((await conversations(late)).map(({ messages }) => (messages as unknown[]).length)).toEqual(
    [4, 2, 4, 4, 4],
  )
})

test('a session of an older version skips its messages from its next compaction on', async () => {
  const older = find('finished')
  const { store, ask, conversations, compactNext, readsOf, model } = open([])
  await putOlder(store, older)
  compactNext()
  await ask('next', older.session)
  const reads = await readsOf(() => ask('last', older.session))
  expect(reads).not.toContain('lane:0 1')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('confirm')
  const known = await conversations(older.session)
  expect(known.map(({ user_message: asked }) => asked)).toEqual([
    'last',
    'next',
    'confirm',
    'look up Lima',
  ])
})

describe('a prompt of AG-UI', () => {
  const toMessages = (content: readonly JsonObject[], role: string, id: string): JsonObject[] => {
    const words = content.map(({ text: said }) => (typeof said === 'string' ? said : ''))
    const calls = content.filter(({ type }) => type === 'tool_use')
    const result = content.find(({ type }) => type === 'tool_result')
    if (result !== undefined)
      return [{ id, role: 'tool', toolCallId: String(result['tool_use_id']), content: 'flour' }]
    const toolCalls = calls.map((one) => {
      const made = { name: String(one['name']), arguments: '{}' }
      return { id: String(one['id']), type: 'function', function: made }
    })
    return [{ id, role, content: words.join(''), ...(calls.length > 0 && { toolCalls }) }]
  }
  const copyOf = (runs: readonly JsonObject[]): JsonObject[] =>
    runs.toReversed().flatMap(({ messages }, run) => {
      const known = messages as unknown as readonly { role: string; content: JsonObject[] }[]
      return known.flatMap(({ role, content }, n) => toMessages(content, role, `m${run}-${n}`))
    })
  const promptOf = (copy: readonly JsonObject[], n = 1) => ({
    threadId: session,
    runId: `r${n}`,
    state: {},
    messages: [...copy, { id: `q${n}`, role: 'user', content: 'and now' }],
    tools: [],
    context: [],
    forwardedProps: {},
  })

  test('with the same history reads as many parts for any length of it, and gets no snapshot', async () => {
    const readsAfter = async (count: number): Promise<number> => {
      const { conversations, readsOf, send } = await openCompacted(count)
      const prompt = promptOf(copyOf(await conversations()))
      let reply = ''
      const reads = await readsOf(async () => {
        reply = await send('ag-ui', prompt)
      })
      expect(reply).toContain('RUN_FINISHED')
      expect(reply).not.toContain('MESSAGES_SNAPSHOT')
      return reads.length
    }
    expect(await readsAfter(30)).toBe(await readsAfter(2))
  })

  test('with another history gets that of the server', async () => {
    const changes: readonly ((copy: JsonObject[]) => JsonObject[])[] = [
      (copy) => copy.slice(1),
      (copy) => copy.slice(0, -1),
      (copy) => copy.map((one) => (one['content'] === 'so' ? { ...one, content: 'no' } : one)),
      (copy) => copy.map(({ toolCalls: _, ...one }) => one),
    ]
    const { conversations, send } = await openCompacted(2)
    for (const [n, change] of changes.entries()) {
      const copy = change(copyOf(await conversations()))
      const reply = await send('ag-ui', promptOf(copy, n))
      expect(reply).toContain('MESSAGES_SNAPSHOT')
    }
  })

  test('is compared with the history itself where a view hides messages or an older version stored the runs', async () => {
    const hidden = await openCompacted(2, [], {
      view: () => ({ hiddenFields: { meta_final: ['conversation_history'] } }),
    })
    const questions = ['question 1', 'question 2', 'short now'].map((content, n) => ({
      id: `m${n}`,
      role: 'user',
      content,
    }))
    expect(await hidden.send('ag-ui', promptOf(questions))).not.toContain('MESSAGES_SNAPSHOT')
    const known = await openCompacted(2)
    const [run] = await known.store.parts(session, 'runs', { before: 99, limit: 1 })
    const info = await known.store.open(session, { owner: 'older', ms: 60_000 })
    const { digest, ...body } = JSON.parse(run?.body ?? '{}') as Record<string, unknown>
    expect(digest).toMatch(/^[\da-z.]+$/)
    const { log, epoch, tail } = info
    const older = { collection: 'runs', number: 3, frame: tail, body: JSON.stringify(body) }
    await known.store.append({
      session,
      log,
      epoch,
      tail,
      lines: [],
      head: info.head ?? '',
      parts: [older],
      lease: 'release',
    })
    const prompt = promptOf(copyOf(await known.conversations()))
    const reads = await known.readsOf(async () => {
      expect(await known.send('ag-ui', prompt)).not.toContain('MESSAGES_SNAPSHOT')
    })
    expect(reads).toContain('runs 1')
  })
})
