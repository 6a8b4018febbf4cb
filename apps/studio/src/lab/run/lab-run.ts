import { createSegmentParser } from 'millrace/segments'
import type { SegmentEvent } from 'millrace/segments'
import { cutText, toParserOptions } from '../settings/index.ts'
import type { LabPlace, LabSettings } from '../settings/index.ts'
import { recordCalls } from './call-record.ts'
import type { CallRecord } from './call-record.ts'
import { countBelow } from './count-below.ts'
import { recordSegments } from './segment-record.ts'
import type { SegmentRecord } from './segment-record.ts'
import { mapSource } from './source-map.ts'
import type { SourceRun } from './source-map.ts'

/** A text with the state of the parser after each chunk. */
export interface LabRun {
  readonly settings: LabSettings
  readonly text: string
  /** Steps: before the first chunk, after each chunk, and after the end of the stream. */
  readonly steps: readonly LabStep[]
  readonly events: readonly SegmentEvent[]
  readonly segments: readonly SegmentRecord[]
  readonly calls: readonly CallRecord[]
  readonly sources: readonly SourceRun[]
}

/** A step of a run. */
export interface LabStep {
  /** Length of the fed text. */
  readonly fed: number
  /** Length of the decided text; the rest of the fed text is held back. */
  readonly decided: number
  /** Number of events so far. */
  readonly events: number
}

const nothing: LabStep = { fed: 0, decided: 0, events: 0 }

/** Parses a text. Throws with a message for the user if the settings are invalid. */
export function runLab(settings: LabSettings): LabRun {
  const { text, chunking } = settings
  const options = toParserOptions(settings)
  const parser = createSegmentParser(options)
  const events: SegmentEvent[] = []
  const steps = [nothing]
  const record = (emitted: readonly SegmentEvent[], fed: number) => {
    for (const event of emitted) events.push(event)
    steps.push({ fed, decided: fed - parser.held.length, events: events.length })
  }
  let from = 0
  for (const end of cutText(text, chunking)) {
    record(parser.feed(text.slice(from, end)), end)
    from = end
  }
  record(parser.finalize(), text.length)
  const segments = recordSegments(events)
  const calls = recordCalls(events, segments)
  return { settings, text, steps, events, segments, calls, sources: mapSource(text, options) }
}

/** Returns the step of a place. */
export function stepAt({ steps }: LabRun, place: LabPlace): number {
  if (place === 'end') return steps.length - 1
  if (place === 'longest-hold') return findLongestHold(steps)
  // The last step is the end of the stream and has its own name.
  return Math.min(
    steps.length - 2,
    countBelow(steps, place, ({ fed }) => fed),
  )
}

/** Returns the place of a step. */
export function placeOf({ steps }: LabRun, step: number): LabPlace {
  return step >= steps.length - 1 ? 'end' : (steps[step]?.fed ?? 0)
}

/** Returns the first step with the longest held text; the end if nothing is held. */
function findLongestHold(steps: readonly LabStep[]): number {
  let found = steps.length - 1
  let most = 0
  for (const [index, { fed, decided }] of steps.entries()) {
    if (fed - decided <= most) continue
    most = fed - decided
    found = index
  }
  return found
}

/** Returns the segments that have started after a number of events. */
export function segmentsAfter({ segments }: LabRun, events: number): readonly SegmentRecord[] {
  return segments.slice(
    0,
    countBelow(segments, events, ({ startedAt }) => startedAt),
  )
}

/** Returns the calls that have ended after a number of events. */
export function callsAfter({ calls }: LabRun, events: number): readonly CallRecord[] {
  return calls.slice(
    0,
    countBelow(calls, events, ({ endedAt }) => endedAt),
  )
}

/** Reports whether the newest content waits for the start of its segment, as a file waits for its path. */
export function isWaiting({ sources }: LabRun, { decided }: LabStep, started: number): boolean {
  const last = sources[countBelow(sources, decided, ({ from }) => from) - 1]
  return last !== undefined && last.segment >= started
}
