import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../json/index.ts'
import type { SegmentEndPayload, SegmentEvent, SegmentType } from '../segment-event.ts'
import { toToolInvocations, type ToolInvocation } from './invocation-reader.ts'

interface Segment {
  readonly type: SegmentType
  readonly metadata: JsonObject
  readonly content: string
  readonly complete?: false
}

interface Case {
  readonly name: string
  readonly expected: readonly Segment[]
  readonly invocations: readonly ToolInvocation[]
}

const folder = join(fileURLToPath(new URL('../../../../../', import.meta.url)), '../shared/vectors')

function readCases(name: string): readonly Case[] {
  const file = join(folder, name)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Metadata that the cases omit from their segments: arguments that a parser reads after the start. */
const late: Readonly<Record<string, JsonObject>> = {
  xrb_options_after_command: { background: true, timeout_seconds: 9 },
}

function toEvents(
  { name, expected }: Case,
  ids: readonly string[],
  cut: (text: string) => string[],
): SegmentEvent[] {
  return expected.flatMap((segment, index): SegmentEvent[] => {
    const id = ids[index] ?? `seg_${index + 1}`
    const end: SegmentEndPayload = {
      ...(segment.complete === false && { complete: false }),
      ...(late[name] !== undefined && { metadata: late[name] }),
    }
    return [
      {
        type: 'SEGMENT_START',
        segment_id: id,
        segment_type: segment.type,
        payload: { metadata: segment.metadata },
      },
      ...cut(segment.content).map((delta): SegmentEvent => ({
        type: 'SEGMENT_CONTENT',
        segment_id: id,
        payload: { delta },
      })),
      { type: 'SEGMENT_END', segment_id: id, payload: end },
    ]
  })
}

/** Splits a text into chunks of the given lengths, in turn. */
function cutInto(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  let at = 0
  for (let turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

const cases = [
  ...readCases('segments.jsonl').map((row) => ({ row, ids: [] as string[] })),
  ...readCases('native-tool-calls.jsonl').map((row) => ({
    row,
    ids: row.expected.length === row.invocations.length ? row.invocations.map(({ id }) => id) : [],
  })),
]

describe.skipIf(cases.length === 0)('the segments of each case give its invocations', () => {
  test.each(cases)('$row.name', ({ row, ids }) => {
    expect(toToolInvocations(toEvents(row, ids, (text) => [text]))).toEqual(row.invocations)
    expect(toToolInvocations(toEvents(row, ids, (text) => Array.from(text)))).toEqual(
      row.invocations,
    )
    const anyLengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
    fc.assert(
      fc.property(anyLengths, (lengths) => {
        const events = toEvents(row, ids, (text) => cutInto(text, lengths))
        expect(toToolInvocations(events)).toEqual(row.invocations)
      }),
      { numRuns: 20 },
    )
  })
})
