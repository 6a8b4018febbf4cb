import { createContext, useContext, useState } from 'react'

/** What people have opened, chosen and begun to write, by the place where they did. */
export interface KeptState {
  readonly values: Map<string, unknown>
  readonly place: string
}

/** Where a component keeps what must not be lost when its row leaves the view. */
export const KeptStateContext = createContext<KeptState>({ values: new Map(), place: '' })

/** A state that outlives its component: rows out of sight are not there. */
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
