import type { Store } from '../../../src/stores/port/index.ts'

/** A call that is held back. */
export interface HeldCall {
  /** Resolves when the call has come. */
  readonly reached: Promise<void>
  release(): void
  /** Makes the call end with an error. */
  fail(error: Error): void
}

/** A store whose calls can be held back one by one, to meet others in their middle. */
export interface GatedStore extends Store {
  /** Holds the next call of a method: before it does anything, or when only its caller does not know yet. */
  hold(method: 'open' | 'info' | 'append', when: 'before' | 'after'): HeldCall
}

interface Gate {
  readonly method: string
  readonly when: 'before' | 'after'
  readonly pass: () => Promise<void>
}

/** Puts gates before a store. */
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
