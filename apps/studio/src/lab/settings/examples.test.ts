import { describe, expect, test } from 'vitest'
import { compareChunkings } from '../run/compare-chunkings.ts'
import type { Comparison } from '../run/compare-chunkings.ts'
import { runLab } from '../run/lab-run.ts'
import { stateAfter } from '../run/segment-record.ts'
import { examples, findExample } from './examples.ts'
import { toSettings } from './lab-address.ts'

function runExample(id: string) {
  const run = runLab(toSettings(findExample(id)!))
  return {
    invoked: run.calls.flatMap(({ invocations }) => invocations.map(({ name }) => name)),
    reasons: run.calls.map(({ reason }) => reason).filter((reason) => reason !== ''),
    states: run.segments.map((segment) => stateAfter(segment, Infinity)),
    segments: run.segments,
  }
}

describe('the examples', () => {
  test('each show a segment other than text, and hold text back', () => {
    for (const example of examples) {
      const { segments, steps } = runLab(toSettings(example))
      expect(segments.some(({ type }) => type !== 'text')).toBe(true)
      expect(steps.some(({ fed, decided }) => decided < fed)).toBe(true)
    }
  })

  test.each(examples.map((example) => [example.id, example] as const))(
    'give the same result for all chunkings: %s',
    async (_, example) => {
      let last: Comparison | undefined
      await compareChunkings(toSettings(example), {
        signal: new AbortController().signal,
        onProgress: (comparison) => {
          last = comparison
        },
      })
      expect(last).toEqual({ done: 52, total: 52, different: [] })
    },
  )

  test('have the described outcome', () => {
    expect(runExample('adversarial').invoked).toEqual(['note'])
    expect(runExample('truncated').invoked).toEqual([])
    expect(runExample('truncated').reasons).toHaveLength(1)
    expect(runExample('truncated').states).toContain('incomplete')
    expect(runExample('repaired').states).toContain('repaired')
    expect(runExample('path-last').segments[0]?.end.metadata).toEqual({ mode: '0644' })
    expect(runExample('prefilled').segments[0]?.type).toBe('reasoning')
    expect(runExample('anthropic').invoked).toEqual(['run_bash', 'read_file'])
    expect(runExample('seed-json').invoked).toEqual(['search', 'get_time'])
  })
})
