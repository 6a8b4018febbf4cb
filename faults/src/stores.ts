import { presentStores, type StoreName } from '@millrace/bench/servers'

/** A store that outlives its servers. */
export type DurableStore = Exclude<StoreName, 'memory'>

/** A durable store, and how many servers use it at once. */
export interface StorePlace {
  readonly store: DurableStore
  /** The name of the store, for the table. */
  readonly title: string
  readonly servers: number
  /** The store with its servers, for the table. */
  readonly where: string
}

/** The durable stores of this machine: SQLite with one server, the others with two. */
export const storePlaces: readonly StorePlace[] = presentStores.flatMap(({ name, title }) => {
  if (name === 'memory') return []
  const servers = name === 'sqlite' ? 1 : 2
  return [{ store: name, title, servers, where: servers === 1 ? title : `${title}, two servers` }]
})

/** Does the same on each of these stores, one after the other. */
export async function onEachPlace<Result>(
  work: (place: StorePlace) => Promise<Result | readonly Result[]>,
  places: readonly StorePlace[] = storePlaces,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const place of places) {
    const found = await work(place)
    results.push(...(Array.isArray(found) ? (found as readonly Result[]) : [found as Result]))
  }
  return results
}
