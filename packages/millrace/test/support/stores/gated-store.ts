import type { Store } from '../../../src/stores/port/index.ts'

/** A held call. */
export interface HeldCall {
  /** Resolves when the call has arrived. */
  readonly reached: Promise<void>
  release(): void
  /** Makes the call end with an error. */
  fail(error: Error): void
}

/** A store whose calls can be held one by one, for other calls in the middle of them. */
export interface GatedStore extends Store {
  /** Holds the next call of a method: before it has an effect, or before its result is returned. */
  hold(method: 'open' | 'info' | 'append', when: 'before' | 'after'): HeldCall
}

interface Gate {
  readonly method: string
  readonly when: 'before' | 'after'
  readonly pass: () => Promise<void>
}

/** Adds gates to a store. */
export function createGatedStore(store: Store): GatedStore {
  const gates: Gate[] = []
  const through = async <T>(method: string, call: () => Promise<T>): Promise<T> => {
    const index = gates.findIndex((gate) => gate.method === method)
    const [gate] = index < 0 ? [] : gates.splice(index, 1)
    if (gate?.when === 'before') await gate.pass()
    const value = await call()
    if (gate?.when === 'after') await gate.pass()
    return value
  }
  return {
    ...store,
    open: (...given) => through('open', () => store.open(...given)),
    info: (session) => through('info', () => store.info(session)),
    append: (append) => through('append', () => store.append(append)),
    hold: (method, when) => {
      let arrive = (): void => {}
      let release = (): void => {}
      let fail = (_error: Error): void => {}
      const reached = new Promise<void>((resolve) => (arrive = resolve))
      const left = new Promise<void>((resolve, reject) => {
        release = resolve
        fail = reject
      })
      const pass = (): Promise<void> => {
        arrive()
        return left
      }
      gates.push({ method, when, pass })
      return { reached, release, fail }
    },
  }
}
