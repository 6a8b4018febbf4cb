import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameLog } from '../session/frame-log.ts'
import { createFrameSelector, findFrame } from './select-frames.ts'

const head = fc.record({
  type: fc.constantFrom('text', 'thinking', 'error'),
  agent: fc.constantFrom('a', 'b'),
})
const filter = fc.record({
  types: fc
    .uniqueArray(fc.constantFrom('text', 'thinking', 'error'))
    .map((types) => new Set<string>(types)),
  agent: fc.constantFrom('', 'a', 'b'),
})

test('the frames that pass are picked as they come, also when older ones are dropped', () => {
  fc.assert(
    fc.property(filter, fc.array(fc.array(head, { maxLength: 20 })), (chosen, pieces) => {
      const log = createFrameLog({ maxFrames: 24, schedule: (callback) => callback() })
      const select = createFrameSelector(chosen)
      for (const piece of pieces) {
        for (const each of piece) log.add({ id: 1, data: JSON.stringify(each) })
        const { frames } = log.getSnapshot()
        const expected = frames.filter(
          ({ type, agent }) =>
            (chosen.types.size === 0 || chosen.types.has(type)) &&
            (chosen.agent === '' || agent === chosen.agent),
        )
        const selected = select(frames)
        expect(selected).toEqual(expected)
        for (const frame of frames) expect(findFrame(selected, frame)).toBe(expected.indexOf(frame))
      }
    }),
  )
})
