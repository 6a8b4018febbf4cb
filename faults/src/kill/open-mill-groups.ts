import { storeKinds } from '@millrace/bench/servers'
import { openStore } from 'millrace/node'
import { openMill } from '../mill/open-mill.ts'
import type { StorePlace } from '../stores.ts'
import { type MillGroup, createMillGroup } from './mill-group.ts'
import { lookAtCopy } from './look-at-copy.ts'

/** The options of the servers of a group. */
export interface OpenGroupOptions {
  readonly modelUrl: string
  readonly toolMs: number
}

/** Opens the servers of a store, each of which is restarted when it dies. */
export function openMillGroup(place: StorePlace, options: OpenGroupOptions): Promise<MillGroup> {
  return place.store === 'sqlite' ? openFileGroup(options) : openServerGroup(place, options)
}

async function openFileGroup(options: OpenGroupOptions): Promise<MillGroup> {
  const { address, close } = await storeKinds.sqlite.open()
  return createMillGroup({
    size: 1,
    open: (mortality) => openMill({ store: address, ...options, ...mortality }),
    look: (see) => lookAtCopy(address.replace('sqlite:', ''), see),
    ownerOf: async (_session, [only]) => only,
    onClose: close,
  })
}

async function openServerGroup(
  { store: kind, servers }: StorePlace,
  options: OpenGroupOptions,
): Promise<MillGroup> {
  const { address, close } = await storeKinds[kind].open()
  const store = await openStore(address, { exclusive: false })
  return createMillGroup({
    size: servers,
    open: (mortality) => openMill({ store: address, ...options, ...mortality }),
    look: (see) => see(store),
    ownerOf: async (session, living) => {
      const owner = (await store.info(session))?.lease?.owner
      // An owner is named host:pid:startTime.
      return living.find(({ pid }) => owner?.split(':').at(-2) === String(pid))
    },
    onClose: async () => {
      await store.close()
      await close()
    },
  })
}
