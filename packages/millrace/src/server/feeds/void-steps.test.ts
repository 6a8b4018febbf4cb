import { expect, test } from 'vitest'
import { encodeEnvelope, type Envelope } from '../../events/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import { VoidSteps } from './void-steps.ts'

const ROOT = 'root'
const encoder = new TextEncoder()

/** The frames of a log; an id is an index. */
function toEntries(messages: readonly Partial<Envelope>[]): readonly LogEntry[] {
  return messages.map((message, index) => {
    const envelope = { type: 'text', agent: ROOT, final: true, delta: '', ...message }
    return { id: index + 1, line: encoder.encode(encodeEnvelope(envelope)) }
  })
}

const idsOf = (entries: readonly LogEntry[]) => entries.map(({ id }) => id)

const init = { type: 'meta_init', delta: '{}' }
const step = { type: 'meta_step', delta: '{}' }
const rollback = { type: 'rollback', delta: '{}' }
const more = { final: false, delta: 'a' }
const end = {}

/** A step that a reader may have read in part, then a void step. */
const twoSteps = toEntries([init, more, end, step, more, end, rollback])

test.each([
  [0, [1, 2, 3, 4, 7]],
  [2, [3, 4, 7]],
  [4, [7]],
  [5, [6, 7]],
  [6, [7]],
])('[LOG-10] closes only void blocks that the reader has in part: after %i', (after, ids) => {
  const steps = new VoidSteps({ session: ROOT, after }, 0)
  steps.scan(twoSteps)
  expect(idsOf(steps.filter(twoSteps.slice(after)))).toEqual(ids)
})

test('[DIA-5] a later rollback is listed with the content left out before it', () => {
  const sub = (message: Partial<Envelope>) => ({ ...message, agent: 'root.1' })
  const log = toEntries([init, sub(init), sub(end), sub(rollback), sub(end), end, sub(rollback)])
  const steps = new VoidSteps({ session: ROOT, after: 0, format: {} }, 0)
  steps.scan(log.slice(0, 6))
  expect(steps.hiddenUpTo(4)).toEqual([{ from: 3, rollback: 4 }])
  steps.scan(log.slice(6))
  expect(steps.hiddenUpTo(6)).toEqual([
    { from: 3, rollback: 4 },
    { from: 5, rollback: 7 },
  ])
})

test('[DIA-5] lists live frames without another scan, without those of earlier runs', () => {
  const steps = new VoidSteps({ session: ROOT, after: 0, format: {} }, 0)
  steps.scan(toEntries([init, more, end, rollback, end]))
  const listed = steps.hiddenUpTo(6)
  expect(listed).toEqual([{ from: 2, rollback: 4 }])
  expect(steps.hiddenUpTo(7)).toBe(listed)
  const [ofChild, ofRoot] = toEntries([{ ...init, agent: 'root.1' }, init])
  steps.follow(ofChild!.line, 8)
  expect(steps.hiddenUpTo(8)).toBe(listed)
  steps.follow(ofRoot!.line, 9)
  expect(steps.hiddenUpTo(9)).toEqual([])
})

test('[BRANCH-4] lists nothing of earlier runs in a branch, whose root agent has the id of its parent', () => {
  const steps = new VoidSteps({ session: 'branch', root: ROOT, after: 0, format: {} }, 0)
  steps.scan(toEntries([init, more, end, rollback, init, end]))
  expect(steps.hiddenUpTo(4)).toEqual([{ from: 2, rollback: 4 }])
  expect(steps.hiddenUpTo(6)).toEqual([])
})

test('[LOG-11] a step is not settled while the first event of its content is not complete', () => {
  const head = {
    type: 'tool_call',
    final: false,
    id: 't',
    name: 'f',
    more: { name: 'text' },
  } as const
  const steps = new VoidSteps({ session: ROOT, after: 0 }, 0)
  steps.scan(toEntries([init, head]))
  expect(steps.settled).toBe(1)
})
