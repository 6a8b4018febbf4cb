import { createContext, useContext, useState } from 'react'

/** State of components by their place. */
export interface KeptState {
  readonly values: Map<string, unknown>
  readonly place: string
}

/** Context with the place at which a component keeps its state. */
export const KeptStateContext = createContext<KeptState>({ values: new Map(), place: '' })

/** Keeps a state that outlives its component, because rows outside of the view are removed. */
export function useKeptState<T>(name: string, first: T): readonly [T, (value: T) => void] {
  const { values, place } = useContext(KeptStateContext)
  const key = `${place}/${name}`
  const [value, setValue] = useState<T>(() => (values.has(key) ? (values.get(key) as T) : first))
  const keep = (next: T) => {
    values.set(key, next)
    setValue(next)
  }
  return [value, keep]
}
