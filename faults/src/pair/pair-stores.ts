import { postgresMissing, redisMissing } from '@millrace/bench/servers'
import type { PairStore } from './pair-store.ts'
import { openPostgresPairStore } from './postgres-pair-store.ts'
import { openRedisPairStore } from './redis-pair-store.ts'

/** A kind of store that several servers of several machines can share. */
export interface PairStoreKind {
  readonly title: string
  readonly openStore: () => Promise<PairStore>
}

const kinds = [
  { title: 'Redis', missing: redisMissing, openStore: () => openRedisPairStore() },
  { title: 'Postgres', missing: postgresMissing, openStore: () => openPostgresPairStore() },
]

/** Those that can be used on this machine. */
export const pairStores: readonly PairStoreKind[] = kinds.filter(({ missing }) => missing === '')
