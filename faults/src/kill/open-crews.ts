import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'millrace/node'
import { openMill } from '../mill/open-mill.ts'
import { startRedis } from '../redis.ts'
import { type Crew, createCrew } from './crew.ts'
import { lookAtCopy } from './look-at-copy.ts'

/** What the servers of a crew are started with. */
export interface OpenCrewOptions {
  readonly modelUrl: string
  readonly toolMs: number
}

/** Opens one server on a file, which is started again on that file. */
export async function openSqliteCrew(options: OpenCrewOptions): Promise<Crew> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kill-'))
  const path = join(folder, 'millrace.db')
  return createCrew({
    size: 1,
    open: (mortality) => openMill({ store: `sqlite:${path}`, ...options, ...mortality }),
    look: (see) => lookAtCopy(path, see),
    ownerOf: async (_session, [only]) => only,
    onClose: () => rm(folder, { recursive: true, force: true }),
  })
}

/** Opens two servers on one Redis, each of which is started again beside the other. */
export async function openRedisCrew(options: OpenCrewOptions): Promise<Crew> {
  const redis = await startRedis()
  const store = await openStore(redis.url)
  return createCrew({
    size: 2,
    open: (mortality) => openMill({ store: redis.url, ...options, ...mortality }),
    look: (see) => see(store),
    ownerOf: async (session, living) => {
      const owner = (await store.info(session))?.lease?.owner
      // An owner is named host:pid:startTime.
      return living.find(({ pid }) => owner?.split(':').at(-2) === String(pid))
    },
    onClose: async () => {
      await store.close()
      await redis.stop()
    },
  })
}
