import { presentStores, type StoreName } from '@millrace/bench/servers'
import type { Finding } from './trial.ts'

/** A store that outlives its servers. */
export type DurableStore = Exclude<StoreName, 'memory'>

/** A durable store, and the number of servers that use it at once. */
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

/** The same places, and Postgres with three servers: for the long form of trials. */
export const longStorePlaces: readonly StorePlace[] = storePlaces.flatMap((place) =>
  place.store === 'postgres'
    ? [place, { ...place, servers: 3, where: `${place.title}, three servers` }]
    : [place],
)

/** Executes the same work on each of these stores, one after the other. */
export async function onEachPlace(
  work: (place: StorePlace) => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const place of storePlaces) findings.push(...[await work(place)].flat())
  return findings
}
