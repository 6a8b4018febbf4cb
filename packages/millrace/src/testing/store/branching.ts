import type { Fork, Part, Store } from '../../stores/port/index.ts'
import {
  type StoreCheck,
  append,
  change,
  failure,
  ownedBy,
  ownerOf,
  readAll,
  texts,
} from './store-helpers.ts'

const part = (collection: string, number: number, frame: number, body: string): Part => ({
  collection,
  number,
  frame,
  body,
})

const fork = (store: Store, from: string, frame: number, to: string, more: Partial<Fork> = {}) =>
  store.fork({ from, frame, to, head: `head of ${to}`, ...more })

const framesOf = async (store: Store, session: string): Promise<string> => {
  const after = ((await store.info(session))?.earliest ?? 1) - 1
  return texts(await readAll(store, session, after, 3)).join(' ')
}

const bodiesOf = async (store: Store, session: string, collection: string): Promise<string> => {
  const found = await store.parts(session, collection, { after: -1, limit: 100 })
  return found.map(({ number, body }) => `${number} ${body}`).join(', ')
}

/** Opens a session with frames 1 to 4: a, b, c, d. */
const openParent = async (store: Store): Promise<void> => {
  await store.open('p')
  await append(store, 'p', 1, 0, ['a', 'b'])
  await append(store, 'p', 1, 2, ['c', 'd'])
}

/** Checks of session branches. */
export const branching: Readonly<Record<string, StoreCheck>> = {
  'a branch shares frames up to its fork point, and each side continues alone': async (
    store,
    expect,
  ) => {
    await openParent(store)
    const { log } = (await store.info('p')) ?? { log: '' }
    const info = await fork(store, 'p', 3, 'x', { log })
    const parent = { session: 'p', log, frame: 3 }
    expect([info.tail, info.earliest, info.epoch, info.head]).toEqual([3, 1, 1, 'head of x'])
    expect(info.parent).toEqual(parent)
    expect(info.lease).toBe(undefined)
    expect(info.log === log).toBe(false)
    expect(await store.info('x')).toEqual(info)
    await append(store, 'p', 1, 4, ['e'])
    const { epoch } = await store.open('x')
    expect(epoch).toBe(2)
    expect(await append(store, 'x', 2, 3, ['X', 'Y'])).toBe(5)
    expect(await framesOf(store, 'p')).toBe('1 a 2 b 3 c 4 d 5 e')
    expect(await framesOf(store, 'x')).toBe('1 a 2 b 3 c 4 X 5 Y')
    expect(texts(await store.read('x', 1, 3))).toEqual(['2 b', '3 c', '4 X'])
    expect(texts(await store.read('x', 3, 1))).toEqual(['4 X'])
    expect(await store.branches('p', 10)).toEqual([{ session: 'x', frame: 3 }])
    expect(await store.branches('x', 10)).toEqual([])
    expect(await store.branches('nope', 10)).toEqual([])
    expect((await store.list({ limit: 10, offset: 0 })).total).toBe(2)
  },

  'the same fork again returns the branch, another one of its name is rejected': async (
    store,
    expect,
  ) => {
    await openParent(store)
    const first = await fork(store, 'p', 2, 'x')
    await store.open('x')
    await append(store, 'x', 2, 2, ['X'])
    const again = await fork(store, 'p', 2, 'x')
    expect([again.log, again.tail]).toEqual([first.log, 3])
    expect(await failure(fork(store, 'p', 3, 'x'))).toBe('conflict')
    expect(await failure(fork(store, 'x', 2, 'p'))).toBe('conflict')
    expect(await failure(fork(store, 'p', 5, 'y'))).toBe('conflict')
    expect(await failure(fork(store, 'nope', 0, 'y'))).toBe('not_found')
    expect(await failure(fork(store, 'p', 1, 'y', { log: first.log }))).toBe('log_replaced')
    expect(await store.info('y')).toBe(undefined)
  },

  'a branch shares parts up to its fork point, except those that each session has alone': async (
    store,
    expect,
  ) => {
    await store.open('p')
    await append(store, 'p', 1, 0, ['a', 'b', 'c'])
    const parts = [
      part('lane:0', 1, 1, 'one'),
      part('lane:0', 2, 2, 'two'),
      part('lane:0', 3, 3, 'three'),
      part('own:cells', 0, 1, 'cell of p'),
      part('runs', 1, 3, 'run of p'),
    ]
    await change(store, 'p', { tail: 3, parts })
    const own = [part('own:cells', 0, 2, 'cell of x'), part('runs', 1, 2, 'run of x')]
    await fork(store, 'p', 2, 'x', { parts: own })
    expect(await bodiesOf(store, 'x', 'lane:0')).toBe('1 one, 2 two')
    expect(await bodiesOf(store, 'x', 'own:cells')).toBe('0 cell of x')
    expect(await bodiesOf(store, 'x', 'runs')).toBe('1 run of x')
    await change(store, 'x', { tail: 2, parts: [part('lane:0', 3, 2, 'THREE')] })
    await change(store, 'p', { tail: 3, parts: [part('lane:0', 4, 3, 'four')] })
    expect(await bodiesOf(store, 'x', 'lane:0')).toBe('1 one, 2 two, 3 THREE')
    expect(await bodiesOf(store, 'p', 'lane:0')).toBe('1 one, 2 two, 3 three, 4 four')
    expect(await bodiesOf(store, 'p', 'runs')).toBe('1 run of p')
    const newest = await store.parts('x', 'lane:0', { before: 3, limit: 2 })
    expect(newest.map(({ number }) => number)).toEqual([2, 1])
    const first = await store.parts('x', 'lane:0', { after: 1, limit: 1 })
    expect(first.map(({ body }) => body)).toEqual(['two'])
  },

  'a branch has the owner that its fork names, also after its parent is removed': async (
    store,
    expect,
  ) => {
    await store.open('p', undefined, 0, 'ann')
    await append(store, 'p', 1, 0, ['one'])
    const given = { from: 'p', frame: 1, head: 'branch' }
    expect((await store.fork({ ...given, to: 'x', owner: 'bob' })).owner).toBe('bob')
    expect((await store.fork({ ...given, to: 'y' })).owner).toBe(null)
    expect(await failure(store.fork({ ...given, to: 'z', owner: '' }))).toBe('bad_request')
    expect((await store.fork({ ...given, to: 'x', owner: 'ann' })).owner).toBe('bob')
    expect(await ownedBy(store, 'ann')).toBe('p of 1')
    await store.remove('p')
    expect(await ownedBy(store, 'ann')).toBe(' of 0')
    expect(await ownedBy(store, 'bob')).toBe('x of 1')
    await append(store, 'x', 1, 1, ['two'])
    expect(await ownerOf(store, 'x')).toBe('bob')
    await store.remove('x')
    expect(await ownedBy(store, 'bob')).toBe(' of 0')
  },

  'a branch survives the removal of its parent, whose name may be used again': async (
    store,
    expect,
  ) => {
    await openParent(store)
    await change(store, 'p', { tail: 4, parts: [part('lane:0', 1, 2, 'one')] })
    const { log } = (await store.info('p')) ?? { log: '' }
    await fork(store, 'p', 3, 'x')
    await fork(store, 'x', 3, 'y')
    expect(await store.remove('p')).toBe(true)
    expect(await store.info('p')).toBe(undefined)
    expect(await failure(store.read('p', 0, 9))).toBe('not_found')
    expect((await store.list({ limit: 10, offset: 0 })).total).toBe(2)
    expect(await framesOf(store, 'x')).toBe('1 a 2 b 3 c')
    expect(await bodiesOf(store, 'x', 'lane:0')).toBe('1 one')
    expect((await store.info('x'))?.parent).toEqual({ session: 'p', log, frame: 3 })
    const again = await store.open('p')
    expect([again.tail, again.generation]).toEqual([0, 2])
    await append(store, 'p', again.epoch, 0, ['Z'])
    expect(await store.branches('p', 10)).toEqual([])
    expect(await framesOf(store, 'p')).toBe('1 Z')
    expect(await framesOf(store, 'y')).toBe('1 a 2 b 3 c')
    await store.remove('x')
    expect(await framesOf(store, 'y')).toBe('1 a 2 b 3 c')
    expect(await bodiesOf(store, 'y', 'lane:0')).toBe('1 one')
    await store.remove('y')
    await store.remove('p')
    expect((await store.list({ limit: 10, offset: 0 })).total).toBe(0)
  },

  'data that a removed branch shares stays as long as a branch of it does': async (
    store,
    expect,
  ) => {
    await openParent(store)
    await change(store, 'p', { tail: 4, parts: [part('lane:0', 1, 2, 'one')] })
    await fork(store, 'p', 3, 'x')
    await append(store, 'x', 1, 3, ['X', 'Y'])
    await fork(store, 'x', 5, 'y')
    await store.remove('x')
    expect(await store.branches('p', 10)).toEqual([])
    await store.trim('p', 4)
    expect(await framesOf(store, 'y')).toBe('1 a 2 b 3 c 4 X 5 Y')
    await store.remove('p')
    expect(await framesOf(store, 'y')).toBe('1 a 2 b 3 c 4 X 5 Y')
    expect(await bodiesOf(store, 'y', 'lane:0')).toBe('1 one')
    expect(await store.remove('y')).toBe(true)
  },

  'readers of a branch wait for its own frames': async (store, expect) => {
    await openParent(store)
    await fork(store, 'p', 2, 'x')
    await store.wait('x', 1, new AbortController().signal)
    const wait = store.wait('x', 2, new AbortController().signal).then(() => 'woken')
    await append(store, 'p', 1, 4, ['e'])
    await store.open('x')
    await append(store, 'x', 2, 2, ['X'])
    expect(await wait).toBe('woken')
    expect(texts(await store.read('x', 2, 9))).toEqual(['3 X'])
  },

  'trimming removes frames of one session, and its branches keep theirs': async (store, expect) => {
    await openParent(store)
    await fork(store, 'p', 3, 'x')
    await store.trim('p', 3)
    expect((await store.info('p'))?.earliest).toBe(3)
    expect(await failure(store.read('p', 1, 9))).toBe('cursor_trimmed')
    expect(texts(await store.read('p', 2, 9))).toEqual(['3 c', '4 d'])
    expect(await framesOf(store, 'x')).toBe('1 a 2 b 3 c')
    expect(await failure(fork(store, 'p', 1, 'y'))).toBe('cursor_trimmed')
    await store.trim('p', 2)
    expect((await store.info('p'))?.earliest).toBe(3)
    await store.open('x')
    await append(store, 'x', 2, 3, ['X'])
    await store.trim('x', 2)
    expect(await framesOf(store, 'x')).toBe('2 b 3 c 4 X')
    await store.trim('x', 100)
    expect((await store.info('x'))?.earliest).toBe(5)
    expect(await append(store, 'x', 2, 4, ['Y'])).toBe(5)
    expect(await framesOf(store, 'x')).toBe('5 Y')
    await fork(store, 'p', 4, 'z')
    expect(await framesOf(store, 'z')).toBe('3 c 4 d')
    expect(await failure(store.trim('nope', 1))).toBe('not_found')
  },

  'any tree of branches reads as if each session had copied its parent': async (store, expect) => {
    const random = seeded(7)
    const model = new Map<string, ModelSession>([['s0', { frames: [], earliest: 1, epoch: 1 }]])
    await store.open('s0')
    let made = 1
    for (let round = 0; round < 120; round++) {
      const names = [...model.keys()]
      const name = names[random(names.length)] ?? 's0'
      const one = model.get(name) ?? { frames: [], earliest: 1, epoch: 1 }
      const act = random(10)
      if (act < 5 || model.size < 3) {
        const lines = Array.from({ length: 1 + random(3) }, (_, n) => `${name}.${round}.${n}`)
        await append(store, name, one.epoch, one.frames.length, lines)
        one.frames.push(...lines)
      } else if (act < 8) {
        const frame = Math.max(one.earliest - 1, random(one.frames.length + 1))
        const to = `s${made++}`
        await fork(store, name, frame, to)
        const frames = one.frames.slice(0, frame)
        model.set(to, { frames, earliest: one.earliest, epoch: 1 })
      } else if (act === 8) {
        one.earliest = Math.max(one.earliest, Math.min(1 + random(8), one.frames.length + 1))
        await store.trim(name, one.earliest)
      } else {
        await store.remove(name)
        model.delete(name)
      }
    }
    for (const [name, { frames, earliest }] of model) {
      const kept = frames.map((text, index) => `${index + 1} ${text}`).slice(earliest - 1)
      expect(await framesOf(store, name)).toBe(kept.join(' '))
    }
    for (const name of model.keys()) await store.remove(name)
    expect((await store.list({ limit: 10, offset: 0 })).total).toBe(0)
  },
}

interface ModelSession {
  readonly frames: string[]
  earliest: number
  readonly epoch: number
}

/** Creates a repeatable generator of integers below a bound. */
function seeded(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * bound)
  }
}
