import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyLogPlan, playLog } from '../../test/support/any-log.ts'
import { arbitraryStream } from '../../test/support/arbitrary-stream.ts'
import { encodeEnvelope, type Envelope } from '../envelope/index.ts'
import { createTeller, type Telling } from '../telling/index.ts'
import { type CollectedEvent, createCollector } from './collect.ts'
import { createDecoder } from './decode.ts'
import type { Piece } from './stream-event.ts'

const toBlock = ({ type, agent, block: key, ...piece }: Piece) => ({
  type,
  agent,
  key,
  toolUseId: 'callId' in piece ? piece.callId : '',
  name: 'name' in piece ? piece.name : '',
  fields: piece.fields,
})

function toTellings(event: CollectedEvent): readonly object[] {
  const { agent, type } = event
  if (
    type === 'text' ||
    type === 'thinking' ||
    type === 'tool_call' ||
    type === 'server_tool_call'
  ) {
    const block = toBlock(event)
    const { text: delta, start, end, interrupted: isInterrupted } = event
    const input = 'input' in event ? event.input : ''
    const citations = ('citations' in event ? (event.citations ?? []) : []).map(
      ({ citedText, fields }) => ({ citedText, fields }),
    )
    return [
      ...(start ? [{ type: 'block_start', agent, block }] : []),
      ...(delta === '' ? [] : [{ type: 'block_delta', agent, block, delta }]),
      ...(end ? [{ type: 'block_end', agent, block, input, citations, isInterrupted }] : []),
    ]
  }
  if (type === 'tool_result' || type === 'server_tool_result') {
    const { callId: toolUseId, name, text, isError, interrupted: isInterrupted, block: key } = event
    const images = event.images.map(({ src, mediaType }) => ({ src, mediaType }))
    const isServer = type === 'server_tool_result'
    return [
      {
        type: 'result',
        agent,
        isServer,
        toolUseId,
        name,
        text,
        isError,
        isInterrupted,
        images,
        key,
      },
    ]
  }
  if (type === 'rollback') {
    const voided = event.voided.filter((piece) => piece.type !== 'server_tool_result').map(toBlock)
    return [{ type, agent, info: event.payload, voided }]
  }
  if (type === 'tool_status') {
    const { callId: toolUseId, name, stage, detail } = event
    return [{ type: 'status', agent, toolUseId, name, stage, detail }]
  }
  if (type === 'user_message')
    return [{ type: 'steered', agent, text: event.text, key: event.block }]
  if (type === 'unknown') return [{ type: 'other', agent, wire: event.wire, delta: event.text }]
  if (type === 'awaiting_frontend_tools' || type === 'awaiting_approval') {
    const calls = event.calls.map(({ callId, name, input }) => ({ callId, name, input }))
    return [{ type: 'awaiting', agent, what: type, calls }]
  }
  if (type === 'queued_prompt') return [{ type: 'other', agent, wire: type, delta: event.text }]
  return [{ type, agent, info: event.payload }]
}

/** The events of frames, as they were called before. */
function read(frames: readonly Envelope[]) {
  const decoder = createDecoder({ after: 0 })
  const collector = createCollector()
  let id = 0
  const events = frames.flatMap((frame) => {
    id += frame.span ?? 1
    const event = decoder.decode(encodeEnvelope(frame), id)
    return event === undefined ? [] : collector.take(event)
  })
  return [...events, ...collector.finish()].flatMap(toTellings)
}

function normalize(telling: Telling): object {
  const { agent } = telling
  if (telling.type === 'status') {
    const { fields: _, ...rest } = telling
    return rest
  }
  if (telling.type === 'summary') return { ...telling, type: 'run_summary' }
  if (telling.type === 'files') {
    const { files } = telling
    return { type: 'files', agent, info: { files } }
  }
  if (telling.type === 'awaiting') {
    const what = telling.what === 'results' ? 'awaiting_frontend_tools' : 'awaiting_approval'
    const calls = telling.calls.map(({ toolUseId: callId, name, input }) => ({
      callId,
      name,
      input,
    }))
    return { type: 'awaiting', agent, what, calls }
  }
  if (telling.type === 'run_start' || telling.type === 'run_end') {
    const { isRoot: _, ...rest } = telling
    return rest
  }
  if (telling.type === 'other') {
    const { type: wire, delta } = telling.envelope
    if (wire === 'aborted') return { type: 'run_end', agent, info: { stop_reason: 'aborted' } }
    return { type: 'other', agent, wire, delta }
  }
  return telling
}

function tell(frames: readonly Envelope[]) {
  const teller = createTeller('root')
  let id = 0
  const tellings = frames.flatMap((frame) => {
    id += frame.span ?? 1
    return teller.take(frame, id)
  })
  return [...tellings, ...teller.finish()]
    .map(normalize)
    .filter((telling) => !('wire' in telling) || !/^compaction_/.test(String(telling.wire)))
}

/** A frame without an event may have ended a text earlier than the next event does; the order within an agent is the same. */
const byAgent = (tellings: readonly object[]) =>
  ['root', 'left', 'right'].map((agent) =>
    tellings.filter((telling) => (telling as { readonly agent: string }).agent === agent),
  )

const withNames = (frames: readonly Envelope[]) =>
  frames.map((frame) => ({
    ...frame,
    // A call has one name.
    ...('name' in frame && { name: 'grind' }),
    delta: frame.delta.replace(/"tool_use_id":"(\w+)"/, '"tool_use_id":"$1","name":"n"'),
  }))

test('frames in any order give the same events as before', () => {
  fc.assert(
    fc.property(arbitraryStream(), (frames) => {
      const named = withNames(frames)
      expect(byAgent(read(named))).toEqual(byAgent(tell(named)))
    }),
    { numRuns: 2000 },
  )
})

test('the log of any session gives the same events as before', async () => {
  await fc.assert(
    fc.asyncProperty(anyLogPlan, async (plan) => {
      const frames = await playLog(plan)
      expect(read(frames)).toEqual(tell(frames))
    }),
    { numRuns: 60 },
  )
}, 60_000)
