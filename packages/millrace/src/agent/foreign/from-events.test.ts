import { describe, expect, test } from 'vitest'
import {
  dieAt,
  eventsIn,
  openServer,
  runLater,
  said,
  session,
} from '../../../test/support/foreign/foreign-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { LoopInput } from './foreign-loop.ts'
import { fromEvents } from './from-events.ts'
import type { LoopEvent } from './loop-event.ts'

const never = new Promise<never>(() => {})

/** Looks something up, and answers with it. */
async function* lookUp({ prompt }: LoopInput): AsyncGenerator<LoopEvent> {
  yield { type: 'thinking', text: 'Let me ' }
  yield { type: 'thinking', text: 'see.' }
  yield { type: 'text', text: 'One ' }
  yield { type: 'text', text: 'moment.' }
  yield { type: 'tool_call', callId: 'c1', name: 'look_up', input: { word: prompt } }
  yield { type: 'tool_progress', callId: 'c1', text: 'Turning pages.' }
  yield { type: 'tool_result', callId: 'c1', name: 'look_up', text: 'a grain' }
  yield { type: 'text', text: `${prompt} is a grain.` }
  yield { type: 'step_end', usage: { input_tokens: 5, output_tokens: 7 } }
}

describe('an agent from a generator of readable events', () => {
  test('runs, and keeps the messages of its runs', async () => {
    const store = createMemoryStore()
    const server = openServer(fromEvents({ name: 'looker', run: lookUp }), store)
    await server.ask('rye')
    const events = await eventsIn(store)
    expect(events.filter(({ type }) => type === 'step_end')).toMatchObject([
      { step: 1, stopReason: 'tool_use' },
      { step: 2, stopReason: 'end_turn', usage: { input_tokens: 5, output_tokens: 7 } },
    ])
    expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    const { conversations } = await server.view('/conversations')
    expect(conversations).toMatchObject([
      {
        final_response: 'rye is a grain.',
        total_steps: 2,
        messages: [
          { role: 'user', content: [{ text: 'rye' }] },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Let me see.' },
              { type: 'text', text: 'One moment.' },
              { type: 'tool_use', id: 'c1', name: 'look_up', input: { word: 'rye' } },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] },
          { role: 'assistant', content: [{ text: 'rye is a grain.' }] },
        ],
      },
    ])
    await server.handler.close()
  })

  test('gets the conversation so far, and ids of calls stay unique', async () => {
    const seen: LoopInput[] = []
    const store = createMemoryStore()
    const server = openServer(
      fromEvents({
        name: 'looker',
        run: (input) => {
          seen.push(input)
          return lookUp(input)
        },
      }),
      store,
    )
    await server.ask('rye')
    await server.ask('oats')
    expect(seen.map(({ messages }) => messages.length)).toEqual([1, 5])
    expect(seen[1]).toMatchObject({ prompt: 'oats', session, answers: [] })
    const calls = (await eventsIn(store)).flatMap((event) =>
      event.type === 'tool_call' ? [event.callId] : [],
    )
    expect(new Set(calls)).toEqual(new Set(['c1', 'c2']))
    await server.handler.close()
  })

  test.each([[[]], [[{ type: 'end', stopReason: 'end_turn' }]]] as const)(
    '[LIFE-14] has its last text whole if it ends with %j',
    async (ends) => {
      const store = createMemoryStore()
      const run = async function* () {
        yield { type: 'thinking', text: 'Let me see.' } as const
        yield { type: 'text', text: 'Rye.' } as const
        yield* ends
      }
      const server = openServer(fromEvents({ name: 'short', run }), store)
      expect(said(await server.ask('rye'))).toBe('Rye.')
      const closed = (await eventsIn(store)).filter((event) => 'end' in event && event.end)
      expect(closed).toMatchObject([
        { type: 'thinking', interrupted: false },
        { type: 'text', interrupted: false },
      ])
      await server.handler.close()
    },
  )

  test('is stopped at once, and its text stays in the conversation', async () => {
    const store = createMemoryStore()
    const inputs: LoopInput[] = []
    const server = openServer(
      fromEvents({
        name: 'slow',
        async *run(input) {
          inputs.push(input)
          yield { type: 'text', text: 'Half' }
          yield { type: 'tool_call', callId: 'c', name: 'wait', input: {} }
          if (inputs.length === 1) await never
        },
      }),
      store,
    )
    const run = server.ask('go')
    await expect
      .poll(async () => (await eventsIn(store)).some(({ type }) => type === 'tool_call'))
      .toBe(true)
    expect(await (await server.post(`${session}/stop`, {})).json()).toMatchObject({ stopped: true })
    expect(await run).toContain('aborted')
    await server.ask('again')
    expect(inputs[1]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'Half' }, { type: 'tool_use', id: 'c' }] },
      { role: 'user', content: [{ type: 'tool_result', is_error: true }] },
      { role: 'user', content: [{ text: 'again' }] },
    ])
    await server.handler.close()
  })

  test('is stopped after a result: the result precedes the text after it', async () => {
    const store = createMemoryStore()
    const inputs: LoopInput[] = []
    const server = openServer(
      fromEvents({
        name: 'slow',
        async *run(input) {
          inputs.push(input)
          yield* lookUp(input)
          yield { type: 'text', text: ' Really' }
          if (inputs.length === 1) await never
        },
      }),
      store,
    )
    const run = server.ask('rye')
    await expect
      .poll(async () =>
        (await eventsIn(store)).some((event) => event.type === 'text' && event.text === ' Really'),
      )
      .toBe(true)
    await server.post(`${session}/stop`, {})
    await run
    await server.ask('oats')
    expect(inputs[1]?.messages).toMatchObject([
      { content: [{ text: 'rye' }] },
      { content: [{ type: 'thinking' }, { type: 'text' }, { type: 'tool_use' }] },
      { content: [{ type: 'tool_result' }] },
      { role: 'assistant', content: [{ text: 'rye is a grain.' }, { text: ' Really' }] },
      { content: [{ text: 'oats' }] },
    ])
    await server.handler.close()
  })

  test('keeps the result of a tool if it fails while it writes another call', async () => {
    const server = openServer(
      fromEvents({
        name: 'cut',
        async *run() {
          yield { type: 'tool_call', callId: 'a', name: 'look_up' }
          yield { type: 'tool_input', callId: 'b', name: 'look_up', text: '{"wo' }
          yield { type: 'tool_result', callId: 'a', text: 'a grain' }
          yield { type: 'error', message: 'The mill is closed.' }
        },
      }),
    )
    expect(said(await server.ask('go'))).toBe('a grain')
    const { conversations } = await server.view('/conversations')
    expect(JSON.stringify(conversations)).toContain('a grain')
    await server.handler.close()
  })

  test('does not pause for a call that has its result', async () => {
    const server = openServer(
      fromEvents({
        name: 'hasty',
        async *run() {
          yield { type: 'tool_call', callId: 'c', name: 'look_up' }
          yield { type: 'awaiting_approval', calls: ['c'] }
          yield { type: 'tool_result', callId: 'c', text: 'done' }
        },
      }),
    )
    await server.ask('go')
    expect(await server.view()).toMatchObject({ status: 'ended' })
    await server.handler.close()
  })

  test.each([
    [{ type: 'text' }, 'event 1: `text.text` must be a string, got undefined'],
    [{ type: 'tool_call', callId: 'c', name: 7 }, '`tool_call.name` must be a string, got number'],
    [{ type: 'texts', text: 'a' }, 'event 1: `type` must be one of text, thinking'],
    ['text', 'event 1: an event must be an object with a `type`, got string'],
    [{ type: 'text', text: '', block: 1 }, '`text` has no field `block`'],
    [
      { type: 'tool_result', callId: 'x', text: '' },
      '`tool_result.callId` is "x", but no call with this id waits',
    ],
    [{ type: 'tool_result', callId: 'x' }, 'must have either `text` or `content`'],
    [{ type: 'awaiting_approval', calls: [3] }, '`awaiting_approval.calls` must hold ids of calls'],
  ])('refuses %j with the field and the number of the event', async (event, problem) => {
    const server = openServer(
      fromEvents({
        name: 'wrong',
        async *run() {
          yield event as LoopEvent
        },
      }),
    )
    expect(JSON.parse(JSON.stringify(await server.ask('go')))).toContain(
      JSON.stringify(JSON.stringify(problem).slice(1, -1)).slice(1, -1),
    )
    expect(await server.view()).toMatchObject({ stop_reason: 'error' })
    await server.handler.close()
  })

  test('reports an error event, and an error that it throws', async () => {
    let fails = true
    const server = openServer(
      fromEvents({
        name: 'failing',
        async *run({ messages }) {
          yield { type: 'text', text: 'Let me see.' }
          if (fails) yield { type: 'error', message: 'The mill is closed.', code: 'closed' }
          else throw new Error(`a secret of ${messages.length}`)
        },
      }),
    )
    expect(await server.ask('go')).toContain('The mill is closed.')
    fails = false
    const thrown = await server.ask('again')
    expect(thrown).toContain('The agent failed unexpectedly')
    expect(thrown).not.toContain('a secret')
    expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'error' })
    await server.handler.close()
  })
})

/** Asks the browser, then a user, then ends. */
async function* buy({ answers }: LoopInput): AsyncGenerator<LoopEvent> {
  const [answer] = answers
  if (answer === undefined) {
    yield { type: 'tool_call', callId: 'ask', name: 'ask_price', input: {} }
    yield { type: 'awaiting_frontend_tools', calls: ['ask'] }
  } else if (answer.kind === 'result') {
    yield { type: 'text', text: `It costs ${String(answer.content)}.` }
    yield { type: 'tool_call', callId: 'pay', name: 'pay', input: { euros: 3 } }
    yield { type: 'awaiting_approval', calls: ['pay'] }
  } else if (answer.kind === 'approved') {
    yield { type: 'tool_result', callId: 'pay', text: `paid ${JSON.stringify(answer.input)}` }
    yield { type: 'text', text: 'Bought.' }
  } else yield { type: 'text', text: `Not bought: ${answer.reason}` }
}

describe('a generator that pauses', () => {
  test('waits for the browser and for a user, and continues with their answers', async () => {
    const store = createMemoryStore()
    const server = openServer(fromEvents({ name: 'buyer', run: buy }), store)
    await server.ask('flour')
    expect(await server.view()).toMatchObject({
      status: 'paused',
      stop_reason: 'awaiting_frontend_tools',
    })
    const asked = await server.answer('ask', '3 euros')
    expect(asked).toContain('It costs 3 euros.')
    const { pending_approvals: pending } = await server.view()
    expect(pending).toMatchObject([{ tool_use_id: 'pay', input: { euros: 3 } }])
    const given = { decision: 'approve', input_hash: pending?.[0]?.input_hash, input: { euros: 2 } }
    const paid = await server.decide('pay', given)
    expect(paid).toContain('Bought.')
    expect(paid).toContain('paid')
    expect(await server.decide('pay', given)).toBe(paid)
    const stages = (await eventsIn(store)).flatMap((event) =>
      event.type === 'tool_status' ? [event.stage] : [],
    )
    expect(stages).toEqual(['approval_requested', 'approved'])
    expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    await server.handler.close()
  })

  test('gets a denial with its reason, and the call an error', async () => {
    const server = openServer(fromEvents({ name: 'buyer', run: buy }))
    await server.ask('flour')
    await server.answer('ask', '3 euros')
    const refused = await server.decide('pay', { decision: 'refuse', reason: 'too dear' })
    expect(refused).toContain('Not bought: too dear')
    expect(refused).toContain('The user refused this call')
    await server.handler.close()
  })

  test('gets an approval that is too late as a denial [APR-4]', async () => {
    const store = createMemoryStore()
    let delayMs = 0
    const agent = runLater(fromEvents({ name: 'buyer', run: buy }), () => delayMs)
    const server = openServer(agent, store, { approvalTtlMs: 60_000 })
    await server.ask('flour')
    await server.answer('ask', '3 euros')
    // As if the server had died after it stored the approval.
    delayMs = 600_000
    const late = await server.decide('pay', { decision: 'approve' })
    expect(late).toContain('Not bought: Nobody decided')
    const stages = (await eventsIn(store)).flatMap((event) =>
      event.type === 'tool_status' ? [event.stage] : [],
    )
    expect(stages).toEqual(['approval_requested', 'expired'])
    await server.handler.close()
  })

  test('is closed by a stop or by a new prompt', async () => {
    const store = createMemoryStore()
    const server = openServer(fromEvents({ name: 'buyer', run: buy }), store)
    await server.ask('flour')
    await server.ask('bread')
    await server.post(`${session}/stop`, {})
    await expect.poll(() => server.view()).toMatchObject({ stop_reason: 'aborted' })
    const results = (await eventsIn(store)).filter(({ type }) => type === 'tool_result')
    expect(results).toHaveLength(2)
    await server.handler.close()
  })
})

describe('a run whose server dies', () => {
  /** Stops responding after a word, once. */
  function twoSteps(recovery: 'rerun' | 'continue' | 'end', hangs: boolean, seen: LoopInput[]) {
    return fromEvents({
      name: 'two-steps',
      recovery,
      async *run(input) {
        seen.push(input)
        if (input.messages.length === 1) {
          yield { type: 'tool_call', callId: 'c', name: 'first', input: {} }
          yield { type: 'tool_result', callId: 'c', text: 'one' }
        }
        yield { type: 'text', text: 'second ' }
        if (hangs) await never
        yield { type: 'text', text: 'step' }
      },
    })
  }

  test.each([
    ['rerun', 1, ['c', 'c_2']],
    ['continue', 3, ['c']],
  ] as const)('and is recovered with `%s`', async (recovery, length, ids) => {
    const seen: LoopInput[] = []
    const { store, server } = await dieAt('second', {
      dying: twoSteps(recovery, true, []),
      next: twoSteps(recovery, false, seen),
      prompt: 'go',
    })
    expect(seen.map(({ messages }) => messages.length)).toEqual([length])
    const events = await eventsIn(store)
    expect(events.filter(({ type }) => type === 'rollback')).toMatchObject([{ step: 2 }])
    const calls = events.filter((event) => event.type === 'tool_call' && event.end)
    expect(calls.map((event) => 'callId' in event && event.callId)).toEqual(ids)
    expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    expect((await server.view('/conversations')).conversations).toMatchObject([
      { final_response: 'second step' },
    ])
    await server.handler.close()
  })

  test('ends with an error where it must not run again', async () => {
    const seen: LoopInput[] = []
    const { store, server } = await dieAt('second', {
      dying: twoSteps('end', true, []),
      next: twoSteps('end', false, seen),
      prompt: 'go',
    })
    expect(seen).toEqual([])
    expect((await eventsIn(store)).slice(-2).map(({ type }) => type)).toEqual(['error', 'run_end'])
    await server.ask('again')
    expect(seen).toHaveLength(1)
    await server.handler.close()
  })

  describe('after an approval, and is repeated', () => {
    /** Pays after an approval, and stops responding at a place, once. */
    const pay = (place: 'tool' | 'result' | undefined, seen: LoopInput[]) =>
      fromEvents({
        name: 'buyer',
        async *run(input) {
          seen.push(input)
          const [answer] = input.answers
          if (answer === undefined) {
            yield { type: 'tool_call', callId: 'pay', name: 'pay', input: { euros: 3 } }
            return yield { type: 'awaiting_approval', calls: ['pay'] }
          }
          yield { type: 'text', text: 'Paying. ' }
          yield { type: 'step_end' }
          if (place === 'tool') await never
          if (answer.kind === 'approved') yield { type: 'tool_result', callId: 'pay', text: 'paid' }
          yield { type: 'text', text: `Over: ${answer.kind}.` }
          if (place === 'result') await never
        },
      })

    async function approveAndDie(place: 'tool' | 'result', laterMs: number) {
      const seen: LoopInput[] = []
      const { store, server } = await dieAt(place === 'tool' ? 'Paying' : 'Over', {
        dying: pay(place, []),
        next: runLater(pay(undefined, seen), () => laterMs),
        prompt: 'go',
        after: ({ decide }) => decide('pay', { decision: 'approve' }),
        ttlMs: 60_000,
      })
      const events = await eventsIn(store)
      const stages = events.flatMap((one) => (one.type === 'tool_status' ? [one.stage] : []))
      const results = events.flatMap((one) => (one.type === 'tool_result' ? [one.text] : []))
      expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
      await server.handler.close()
      return { seen, stages, results }
    }

    test('the loop gets the approval again while it is valid', async () => {
      const { seen, stages, results } = await approveAndDie('tool', 0)
      expect(seen[0]?.answers).toMatchObject([{ callId: 'pay', kind: 'approved' }])
      expect(stages).toEqual(['approval_requested', 'approved'])
      expect(results).toEqual(['paid'])
    })

    test('an approval that has expired meanwhile is a denial [APR-4]', async () => {
      const { seen, stages, results } = await approveAndDie('tool', 600_000)
      expect(seen[0]?.answers).toMatchObject([
        { callId: 'pay', kind: 'refused', reason: expect.stringContaining('in time') },
      ])
      expect(stages).toEqual(['approval_requested', 'approved', 'expired'])
      expect(results).toEqual([expect.stringContaining('Nobody decided')])
    })

    test.each([0, 600_000])('a stored result stays, %i ms later', async (laterMs) => {
      const { seen, stages, results } = await approveAndDie('result', laterMs)
      expect(seen[0]?.answers).toMatchObject([
        { callId: 'pay', kind: 'result', content: 'paid', isError: false },
      ])
      expect(stages).toEqual(['approval_requested', 'approved'])
      expect(results).toEqual(['paid'])
    })
  })
})
