import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { findUsedSession } from '../sessions/load-session.ts'
import { isElsewhere } from '../runs/run-services.ts'
import { withUpgrades } from '../sessions/upgrade-sessions.ts'
import {
  ARCHIVE_VERSION,
  type ArchiveCounts,
  type ArchiveStart,
  encodeCommand,
  encodeFile,
  encodeFrame,
  encodePart,
} from './archive-entry.ts'
import { CUTS } from '../sessions/cuts.ts'
import { CELLS, laneCollection, RECORD } from '../sessions/record-writer.ts'
import { GENERATED, OLD_RUNS, RUNS } from '../runs/stored-run.ts'
import { TIMES } from '../runs/run-times.ts'
import { withStoreErrors } from '../with-store-errors.ts'

const PAGE = 256

/**
 * Exports a session as the lines of an archive, which `importSession` reads into any store. A branch includes the frames that it
 * shares with its parent. Throws during a run, and if the session changes meanwhile: that archive has no end and cannot be
 * imported.
 */
export async function* exportSession(given: Store, session: string): AsyncGenerator<string> {
  const store = withStoreErrors(withUpgrades(given))
  const { info } = await findUsedSession(store, session)
  const { earliest, tail, owner, head = null } = info
  if (isElsewhere(info))
    throw new MillraceError(
      'conflict',
      `Session ${session} has an active run; stop it, or export the session when the run has ended.`,
    )
  const place = { session, earliest, tail, head, owner }
  const start: ArchiveStart = { millrace: 'session', version: ARCHIVE_VERSION, ...place }
  yield `${JSON.stringify(start)}\n`
  const counts = { files: 0, frames: 0, parts: 0, commands: 0 }
  // Files first, so that an import stores them before frames that reference them.
  for (const kind of ['files', 'frames', 'parts', 'commands'] as const) {
    for await (const line of readers[kind](store, info)) {
      counts[kind] += 1
      yield `${line}\n`
    }
  }
  await checkUnchanged(store, info)
  yield `${JSON.stringify({ type: 'end', counts: counts satisfies ArchiveCounts })}\n`
}

type ReadEntries = (store: Store, info: SessionInfo) => AsyncGenerator<string>

const readers: Readonly<Record<keyof ArchiveCounts, ReadEntries>> = {
  async *files(store, { session }) {
    for (const id of await store.fileIds(session)) {
      const file = await store.file(session, id)
      if (file !== undefined) yield encodeFile(file)
    }
  },

  async *frames(store, { session, log, earliest, tail }) {
    for (let after = earliest - 1; after < tail;) {
      const page = await store.read(session, after, Math.min(PAGE, tail - after), log)
      if (page.length === 0) throw changed(session)
      for (const { id, line } of page) yield encodeFrame(id, line)
      after = page.at(-1)?.id ?? tail
    }
  },

  async *parts(store, info) {
    const { session, log } = info
    for (const collection of await collectionsOf(store, info)) {
      for (let after = -1; ;) {
        const range = { after, limit: PAGE }
        const page = await store.parts(session, collection, range, log)
        for (const part of page) yield encodePart(part)
        after = page.at(-1)?.number ?? after
        if (page.length < PAGE) break
      }
    }
  },

  async *commands(store, { session, log }) {
    for (let after = 0; ; after += PAGE) {
      const page = await store.commands(session, after, PAGE, log)
      for (const command of page) yield encodeCommand(command)
      if (page.length < PAGE) return
    }
  },
}

/** Throws if the session was changed: head, parts and frames are read one after the other. */
async function checkUnchanged(store: Store, info: SessionInfo): Promise<void> {
  const { session, log, epoch, tail, inbox, head } = info
  const now = await store.info(session)
  const isSame = now?.log === log && now.epoch === epoch && now.tail === tail
  if (!isSame || now.inbox !== inbox || now.head !== head) throw changed(session)
}

function changed(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Session ${session} changed during the export; export it again.`,
  )
}

/** The collections of a session, besides the lanes of its state. */
const collections = [RECORD, RUNS, OLD_RUNS, TIMES, CUTS, GENERATED, CELLS] as const

/** Lists the collections in which a session may have parts. Lanes have no gaps, and none is empty. */
async function collectionsOf(
  store: Pick<Store, 'parts'>,
  { session, log }: SessionInfo,
): Promise<readonly string[]> {
  const found: string[] = [...collections]
  for (let lane = 0; ; lane++) {
    const collection = laneCollection(lane)
    const [first] = await store.parts(session, collection, { after: 0, limit: 1 }, log)
    if (first === undefined) return found
    found.push(collection)
  }
}
