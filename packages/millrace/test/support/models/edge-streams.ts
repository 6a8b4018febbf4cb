import fc from 'fast-check'
import {
  frameBody,
  type Recording,
  type RecordingCheck,
} from '../../../../tools/src/conformance/recordings/recording-check.ts'
import { readMessages } from '../../../../tools/src/conformance/recordings/read-messages.ts'
import type { ContentBlock, ModelEvent } from '../../../src/events/index.ts'
import { isJsonObject } from '../../../src/json/index.ts'
import { endOf, toBody } from './anthropic-events.ts'
import { ownStreams, someRecordings } from './message-streams.ts'

function prepare(recording: Recording) {
  const framed = frameBody(recording.body)
  return { ...recording, ...framed, messages: readMessages(framed.frames) }
}

const own = Object.entries(ownStreams).map(([name, events]) =>
  prepare({ name, body: new TextEncoder().encode(toBody(events)), golden: undefined }),
)

/** Recorded streams; none without recordings beside the repository. */
export const recorded = (await someRecordings(60)).map(prepare)

/** The events of any stream, ours or recorded. */
export const anyStream = fc.constantFrom(
  ...[...own, ...recorded].map(({ frames }) => frames.filter(isJsonObject)),
)

/** The same, and a position in it. */
export const anyCut = fc
  .tuple(anyStream, fc.nat())
  .map(([events, place]) => ({ events, place: place % events.length }))

/** The findings of a check of recordings in our streams and in the recorded ones. */
export async function faultsOf(check: RecordingCheck): Promise<readonly string[]> {
  const results = await Promise.all([...own, ...recorded].map(async (one) => check.run(one)))
  return results.flatMap(({ faults }) => faults)
}

/** The calls that may run: those of a message that finished and requests them. */
export function runnable(events: readonly ModelEvent[]): readonly ContentBlock[] {
  const { outcome, stopReason, content } = endOf(events)
  const isReady = outcome === 'finished' && stopReason === 'tool_use'
  return isReady ? content.filter(({ type }) => type === 'tool_use') : []
}

/** The complete content of a message, from its deltas. */
export function spoken(events: readonly ModelEvent[]): string {
  const kinds = new Map<number, string>()
  let text = ''
  for (const event of events) {
    if (event.type === 'block_start') kinds.set(event.block, event.kind)
    if (event.type === 'block_delta' && kinds.get(event.block) === 'text') text += event.text
  }
  return text
}

/** Reads a stream to its end. */
export async function collectEvents(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const out: ModelEvent[] = []
  for await (const event of events) out.push(event)
  return out
}
