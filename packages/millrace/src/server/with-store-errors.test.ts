import { expect, test } from 'vitest'
import { MillraceError } from '../errors/index.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import { withOwnMethods, withStoreErrors } from './with-store-errors.ts'

/** Errors of these have their own meaning: the reason of a signal, the reason of a failed check, a dropped notification. */
const unmapped = ['wait', 'ping', 'send', 'onCommand', 'close']

const store = createMemoryStore()
const methods = Object.keys(store).filter(
  (name) => typeof store[name as keyof Store] === 'function',
)

function failing(error: Error): Store {
  const fail = async (): Promise<never> => {
    throw error
  }
  return { ...store, ...Object.fromEntries(methods.map((name) => [name, fail])) }
}

async function errorOf(wrapped: Store, name: string): Promise<unknown> {
  const method = wrapped[name as keyof Store] as () => Promise<unknown>
  return method().catch((error: unknown) => error)
}

test('an unknown error of every method that reads or writes is `store_unavailable`', async () => {
  const cause = new Error('The disk is full.')
  const wrapped = withStoreErrors(failing(cause))
  expect(methods.length).toBeGreaterThan(20)
  for (const name of methods) {
    const expected = unmapped.includes(name) ? cause : { code: 'store_unavailable', cause }
    expect(await errorOf(wrapped, name), name).toMatchObject(expected)
  }
})

test('an error with a code stays as it is', async () => {
  const error = new MillraceError('lease_lost', 'Another server has the session.')
  const wrapped = withStoreErrors(failing(error))
  for (const name of methods) expect(await errorOf(wrapped, name), name).toBe(error)
})

test('a store may be the instance of a class', async () => {
  class Counting {
    #calls = 0
    readonly isDurable = false
    get calls(): number {
      return this.#calls
    }
    async info(): Promise<undefined> {
      this.#calls++
      return undefined
    }
  }
  class Own extends Counting {}
  const own = new Own()
  const wrapped = { ...withOwnMethods(own as unknown as Store) }
  await wrapped.info('a')
  expect(own.calls).toBe(1)
  expect(wrapped.isDurable).toBe(false)
  expect(Object.keys(wrapped).toSorted()).toEqual(['calls', 'info', 'isDurable'])
})
