import { type StoreKind, storeKinds } from '@millrace/bench/servers'

/** The model adapters under test, by their names in the module of the server. */
const adapters = ['anthropic', 'openai'] as const

/** A server under test: a model adapter on a store. */
export interface Configuration {
  readonly name: string
  readonly adapter: (typeof adapters)[number]
  readonly store: StoreKind
}

/** Every adapter on every store. */
export const configurations: readonly Configuration[] = Object.values(storeKinds).flatMap((store) =>
  adapters.map((adapter) => ({ name: `${adapter}-${store.name}`, adapter, store })),
)
