import type { Store } from '../../../src/stores/port/index.ts'

/** A store that counts its changes, and can return its content. */
export interface WatchedStore extends Store {
  /** The calls so far that may have changed data. */
  readonly changes: readonly string[]
  /** All stored data, as one text; files by the ids that were ever put. */
  dump(): Promise<string>
}

/** Watches a store. */
export function createWatchedStore(store: Store): WatchedStore {
  const changes: string[] = []
  const files: (readonly [string, string])[] = []
  const changing =
    <Given extends readonly unknown[], T>(name: string, call: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> => {
      changes.push(name)
      return call(...given)
    }
  return {
    ...store,
    changes,
    open: changing('open', store.open),
    append: changing('append', store.append),
    renew: changing('renew', store.renew),
    remove: changing('remove', store.remove),
    prune: changing('prune', store.prune),
    send: changing('send', store.send),
    submit: changing('submit', store.submit),
    settle: changing('settle', store.settle),
    claim: changing('claim', store.claim),
    putFile: changing('putFile', (session, file) => {
      files.push([session, file.id])
      return store.putFile(session, file)
    }),
    dump: async () => {
      const { rows } = await store.list({ limit: 1_000, offset: 0 })
      const sessions = rows.map(async ({ session }) => ({
        ...(await store.info(session)),
        log: await store.read(session, 0, 100_000),
        parts: await Promise.all(
          ['own:record', 'own:cells', 'lane:0', 'runs', 'times'].map((collection) =>
            store.parts(session, collection, { after: -1, limit: 10_000 }),
          ),
        ),
        commands: await store.pending(session),
      }))
      const kept = files.map(async ([session, id]) => [session, await store.file(session, id)])
      return JSON.stringify([await Promise.all(sessions), await Promise.all(kept)], (_, value) =>
        value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
      )
    },
  }
}
