import type { StoreKind, StoreName } from '@millrace/bench/servers'
import type { Finding, TrialOptions } from './trial.ts'

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

type Stores = Pick<TrialOptions, 'stores'>

/** Whether a trial uses this store. */
export function usesStore({ stores }: Stores, store: StoreName): boolean {
  return stores.some(({ name }) => name === store)
}

/** The stores of a trial that outlive their servers. */
export function durableStores({ stores }: Stores): readonly (StoreKind & { name: DurableStore })[] {
  return stores.flatMap((kind) => {
    const { name } = kind
    return name === 'memory' ? [] : [{ ...kind, name }]
  })
}

/** The durable stores of a trial: SQLite with one server, the others with two. */
export function storePlaces(options: Stores): readonly StorePlace[] {
  return durableStores(options).map(({ name, title }) => {
    const servers = name === 'sqlite' ? 1 : 2
    return { store: name, title, servers, where: servers === 1 ? title : `${title}, two servers` }
  })
}

/** The same places, and Postgres with three servers: for the long form of trials. */
export function longStorePlaces(options: Stores): readonly StorePlace[] {
  return storePlaces(options).flatMap((place) =>
    place.store === 'postgres'
      ? [place, { ...place, servers: 3, where: `${place.title}, three servers` }]
      : [place],
  )
}

/** Executes the same work on each durable store of a trial, one after the other. */
export async function onEachPlace(
  options: Stores,
  work: (place: StorePlace) => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const place of storePlaces(options)) findings.push(...[await work(place)].flat())
  return findings
}
