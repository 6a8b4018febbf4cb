import type { Store } from '../../../src/stores/port/index.ts'

/** A store with different delays of calls, so that those of several servers overlap in every order. */
export function createJitteredStore(store: Store, random: () => number): Store {
  const rest = async (): Promise<void> => {
    for (let turns = Math.floor(random() * 8); turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const slow =
    <Given extends readonly unknown[], T>(call: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      await rest()
      const value = await call(...given)
      await rest()
      return value
    }
  return {
    ...store,
    info: slow(store.info),
    open: slow(store.open),
    append: slow(store.append),
    read: slow(store.read),
    leases: slow(store.leases),
  }
}
