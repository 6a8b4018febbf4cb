import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  blockDelta,
  blockStart,
  blockStop,
  endOf,
  messageEnd,
  messageStart,
  noticesOf,
  readEvents,
  textBlock,
  toBody,
  toolBlock,
  withoutNotices,
} from '../../../test/support/models/anthropic-events.ts'
import {
  checkModelEvents,
  readChecked as read,
} from '../../../test/support/models/check-model-events.ts'
import { cutAt, cutList } from '../../../test/support/cut-text.ts'
import {
  anyCut,
  anyStream,
  collectEvents,
  faultsOf,
  recorded,
  runnable,
  spoken,
} from '../../../test/support/models/edge-streams.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import {
  foundBlock,
  ownStreams,
  searchBlock,
  thinkingBlock,
  wholeBlock,
} from '../../../test/support/models/message-streams.ts'
import { checkCuts } from '../../../../tools/src/conformance/recordings/check-cuts.ts'
import { checkGolden } from '../../../../tools/src/conformance/recordings/check-golden.ts'
import { checkPings } from '../../../../tools/src/conformance/recordings/check-pings.ts'
import { type ContentBlock, toUsageTotals } from '../../events/index.ts'
import { createPartialJson, type JsonObject } from '../../json/index.ts'
import { continueRequest, findServerToolUses } from './request/continue-request.ts'
import { createMessageReader } from './reader/message-reader.ts'
import { streamAnthropicMessage } from './reader/message-stream.ts'

const unicode = fc.string({ unit: 'binary', maxLength: 40 })
const anyInput = fc.dictionary(unicode, fc.jsonValue())
const answer = (content: readonly ContentBlock[]) => ({ role: 'assistant' as const, content })
const encode = (...events: JsonObject[]) => new TextEncoder().encode(toBody(events))
const options = { signal: undefined, idleTimeoutMs: 1000, maxFrameChars: 1_000_000 }

describe('edge case', () => {
  test('1, network interruption: one end, all text kept, no incomplete call run, a plain retry only before any block', async () => {
    expect(await faultsOf(checkCuts)).toEqual([])
    fc.assert(
      fc.property(anyCut, ({ events, place }) => {
        const out = read(events.slice(0, place))
        const { outcome, retry, content } = endOf(out)
        expect(runnable(out)).toEqual([])
        if (outcome !== 'interrupted') return
        const isBegun = out.some(({ type }) => type === 'block_start')
        expect(retry).toBe(isBegun ? 'continue' : 'request')
        const kept = content.filter(({ type }) => type === 'text')
        expect(kept.map(({ text }) => text).join('')).toBe(spoken(out))
      }),
    )
  })

  test('2, tool JSON: any chunks give the complete value, visible after every chunk', () => {
    fc.assert(
      fc.property(anyInput, cutList, fc.boolean(), (input, cuts, isEscaped) => {
        const json = JSON.stringify(input)
        const text = isEscaped ? json.replace(/[\u0080-\uffff]/g, toEscape) : json
        const out = read(messageStart(), toolBlock(0, 'f', ...cutAt(text, cuts)), messageEnd())
        expect(endOf(out).content[0]?.['input']).toEqual(JSON.parse(text))
        const partial = createPartialJson()
        for (const event of out) if (event.type === 'block_delta') partial.feed(event.text)
        expect(partial.value).toEqual(JSON.parse(text))
      }),
    )
    for (const pieces of [[], [''], ['', '']]) {
      const start = { type: 'tool_use', id: 't', name: 'f', input: { given: [1] } }
      const rest = toolBlock(0, 'f', ...pieces).slice(1)
      const out = read(messageStart(), blockStart(0, start), rest, messageEnd())
      expect(endOf(out).content).toEqual([start])
    }
  })

  test('3, several blocks: the message of the official SDK; order, types and unknown blocks unchanged', async () => {
    expect(await faultsOf(checkGolden)).toEqual([])
    const type = fc.constantFrom('new_thing', 'web_fetch_tool_result', 'fallback')
    fc.assert(
      fc.property(fc.array(fc.record({ type, data: fc.jsonValue() })), (content) => {
        const events = content.flatMap((block, index) => wholeBlock(index, block as JsonObject))
        expect(endOf(read(messageStart(), events, messageEnd())).content).toEqual(content)
      }),
    )
  })

  test('4, thinking: unchanged, last signature, kept without text, not kept without a signature', () => {
    fc.assert(
      fc.property(unicode, cutList, unicode, unicode, (thinking, cuts, first, signature) => {
        const block = thinkingBlock(0, first, ...cutAt(thinking, cuts))
        const last = blockDelta(0, 'signature_delta', { signature })
        const out = read(messageStart(), block.slice(0, -1), last, blockStop(0), messageEnd())
        expect(endOf(out).content).toEqual([{ type: 'thinking', thinking, signature }])
        const cut = endOf(read(messageStart(), block.slice(0, -2), messageEnd('max_tokens')))
        expect([cut.content, cut.cut?.[0]?.text]).toEqual([[], thinking])
      }),
    )
    for (const { messages, frames } of recorded) {
      const raw = JSON.stringify(frames)
      const blocks = messages.flatMap(({ end }) => end.content)
      for (const { type, signature = '' } of blocks)
        if (type === 'thinking') expect(raw).toContain(JSON.stringify(signature))
    }
  })

  test('5, results of server tools: complete with their id up to 16 MB, opaque fields unchanged, errors belong to the tool', async () => {
    const encrypted_content = 'QUJD'.repeat(4_000_000)
    const content = [{ type: 'web_search_result', url: 'u', encrypted_content }]
    const result = { type: 'web_search_tool_result', tool_use_id: 's1', content }
    const failed = { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' }
    const bytes = encode(
      messageStart(),
      ...searchBlock(0, 's1'),
      ...wholeBlock(1, result),
      ...searchBlock(2, 's2', { name: 'web_fetch' }),
      ...wholeBlock(3, { type: 'web_fetch_tool_result', tool_use_id: 's2', content: failed }),
      ...messageEnd(),
    )
    async function* body() {
      for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384)
    }
    const large = { ...options, maxFrameChars: 16 * 1024 * 1024 }
    const end = endOf(await collectEvents(streamAnthropicMessage(async () => body(), large)))
    expect(end.outcome).toBe('finished')
    expect(JSON.stringify(end.content[1]) === JSON.stringify(result)).toBe(true)
    const uses = findServerToolUses([answer(end.content)])
    expect(uses.map(({ problem }) => problem)).toEqual([undefined, 'url_not_accessible'])
  })

  test('6, error recovery: the continuation of any interruption is a valid request', () => {
    const question = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const
    const request = { messages: [question], maxTokens: 10 }
    const check = ({ events, place }: { events: readonly JsonObject[]; place: number }) => {
      const end = endOf(readEvents(events.slice(0, place + 1)))
      const next = continueRequest(request, end)
      if (next === undefined || next === request) return
      const last = next.messages.at(-1)
      const isPaused = end.stopReason === 'pause_turn' || end.stopReason === 'compaction'
      if (isPaused) expect(last?.content).toEqual(end.content)
      else expect(last?.role).toBe('user')
      // Beside local calls, a provider call may wait for a later message.
      const mayWait = isPaused || end.stopReason === 'tool_use'
      if (!mayWait) expect(chainFaults(next.messages)).toEqual([])
    }
    fc.assert(fc.property(anyCut, check), { numRuns: 500 })
  })

  test('7, order: events in any order never throw, run no incomplete call and end once; message_stop is the end', () => {
    const ghost = blockDelta(9, 'text_delta', { text: 'x' })
    const stray = fc.constantFrom(ghost, blockStop(9), blockStop(0), messageStart())
    fc.assert(
      fc.property(anyStream, fc.array(fc.tuple(fc.nat(), stray)), (events, strays) => {
        const mixed = [...events]
        for (const [place, event] of strays) mixed.splice(place % (mixed.length + 1), 0, event)
        const out = read(mixed)
        const ended = out.map((event) => event.type === 'block_end' && event.content)
        for (const call of runnable(out)) expect(ended).toContainEqual(call)
      }),
    )
    const again = read(messageStart(), messageStart(), textBlock(0, 'a'), messageEnd())
    expect([endOf(again).outcome, noticesOf(again).length]).toEqual(['finished', 1])
    const other = [messageStart({ id: 'msg_2' }), ...messageEnd('tool_use')]
    const { failure } = endOf(read(messageStart(), toolBlock(0, 'f', '{}'), other))
    expect(failure?.type).toBe('spliced_message')
    const late: unknown[] = []
    const reader = createMessageReader({ onLate: ({ raw }) => late.push(raw) })
    const after = toolBlock(0, 'f', '{}')
    for (const event of [messageStart(), ...messageEnd(), ...after]) reader.feed(event)
    expect([reader.ended, late]).toEqual([true, after])
  })

  test('8, ping: any number at any position has no effect except to prevent the timeout', async () => {
    expect(await faultsOf(checkPings)).toEqual([])
    vi.useFakeTimers()
    async function* body(pauses: number, pingsIn: number) {
      for (const event of [...textBlock(0, 'a'), ...messageEnd()]) {
        for (let ping = 0; ping < pauses; ping++) {
          await new Promise((resolve) => setTimeout(resolve, 600))
          if (ping < pingsIn) yield encode({ type: 'ping' })
        }
        yield encode(event)
      }
    }
    const outcomeOf = async (pings: number) => {
      const reading = collectEvents(streamAnthropicMessage(async () => body(3, pings), options))
      await vi.advanceTimersByTimeAsync(20_000)
      return endOf(await reading).outcome
    }
    expect([await outcomeOf(2), await outcomeOf(0)]).toEqual(['finished', 'interrupted'])
    vi.useRealTimers()
  })

  test('9, unknown types: each is stored unchanged without other effects', () => {
    const unknown = fc.constantFrom<JsonObject>({ type: 'new_event', x: [1] }, { type: 'toString' })
    fc.assert(
      fc.property(anyCut, unknown, ({ events, place }, raw) => {
        const mixed = readEvents([...events.slice(0, place), raw, ...events.slice(place)])
        expect(withoutNotices(mixed)).toEqual(withoutNotices(readEvents(events)))
        const isNoted = mixed.some((event) => event.type === 'notice' && event.raw === raw)
        expect(isNoted || endOf(readEvents(events.slice(0, place))).outcome !== 'interrupted').toBe(
          true,
        )
      }),
    )
    const citation = { type: 'new_location', cited_text: 'x', place: { a: 1 } }
    const block = { type: 'new_block', data: { a: 1 } }
    const raw = blockDelta(1, 'new_delta', { z: 1 })
    const deltas = [raw, blockDelta(1, 'citations_delta', { citation }), blockStop(1)]
    const text = blockStart(1, { type: 'text', text: 'ok' })
    const call = toolBlock(2, 'f', '{}')
    const out = read(messageStart(), wholeBlock(0, block), text, deltas, call, messageEnd('new'))
    expect(endOf(out)).toMatchObject({
      outcome: 'finished',
      stopReason: 'new',
      content: [block, { type: 'text', text: 'ok', citations: [citation] }, { type: 'tool_use' }],
    })
    expect(runnable(out)).toEqual([])
    expect(out).toContainEqual(expect.objectContaining({ type: 'notice', raw }))
    const error = { type: 'new_error', message: 'm', hint: 1 }
    const { failure } = endOf(read(messageStart(), { type: 'error', error }))
    expect(failure).toMatchObject({ type: 'new_error', retriable: false, details: { hint: 1 } })
  })

  test('10, token counts: the last non-null value of each field, never a sum or a maximum', () => {
    const field = fc.constantFrom('input_tokens', 'output_tokens', 'a', 'b')
    const report = fc.option(fc.dictionary(field, fc.option(fc.nat())))
    fc.assert(
      fc.property(fc.array(report, { minLength: 1 }), (reports) => {
        const deltas = reports.map((usage) => ({ type: 'message_delta', ...(usage && { usage }) }))
        const { usage } = endOf(
          readEvents([messageStart({ usage: reports[0] ?? null }), ...deltas]),
        )
        for (const name of ['input_tokens', 'output_tokens', 'a', 'b']) {
          const counts = reports.map((one) => one?.[name]).filter((count) => count != null)
          expect(usage[name] ?? undefined).toBe(
            counts.at(-1) ?? (name.endsWith('s') ? 0 : undefined),
          )
        }
      }),
    )
    const start = messageStart({ usage: { input_tokens: 2479, output_tokens: 1 } })
    for (const input_tokens of [404_500, 28])
      expect(endOf(readEvents([start, ...messageEnd('x', { input_tokens })])).usage).toEqual({
        input_tokens,
        output_tokens: 1,
      })
  })

  test('11, cache usage: input with cache reads and writes, kept separately, other iterations in addition', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 3 }
    const usage = { input_tokens: 5, cache_creation_input_tokens: 10, cache_creation }
    const iterations = [
      { type: 'message', input_tokens: 40, output_tokens: 2 },
      { type: 'advisor_message', input_tokens: 900, output_tokens: 9 },
      { type: 'compaction', input_tokens: 500, output_tokens: 5 },
    ]
    const later = {
      output_tokens: 4,
      cache_read_input_tokens: 100,
      cache_creation: null,
      iterations,
    }
    const end = endOf(read(messageStart({ usage }), messageEnd('end_turn', later)))
    expect(end.usage).toMatchObject({ cache_creation, iterations })
    expect(toUsageTotals(end.usage)).toEqual({
      inputTokens: 115,
      outputTokens: 4,
      extraInputTokens: 1400,
      extraOutputTokens: 14,
      contextTokens: 42,
    })
  })

  test('12, several servers: results find their call in this or an earlier message', () => {
    const paused = endOf(read(ownStreams['paused'] ?? [])).content
    expect(findServerToolUses([answer(paused)]).map(({ result }) => result)).toEqual([undefined])
    const more = ownStreams['tools of the provider']?.slice(1) ?? []
    const next = endOf(read(messageStart(), foundBlock(0, 's3'), more)).content
    const uses = findServerToolUses([answer(paused), answer(next)])
    const ids = ['s3', 's1', 'c1', 's2', 'm1']
    expect(uses.map(({ call }) => call['id'])).toEqual(ids)
    expect(uses.map(({ result }) => result?.['tool_use_id'])).toEqual(ids)
    expect(uses[3]?.call['caller']).toMatchObject({ tool_id: 'c1' })
    const servers = ['kb', 'wiki']
    const twins = servers.flatMap((server_name, index) =>
      searchBlock(index, `m${index}`, { type: 'mcp_tool_use', name: 'find', server_name }),
    )
    const both = findServerToolUses([answer(endOf(read(messageStart(), twins)).content)])
    expect(both.map(({ call }) => call['server_name'])).toEqual(servers)
  })

  test('13, buffers: a frame over the limit fails the message, a slow consumer slows the source', async () => {
    let pulled = 0
    async function* slow() {
      for (const event of [
        messageStart(),
        ...textBlock(0, 'a', 'b', 'c', 'd', 'e', 'f'),
        ...messageEnd(),
      ]) {
        pulled++
        yield encode(event)
      }
    }
    let emitted = 0
    for await (const { type } of streamAnthropicMessage(async () => slow(), options))
      if (type !== 'message_end') expect(pulled).toBeLessThanOrEqual(++emitted + 1)
    async function* endless() {
      yield new TextEncoder().encode(`${toBody([messageStart()])}data: `)
      for (;;) yield new TextEncoder().encode('x'.repeat(10_000))
    }
    const end = endOf(await collectEvents(streamAnthropicMessage(async () => endless(), options)))
    expect(end).toMatchObject({ outcome: 'failed', failure: { type: 'frame_too_large' } })
  })

  test('14, index: for any index, deltas reach the one open block, in start order', () => {
    const anyIndices = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 1 })
    fc.assert(
      fc.property(anyStream, anyIndices, (events, indices) => {
        let starts = 0
        const mixed = events.map((event) => {
          if (event['type'] !== 'content_block_start') return event
          return { ...event, index: indices[starts++ % indices.length] ?? 0 }
        })
        const out = readEvents(mixed)
        checkModelEvents(out)
        expect(endOf(out).content).toEqual(endOf(readEvents(events)).content)
      }),
    )
  })

  test('15, partial JSON: the text and partial value of an interrupted call are visible, and it is never run', () => {
    const anyReason = fc.constantFrom('max_tokens', 'refusal', undefined)
    fc.assert(
      fc.property(anyInput, fc.nat(), anyReason, (input, place, reason) => {
        const json = JSON.stringify(input)
        const text = json.slice(0, place % (json.length + 1))
        const open = [messageStart(), ...toolBlock(0, 'f', text).slice(0, -1)]
        const out = read(open, reason === undefined ? [] : messageEnd(reason))
        const { content, cut } = endOf(out)
        expect([runnable(out), content]).toEqual([[], []])
        expect(cut).toMatchObject([{ kind: 'tool_call', content: { name: 'f' }, text }])
        const partial = createPartialJson()
        partial.feed(text)
        expect(partial.status).not.toBe('failed')
        const closed = read(open, blockStop(0), messageEnd(reason ?? 'max_tokens'))
        expect(runnable(closed)).toEqual([])
      }),
    )
    const out = read(messageStart(), toolBlock(0, 'f', '{"n": 12'), messageEnd('tool_use'))
    expect(noticesOf(out)).toHaveLength(1)
    const block = out.find((event) => event.type === 'block_end')
    expect(block).toMatchObject({ inputText: '{"n": 12', content: { input: {} } })
  })
})

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
