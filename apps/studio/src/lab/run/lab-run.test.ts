import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { examples } from '../settings/examples.ts'
import { toSettings } from '../settings/lab-address.ts'
import { callsAfter, placeOf, runLab, segmentsAfter, stepAt } from './lab-run.ts'
import { contentAfter, stateAfter } from './segment-record.ts'

const runs = examples.map((example) => runLab(toSettings(example)))
const anyRun = fc.constantFrom(...runs)

describe('a run', () => {
  test('never goes back, holds back only fed text, and nothing at the end', () => {
    for (const { steps, text } of runs) {
      for (const [index, { fed, decided, events }] of steps.entries()) {
        const before = steps[index - 1] ?? { fed: 0, decided: 0, events: 0 }
        expect(fed).toBeGreaterThanOrEqual(before.fed)
        expect(decided).toBeGreaterThanOrEqual(before.decided)
        expect(events).toBeGreaterThanOrEqual(before.events)
        expect(decided).toBeLessThanOrEqual(fed)
      }
      expect(steps.at(-1)).toMatchObject({ fed: text.length, decided: text.length })
    }
  })

  test('shows at each step the events up to it', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(), (run, number) => {
        const { events } = run.steps[number % run.steps.length] ?? { events: 0 }
        const contents = new Map<string, string>()
        const ended = new Set<string>()
        for (const event of run.events.slice(0, events)) {
          const id = event.segment_id
          if (event.type === 'SEGMENT_START') contents.set(id, '')
          else if (event.type === 'SEGMENT_END') ended.add(id)
          else contents.set(id, (contents.get(id) ?? '') + event.payload.delta)
        }
        const shown = segmentsAfter(run, events)
        expect(new Map(shown.map((each) => [each.id, contentAfter(each, events)]))).toEqual(
          contents,
        )
        const open = shown.filter((each) => stateAfter(each, events) === 'open')
        expect(open.map(({ id }) => id)).toEqual(
          [...contents.keys()].filter((id) => !ended.has(id)),
        )
        for (const { segmentId } of callsAfter(run, events)) expect(ended).toContain(segmentId)
      }),
    )
  })

  test('finds the step of a place', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(), (run, number) => {
        const step = number % run.steps.length
        expect(stepAt(run, placeOf(run, step))).toBe(step)
      }),
    )
  })

  test('keeps the place when the chunks change', () => {
    const settings = toSettings(examples[0]!)
    const coarse = runLab({ ...settings, chunking: { kind: 'size', number: 10 } })
    const fine = runLab({ ...settings, chunking: { kind: 'character', number: 0 } })
    expect(fine.steps[stepAt(fine, placeOf(coarse, 3))]?.fed).toBe(30)
    expect(coarse.steps[stepAt(coarse, placeOf(fine, 25))]?.fed).toBe(30)
    expect(stepAt(fine, 'end')).toBe(fine.steps.length - 1)
  })

  test('can be empty', () => {
    const { steps, segments } = runLab({ ...toSettings(examples[0]!), text: '' })
    expect(steps).toHaveLength(2)
    expect(segments).toEqual([])
  })
})
