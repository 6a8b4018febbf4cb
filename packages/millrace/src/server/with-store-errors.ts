import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { Store } from '../stores/port/index.ts'

/** The methods whose other errors are failures of the store. `wait` rejects with the reason of its signal, `ping` with that of a failed check. */
const methods = [
  'open',
  'info',
  'list',
  'remove',
  'prune',
  'append',
  'read',
  'trim',
  'fork',
  'branches',
  'parts',
  'submit',
  'settle',
  'command',
  'pending',
  'commands',
  'unattended',
  'claim',
  'renew',
  'leases',
  'putFile',
  'file',
  'fileIds',
] as const satisfies readonly (keyof Store)[]

/** Returns a store with all its methods as own properties. Those of a class are in a prototype, and a copy of its instance lacks them. */
export function withOwnMethods(store: Store): Store {
  if (Object.getPrototypeOf(store) === Object.prototype) return store
  const names = new Set<string>()
  for (let at: object = store; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  names.delete('constructor')
  const read = (name: string): unknown => store[name as keyof Store]
  const members = [...names].map((name) => {
    const member = read(name)
    return [name, typeof member === 'function' ? (member.bind(store) as unknown) : member]
  })
  return Object.fromEntries(members) as Store
}

/**
 * Wraps a store so that its failures are reported as `store_unavailable`. Without this, a session that cannot be loaded could be taken
 * for a new one and overwritten.
 */
export function withStoreErrors(store: Store): Store {
  const wrapped = Object.fromEntries(methods.map((name) => [name, wrap(store, name)]))
  return { ...store, ...wrapped }
}

function wrap(store: Store, name: (typeof methods)[number]) {
  const method = store[name] as (...given: readonly unknown[]) => Promise<unknown>
  return (...given: readonly unknown[]): Promise<unknown> =>
    method.apply(store, given as unknown[]).catch(fail)
}

function fail(cause: unknown): never {
  if (isMillraceError(cause)) throw cause
  throw new MillraceError(
    'store_unavailable',
    'The store failed; see the log of the server for the cause, and try again in a moment.',
    { cause },
  )
}
