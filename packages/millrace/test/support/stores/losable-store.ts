import type { Store } from '../../../src/stores/port/index.ts'

/** The store of a process until it dies: from then on its changes are not stored, and it gets no notifications. */
export function createLosable(store: Store): Store & { lose(): void } {
  let isLost = false
  const never = new Promise<never>(() => {})
  const alive =
    <Given extends readonly unknown[], T>(method: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> =>
      isLost ? never : method(...given)
  return {
    ...store,
    append: alive(store.append),
    renew: alive(store.renew),
    pending: alive(store.pending),
    settle: alive(store.settle),
    onCommand: (take) =>
      store.onCommand((...given) => {
        if (!isLost) take(...given)
      }),
    lose: () => {
      isLost = true
    },
  }
}
