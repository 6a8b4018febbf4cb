import { isMillraceError } from '../../errors/index.ts'
import { MAX_PENDING, type Store } from '../../stores/port/index.ts'
import { type StoreCheck, append, change, failure } from './store-helpers.ts'

/** Reads the names of all sessions with pending commands and without a lease, page by page. */
async function namesOf(store: Store, limit: number): Promise<readonly string[]> {
  const names: string[] = []
  let after: string | undefined
  do {
    const { rows, next } = await store.unattended(limit, after)
    names.push(...rows.map(({ session }) => session))
    after = next
  } while (after !== undefined)
  return names.toSorted()
}

/** Checks of commands and claims. */
export const inbox: Readonly<Record<string, StoreCheck>> = {
  'a command is pending until an append holds its effect': async (store, expect) => {
    const before = await store.open('a')
    expect([before.inbox, before.pending]).toEqual([0, 0])
    const first = await store.submit('a', { key: 'k1', body: 'one' })
    expect(first).toEqual({
      command: { seq: 1, key: 'k1', body: 'one', isPending: true },
      isNew: true,
    })
    await store.submit('a', { key: 'k2', body: 'two' })
    expect((await store.pending('a')).map(({ seq, key }) => `${seq} ${key}`)).toEqual([
      '1 k1',
      '2 k2',
    ])
    const info = await store.info('a')
    expect([info?.inbox, info?.pending]).toEqual([2, 2])
    const done = { key: 'k1', body: 'done', isPending: false }
    expect((await change(store, 'a', { commands: [done] })).inbox).toBe(2)
    expect(await store.command('a', 'k1')).toEqual({ seq: 1, ...done })
    expect((await store.pending('a')).map(({ key }) => key)).toEqual(['k2'])
    expect((await store.info('a'))?.pending).toBe(1)
    expect((await store.submit('a', { key: 'k3', body: 'three' })).command.seq).toBe(3)
  },

  'all commands are read in the order of submission, in pages': async (store, expect) => {
    await store.open('a')
    expect(await store.commands('a', 0, 10)).toEqual([])
    for (const key of ['k1', 'k2', 'k3']) await store.submit('a', { key, body: `of ${key}` })
    await store.settle('a', { key: 'k2', body: 'done' })
    await change(store, 'a', { commands: [{ key: 'k4', body: 'receipt', isPending: false }] })
    const all = [
      { seq: 1, key: 'k1', body: 'of k1', isPending: true },
      { seq: 2, key: 'k2', body: 'done', isPending: false },
      { seq: 3, key: 'k3', body: 'of k3', isPending: true },
      { seq: 4, key: 'k4', body: 'receipt', isPending: false },
    ]
    expect(await store.commands('a', 0, 10)).toEqual(all)
    expect(await store.commands('a', 1, 2)).toEqual(all.slice(1, 3))
    expect(await store.commands('a', 4, 10)).toEqual([])
    expect(await store.commands('unknown', 0, 10)).toEqual([])
    expect(await failure(store.commands('a', 0, 10, 'another'))).toBe('log_replaced')
  },

  'the same key again returns its command': async (store, expect) => {
    await store.open('a')
    await store.submit('a', { key: 'k', body: 'one' })
    const again = await store.submit('a', { key: 'k', body: 'other' })
    expect([again.isNew, again.command.body, again.command.isPending]).toEqual([false, 'one', true])
    await change(store, 'a', { commands: [{ key: 'k', body: 'done', isPending: false }] })
    const late = await store.submit('a', { key: 'k', body: 'other' })
    expect([late.isNew, late.command.body, late.command.isPending]).toEqual([false, 'done', false])
    expect((await store.info('a'))?.inbox).toBe(1)
  },

  'of concurrent commands with one key, one is stored': async (store, expect) => {
    await store.open('a')
    const racers = Array.from({ length: 20 }, (_, n) =>
      store.submit('a', { key: 'k', body: `${n}` }),
    )
    const all = await Promise.all(racers)
    expect(all.filter(({ isNew }) => isNew).length).toBe(1)
    expect(new Set(all.map(({ command }) => command.body)).size).toBe(1)
    expect((await store.pending('a')).length).toBe(1)
  },

  'a writer adds commands with an append, which does not change the version': async (
    store,
    expect,
  ) => {
    await store.open('a')
    const commands = [
      { key: 'prompt', body: 'hello', isPending: true },
      { key: 'receipt', body: 'done', isPending: false },
    ]
    expect((await change(store, 'a', { commands })).inbox).toBe(0)
    expect((await store.pending('a')).map(({ key }) => key)).toEqual(['prompt'])
    expect(await store.command('a', 'receipt')).toEqual({ seq: 2, ...commands[1] })
  },

  'an append that has not seen a command is rejected, and stores nothing': async (
    store,
    expect,
  ) => {
    await store.open('a')
    const { inbox: seen } = await change(store, 'a', {})
    await store.submit('a', { key: 'k', body: 'b' })
    const blind = { inbox: seen, head: 'late', lease: 'release' } as const
    const error: unknown = await change(store, 'a', blind).catch((thrown: unknown) => thrown)
    const refusal = isMillraceError(error) ? [error.code, error.details] : error
    expect(refusal).toEqual(['conflict', { inbox: seen + 1 }])
    expect((await store.info('a'))?.head).toBe(undefined)
    expect((await change(store, 'a', { inbox: seen + 1, head: 'seen' })).inbox).toBe(seen + 1)
    expect((await store.info('a'))?.head).toBe('seen')
  },

  'a pending command is settled once, and its writer is notified': async (store, expect) => {
    await store.open('a')
    await store.submit('a', { key: 'k', body: 'b' })
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, (_, n) => store.settle('a', { key: 'k', body: `withdrawn ${n}` })),
    )
    expect(outcomes.filter(Boolean).length).toBe(1)
    expect((await store.command('a', 'k'))?.isPending).toBe(false)
    expect(await store.settle('a', { key: 'other', body: '' })).toBe(false)
    const info = await store.info('a')
    expect([info?.inbox, info?.pending]).toEqual([2, 0])
    expect(await failure(change(store, 'a', { inbox: 1 }))).toBe('conflict')
  },

  'concurrent submissions, settlements and appends have one order': async (store, expect) => {
    await store.open('a')
    for (let round = 0; round < 30; round++) {
      const key = `k${round}`
      await store.submit('a', { key, body: 'b' })
      const { inbox: seen = 0 } = (await store.info('a')) ?? {}
      const [isSettled, taken] = await Promise.all([
        store.settle('a', { key, body: 'withdrawn' }),
        failure(
          change(store, 'a', {
            inbox: seen,
            commands: [{ key, body: 'taken', isPending: false }],
          }),
        ),
      ])
      expect([isSettled, taken === 'stored'].filter(Boolean).length).toBe(1)
      expect((await store.command('a', key))?.body).toBe(isSettled ? 'withdrawn' : 'taken')
    }
  },

  'the inbox and its keys have a bound': async (store, expect) => {
    await store.open('a')
    for (let count = 0; count < MAX_PENDING; count++)
      await store.submit('a', { key: `k${count}`, body: '' })
    expect(await failure(store.submit('a', { key: 'one more', body: '' }))).toBe('overloaded')
    expect((await store.submit('a', { key: 'k0', body: '' })).isNew).toBe(false)
    await store.settle('a', { key: 'k0', body: '' })
    expect((await store.submit('a', { key: 'one more', body: '' })).isNew).toBe(true)
    expect(await failure(store.submit('a', { key: '', body: '' }))).toBe('bad_request')
    expect(await failure(store.submit('a', { key: 'k'.repeat(513), body: '' }))).toBe('bad_request')
    expect((await store.submit('a', { key: 'k1', body: '' })).isNew).toBe(false)
  },

  'commands belong to a session and a log': async (store, expect) => {
    const { log } = await store.open('a')
    await store.open('b')
    await store.submit('a', { key: 'k', body: 'of a' })
    expect(await store.command('b', 'k')).toBe(undefined)
    expect(await store.command('x', 'k')).toBe(undefined)
    expect(await store.pending('x')).toEqual([])
    expect(await failure(store.submit('x', { key: 'k', body: '' }))).toBe('not_found')
    expect(await failure(store.settle('x', { key: 'k', body: '' }))).toBe('not_found')
    expect(await failure(store.submit('b', { key: 'k', body: '' }, log))).toBe('log_replaced')
    expect(await failure(store.settle('b', { key: 'k', body: '' }, log))).toBe('log_replaced')
    expect(await failure(store.pending('b', log))).toBe('log_replaced')
    expect(await failure(store.command('b', 'k', log))).toBe('log_replaced')
    expect((await store.command('a', 'k', log))?.body).toBe('of a')
  },

  'commands without a writer are found': async (store, expect) => {
    await store.open('a')
    await store.open('b', { owner: 'n1', ms: 60_000 })
    await store.open('c')
    for (const session of ['a', 'b']) await store.submit(session, { key: 'k', body: '' })
    const { log } = (await store.info('a')) ?? { log: '' }
    expect((await store.unattended(10)).rows).toEqual([{ session: 'a', log, inbox: 1, pending: 1 }])
    await append(store, 'b', 1, 0, ['one'])
    await change(store, 'b', { tail: 1, lease: 'release' })
    expect(await namesOf(store, 10)).toEqual(['a', 'b'])
    await store.settle('a', { key: 'k', body: '' })
    await change(store, 'b', { tail: 1, commands: [{ key: 'k', body: '', isPending: false }] })
    expect(await store.unattended(10)).toEqual({ rows: [] })
  },

  'pages of commands without a writer have each session, also if some leave the list meanwhile':
    async (store, expect) => {
      const names = Array.from({ length: 7 }, (_, index) => `s${index}`)
      for (const session of names) {
        await store.open(session)
        for (const key of ['k', 'l']) await store.submit(session, { key, body: '' })
      }
      expect(await namesOf(store, 3)).toEqual(names)
      expect(await namesOf(store, 7)).toEqual(names)
      const first = await store.unattended(3)
      expect(first.rows.map(({ pending }) => pending)).toEqual([2, 2, 2])
      // The row at which the next page begins is not listed any more.
      const [gone, settled, removed] = first.rows.map(({ session }) => session)
      await store.open(gone ?? '', { owner: 'n1', ms: 60_000 })
      for (const key of ['k', 'l']) await store.settle(settled ?? '', { key, body: '' })
      await store.remove(removed ?? '')
      const rest = first.rows.map(({ session }) => session)
      for (let { next } = first; next !== undefined;) {
        const page = await store.unattended(3, next)
        rest.push(...page.rows.map(({ session }) => session))
        next = page.next
      }
      expect(rest.toSorted()).toEqual(names)
      expect((await namesOf(store, 3)).length).toBe(4)
    },

  'a claim has one holder until it lapses or is released': async (store, expect) => {
    await store.open('a')
    const racers = ['p1', 'p2', 'p3'].map((page) => store.claim('a', 'call', page, 60_000))
    const holders = new Set((await Promise.all(racers)).map(({ holder }) => holder))
    expect(holders.size).toBe(1)
    const [holder = ''] = holders
    const refused = await store.claim('a', 'call', 'other', 60_000)
    expect(refused.holder).toBe(holder)
    expect(refused.remainingMs > 0 && refused.remainingMs <= 60_000).toBe(true)
    expect((await store.claim('a', 'call', holder, 90_000)).remainingMs).toBe(90_000)
    expect((await store.claim('a', 'another call', 'other', 60_000)).holder).toBe('other')
    await store.claim('a', 'call', holder, 0)
    expect((await store.claim('a', 'call', 'other', 1)).holder).toBe('other')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await store.claim('a', 'call', 'next', 60_000)).holder).toBe('next')
    expect(await failure(store.claim('x', 'call', 'p1', 60_000))).toBe('not_found')
  },
}
