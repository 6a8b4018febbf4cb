import { useState } from 'react'

/** Returns the previous list if the items are the same: a new context value makes React visit all consumers. */
export function useSameList<Item>(list: readonly Item[]): readonly Item[] {
  const [kept, setKept] = useState(list)
  const isSame = kept.length === list.length && kept.every((item, index) => item === list[index])
  if (!isSame) setKept(list)
  return isSame ? kept : list
}
