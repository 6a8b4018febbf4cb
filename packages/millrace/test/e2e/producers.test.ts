import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromProducer } from '../../src/agent/foreign/producer/from-producer.ts'
import type { Store } from '../../src/stores/port/index.ts'
import {
  eventsIn,
  type ForeignServer,
  openServer,
  said,
  session,
} from '../support/foreign/foreign-server.ts'
import { openProducer, readCommands, sendEvents } from '../support/foreign/test-producer.ts'
import { createLosable } from '../support/stores/losable-store.ts'
import { type SharedPlace, storeKinds } from '../support/stores/store-kinds.ts'

const text = (piece: string) => ({ type: 'text', text: piece }) as const
const stepEnd = { type: 'step_end' } as const
const end = { type: 'end', stopReason: 'end_turn' } as const
const call = (callId: string, name = 'pay') =>
  ({ type: 'tool_call', callId, name, input: { for: 'rye' } }) as const

const agent = fromProducer({ name: 'far' })

describe.each(storeKinds)('a run from another process in $name', ({ missing, open }) => {
  describe.skipIf(missing !== '')(`is produced over HTTP${missing}`, () => {
    let place: SharedPlace
    let store: Store
    const servers: ForeignServer[] = []

    beforeEach(async () => {
      place = await open()
      store = place.connect()
    })

    afterEach(async () => {
      await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
      await place.close()
    })

    const startServer = (): ForeignServer => {
      const server = openServer(agent, place.connect())
      servers.push(server)
      return server
    }

    /** Starts a run without waiting for its end. */
    const begin = async (server: ForeignServer, prompt = 'rye'): Promise<void> => {
      const { handler } = server
      const response = await handler.fetch(
        new Request('http://localhost/agent/run', {
          method: 'POST',
          headers: { 'content-type': 'application/json', prefer: 'respond-async' },
          body: JSON.stringify({ agent_uuid: session, user_prompt: prompt }),
        }),
      )
      expect(response.status).toBe(202)
    }

    /** A server whose store is lost, and a server that takes over its run. */
    const startDying = () => {
      const losable = createLosable({ ...place.connect(), isDurable: true, send: async () => {} })
      // It cannot be closed: its last append never ends.
      const server = openServer(agent, losable)
      const die = async (): Promise<void> => {
        losable.lose()
        const { epoch = 0 } = (await store.info(session)) ?? {}
        await store.renew(session, epoch, { owner: 'dead', ms: 0 })
      }
      return { server, die }
    }

    /** The text and results of the log without those that were rolled back, and the number of rollbacks. */
    const settled = async (server: ForeignServer): Promise<string> => {
      const url = `http://localhost/agent/${session}/stream?settled=1`
      return said(await (await server.handler.fetch(new Request(url))).text())
    }

    test('[PROD-1] [PROD-2] with each batch repeated, each event once', async () => {
      const server = startServer()
      await begin(server)
      const { opened, epoch, send } = await openProducer(server.handler)
      expect(opened).toMatchObject({ status: 200, epoch: 1, next: 0, prompt: 'rye', steers: 0 })
      expect(opened.messages).toMatchObject([{ role: 'user', content: [{ text: 'rye' }] }])
      const batches = [[text('One '), text('moment.')], [call('c1', 'look_up')], [stepEnd]] as const
      let seq = 0
      for (const batch of batches) {
        const next = seq + batch.length
        for (let times = 0; times < 3; times++)
          expect(await send(seq, batch)).toEqual({ status: 200, epoch, next })
        seq = next
      }
      const result = { type: 'tool_result', callId: 'c1', text: 'a grain' } as const
      expect(await send(seq - 1, [stepEnd, result, text('A '), text('grain.')])).toMatchObject({
        next: 7,
      })
      for (let times = 0; times < 2; times++)
        expect(await send(7, [end])).toEqual({ status: 200, epoch, next: 8 })
      expect(await settled(server)).toBe('One moment.a grainA grain.')
      expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
      const { conversations } = await server.view('/conversations')
      expect(conversations).toMatchObject([{ final_response: 'A grain.', total_steps: 2 }])
    })

    test('[PROD-2] [PROD-3] with gaps, old epochs and wrong events refused, and nothing of them stored', async () => {
      const server = startServer()
      await begin(server)
      const first = await openProducer(server.handler)
      await first.append(text('kept'))
      expect(await first.send(2, [text('gap')])).toMatchObject({
        status: 409,
        error: { code: 'conflict', reason: 'gap', next: 1 },
      })
      const wrong = await first.send(1, [text('lost'), { type: 'text', text: 7 } as never])
      expect(wrong).toMatchObject({
        status: 400,
        error: { message: expect.stringContaining('event 2: `text.text` must be a string') },
      })
      const unknown = { type: 'tool_result', callId: 'x', text: '' } as const
      expect(await first.send(1, [text('lost'), unknown])).toMatchObject({ status: 400 })
      expect(await first.send(1, [end, text('late')])).toMatchObject({ status: 400 })
      const nothing = { type: 'awaiting_approval', calls: [] } as const
      expect(await first.send(1, [nothing])).toMatchObject({
        status: 400,
        error: { message: expect.stringContaining('`awaiting_approval.calls` is empty') },
      })
      const second = await openProducer(server.handler)
      expect(second.opened).toMatchObject({ epoch: 2, next: 1 })
      expect(await first.send(1, [text('old')])).toMatchObject({
        status: 409,
        error: { code: 'lease_lost', reason: 'epoch', epoch: 2 },
      })
      expect(await first.send(0, [text('kept')])).toMatchObject({ status: 409 })
      await second.append(text(' new'), end)
      expect(await settled(server)).toBe('kept new')
    })

    test('[PROD-2] whose server dies between an append and its reply, and in the middle of a step', async () => {
      const dying = startDying()
      await begin(dying.server)
      const first = await openProducer(dying.server.handler)
      await first.append(text('One.'), stepEnd, text('Tw'), text('o '))
      await first.append(call('c1'), { type: 'tool_progress', callId: 'c1', text: 'working' })
      await dying.die()
      const server = startServer()
      const { epoch } = first
      const send = (seq: number, events: readonly object[]) =>
        sendEvents(server.handler, { epoch, seq, events })
      // The reply to this batch was lost.
      const repeated = [call('c1'), { type: 'tool_progress', callId: 'c1', text: 'working' }]
      expect(await send(4, repeated)).toEqual({ status: 200, epoch, next: 6 })
      const result = { type: 'tool_result', callId: 'c1', text: ' paid ' }
      expect(await send(6, [result, text('Done.')])).toMatchObject({ next: 8 })
      expect(await send(8, [end])).toMatchObject({ next: 9 })
      expect(await settled(server)).toBe('One.Two  paid Done.')
      const calls = (await eventsIn(store)).filter(({ type }) => type === 'tool_call')
      expect(calls).toMatchObject([{ callId: 'c1' }])
    })

    test('[PROD-2] by any server of the store while another one has the run', async () => {
      const [one, two] = [startServer(), startServer()]
      await begin(one)
      let turn = 0
      const { opened, append } = await openProducer(
        () => [one, two][turn++ % 2]?.handler ?? one.handler,
      )
      expect(opened.status).toBe(200)
      const words = ['a ', 'b ', 'c ', 'd ', 'e ', 'f']
      for (const word of words) expect(await append(text(word))).toMatchObject({ status: 200 })
      for (const { handler } of [one, two]) {
        const wrong = { epoch: opened.epoch, seq: 6, events: [{ type: 'text' }] }
        expect(await sendEvents(handler, wrong)).toMatchObject({ status: 400 })
        const stale = { epoch: opened.epoch + 1, seq: 6, events: [] }
        expect(await sendEvents(handler, stale)).toMatchObject({ status: 409 })
        const alive = { epoch: opened.epoch, seq: 6, events: [] }
        expect(await sendEvents(handler, alive)).toMatchObject({ status: 200, next: 6 })
      }
      expect(await append(end)).toMatchObject({ status: 200, next: 7 })
      expect(await settled(two)).toBe(words.join(''))
      expect(await openProducer(two.handler)).toMatchObject({
        opened: { status: 409, error: { reason: 'over' } },
      })
    })

    test('[PROD-5] [PROD-6] with a message, delivered once, also after a cut', async () => {
      const server = startServer()
      await begin(server)
      const { opened, send, append } = await openProducer(server.handler)
      await append(text('One.'))
      const steered = await server.post(`${session}/steer`, { user_prompt: 'Be brief.' })
      expect(steered.status).toBe(200)
      await append(stepEnd)
      const [message] = await readCommands(server.handler, 1, opened.cursor)
      expect(message).toMatchObject({ type: 'steer', number: 1, text: 'Be brief.' })
      expect(await send(2, [end], { steers: 0 })).toMatchObject({
        status: 409,
        error: { reason: 'steers_unread', steers: 1 },
      })
      const other = await openProducer(server.handler)
      expect(other.opened.messages?.at(-1)).toMatchObject({ content: [{ text: 'Be brief.' }] })
      expect(await other.send(2, [text('Two.'), end], { steers: 1 })).toMatchObject({ status: 200 })
      const rest = await readCommands(server.handler, 1, message?.id)
      expect(rest).toMatchObject([{ type: 'end', stop_reason: 'end_turn' }])
      const all = await readCommands(server.handler, 3)
      expect(all.map(({ type }) => type)).toEqual(['run', 'steer', 'end'])
    })

    test('[PROD-5] that is stopped, also if its producer is gone', async () => {
      const server = startServer()
      await begin(server)
      const { opened, append } = await openProducer(server.handler)
      await append(text('One'))
      expect(await (await server.post(`${session}/stop`, {})).json()).toEqual({ stopped: true })
      expect(await append(text(' more'))).toMatchObject({ status: 409, error: { reason: 'over' } })
      expect(await readCommands(server.handler, 1, opened.cursor)).toMatchObject([{ type: 'stop' }])
      expect(await server.view()).toMatchObject({ stop_reason: 'aborted' })
      expect(await settled(server)).toBe('One')
    })

    test('[PROD-4] that pauses for an approval and the browser, and continues with the answers on another server', async () => {
      const dying = startDying()
      await begin(dying.server)
      const first = await openProducer(dying.server.handler)
      const pausing = [
        call('c1'),
        call('c2', 'ask_price'),
        { type: 'awaiting_approval', calls: ['c1'] },
        { type: 'awaiting_frontend_tools', calls: ['c2'] },
      ] as const
      expect(await first.append(...pausing)).toMatchObject({ status: 200, next: 4 })
      expect(await first.send(0, pausing)).toMatchObject({ status: 200, next: 4 })
      expect(await first.send(4, [text('early')])).toMatchObject({
        status: 409,
        error: { reason: 'paused' },
      })
      await dying.die()
      const server = startServer()
      expect(await server.view()).toMatchObject({ status: 'paused' })
      // The stream of the last answer is that of the resumed run.
      const decided = server.decide('c1', { decision: 'approve', input: { for: 'oats' } })
      await decided
      void server.answer('c2', 'three')
      const commands = await readCommands(server.handler, 2, first.opened.cursor)
      expect(commands).toMatchObject([
        { type: 'decision', call_id: 'c1', outcome: 'approved', input: { for: 'oats' } },
        { type: 'result', call_id: 'c2', text: 'three', is_error: false },
      ])
      const second = await openProducer(server.handler)
      expect(second.opened).toMatchObject({ epoch: 2, next: 4 })
      expect(second.opened.answers).toMatchObject([
        { callId: 'c1', kind: 'approved', input: { for: 'oats' }, isEdited: true },
        { callId: 'c2', kind: 'result', content: 'three' },
      ])
      const stale = { epoch: first.epoch, seq: 4, events: [end] }
      expect(await sendEvents(server.handler, stale)).toMatchObject({ status: 409 })
      const result = { type: 'tool_result', callId: 'c1', text: 'paid' } as const
      expect(await second.append(result, text('Bought.'), end)).toMatchObject({ status: 200 })
      expect(await settled(server)).toContain('paidBought.')
    })

    test('again with the next prompt, for which the producer needs a new epoch, and ids of calls stay unique', async () => {
      const server = startServer()
      await begin(server)
      const first = await openProducer(server.handler)
      const work = [call('c1'), { type: 'tool_result', callId: 'c1', text: 'one' }] as const
      await first.append(...work, end)
      await begin(server, 'oats')
      expect(await first.send(0, [text('old')])).toMatchObject({
        status: 409,
        error: { code: 'lease_lost' },
      })
      const second = await openProducer(server.handler)
      expect(second.opened).toMatchObject({ epoch: 2, next: 0, prompt: 'oats' })
      await second.append(call('c1'), stepEnd)
      await second.append({ type: 'tool_result', callId: 'c1', text: 'two' }, end)
      const results = (await eventsIn(store)).filter(({ type }) => type === 'tool_result')
      expect(results).toMatchObject([
        { callId: 'c1', text: 'one' },
        { callId: 'c2', text: 'two' },
      ])
    })
  })
})
