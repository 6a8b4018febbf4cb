import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptySequence, type Sequence } from './sequence.ts'

interface Item {
  readonly n: number
}

type Step =
  | { readonly push: number }
  | { readonly set: number; readonly n: number }
  | { readonly cut: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ push: fc.nat({ max: 300 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ set: fc.double({ min: 0, max: 1, noNaN: true }), n: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }) }) },
)

function apply([list, model]: [Sequence<Item>, Item[]], one: Step): [Sequence<Item>, Item[]] {
  if ('push' in one) {
    const items = Array.from({ length: one.push }, (_, n) => ({ n }))
    return [items.reduce((sum, item) => sum.set(sum.length, item), list), [...model, ...items]]
  }
  const position = Math.floor(('set' in one ? one.set : one.cut) * model.length)
  if ('cut' in one) return [list.truncate(position), model.slice(0, position)]
  if (position >= model.length) return [list, model]
  const item = { n: one.n }
  return [list.set(position, item), Object.assign([...model], { [position]: item })]
}

test('behaves as an array for any operations, and no older list changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const seen: [Sequence<Item>, Item[]][] = [[emptySequence<Item>(), []]]
      for (const one of steps) seen.push(apply(seen.at(-1)!, one))
      for (const [list, model] of seen) {
        expect(list.length).toBe(model.length)
        expect([...list]).toEqual(model)
        expect(list.at(-1)).toBe(model.at(-1))
        expect(list.at(model.length)).toBeUndefined()
        expect(list.at(Infinity)).toBeUndefined()
        expect(list.at(-model.length - 1)).toBeUndefined()
      }
    }),
    { numRuns: 60 },
  )
})

test('branches of one list are independent', () => {
  const base = Array.from({ length: 200 }, (_, n) => ({ n })).reduce(
    (sum, item) => sum.set(sum.length, item),
    emptySequence<Item>(),
  )
  const left = base.truncate(70).set(70, { n: -1 }).set(71, { n: -2 })
  const right = base.truncate(70).set(70, { n: -3 })
  expect([base.at(70)?.n, base.at(71)?.n, base.length]).toEqual([70, 71, 200])
  expect([left.at(70)?.n, left.at(71)?.n, left.length]).toEqual([-1, -2, 72])
  expect([right.at(70)?.n, right.at(71)?.n, right.length]).toEqual([-3, undefined, 71])
})

test('an empty list has no item at any position, also after a truncation to nothing', () => {
  const cut = emptySequence<Item>().set(0, { n: 1 }).truncate(0)
  for (const list of [emptySequence<Item>(), cut]) {
    expect([list.length, list.at(0), list.at(-1), [...list]]).toEqual([0, undefined, undefined, []])
    expect([...list.set(0, { n: 2 })]).toEqual([{ n: 2 }])
  }
})

test('finds the latest item of a key in every version, also if older ones were extended', () => {
  interface Keyed {
    readonly type: string
    readonly n: number
  }
  const latest = (items: readonly Keyed[], type: string): number => {
    const found = items.findLastIndex((item) => item.type === type)
    return found < 0 ? items.length : found
  }
  const keys = ['a', 'b', 'c']
  const steps = fc.array(fc.tuple(fc.nat(), fc.nat(300), fc.constantFrom(...keys)))
  fc.assert(
    fc.property(steps, (plan) => {
      const seen: [Sequence<Keyed>, Keyed[]][] = [[emptySequence<Keyed>(), []]]
      for (const [from, length, type] of plan) {
        const [list, model] = seen[from % seen.length]!
        const item = { type, n: seen.length }
        const cut = list.truncate(length)
        seen.push([cut.set(cut.length, item), [...model.slice(0, length), item]])
        for (const [version, items] of seen) {
          expect(keys.map((key) => version.find(key))).toEqual(
            keys.map((key) => latest(items, key)),
          )
        }
      }
    }),
    { numRuns: 100 },
  )
})
