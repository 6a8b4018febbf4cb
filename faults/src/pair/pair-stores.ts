import { usesStore } from '../stores.ts'
import type { TrialOptions } from '../trial.ts'
import type { PairStore } from './pair-store.ts'
import { openPostgresPairStore } from './postgres-pair-store.ts'
import { openRedisPairStore } from './redis-pair-store.ts'

/** A kind of store that several servers of several machines can share. */
export interface PairStoreKind {
  readonly title: string
  readonly openStore: () => Promise<PairStore>
}

const kinds = [
  { name: 'redis', title: 'Redis', openStore: () => openRedisPairStore() },
  { name: 'postgres', title: 'Postgres', openStore: () => openPostgresPairStore() },
] as const

/** Those that a trial uses. */
export function pairStores(options: TrialOptions): readonly PairStoreKind[] {
  return kinds.filter(({ name }) => usesStore(options, name))
}
