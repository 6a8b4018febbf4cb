import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { Append, CommandChange, Part, SessionInfo, Store } from '../../stores/port/index.ts'
import { decodeHead } from '../sessions/session-record.ts'
import { withStoreErrors } from '../with-store-errors.ts'
import {
  type ArchiveCounts,
  type ArchiveEntry,
  type ArchiveStart,
  damaged,
  decodeEntry,
  decodeStart,
} from './archive-entry.ts'

const OWNER = 'import'
const LEASE_MS = 60_000
const LEASE = { owner: OWNER, ms: LEASE_MS }
const RENEWAL_MS = LEASE_MS / 3

/** Maximum size of one append. */
const MAX_BATCH_BYTES = 1_048_576
const MAX_BATCH_ENTRIES = 512

/** Placeholder for a frame that was trimmed before the export; it is trimmed again. */
const trimmedLine = new TextEncoder().encode('{}')

/** Options of an import. */
export interface ImportOptions {
  /** A new id for the session, replaced everywhere in it. */
  readonly as?: string
}

/** An imported session. */
export interface ImportedSession extends ArchiveCounts {
  readonly session: string
}

/**
 * Imports the lines of an archive into a store. The head, without which no server shows the session, is written last; on failure
 * the session is removed. A run that was active at the export is recovered by the servers of this store.
 */
export async function importSession(
  store: Store,
  lines: AsyncIterable<string>,
  { as }: ImportOptions = {},
): Promise<ImportedSession> {
  let number = 0
  let archive: Archive | undefined
  try {
    for await (const line of lines) {
      number += 1
      if (archive === undefined)
        archive = await openArchive(withStoreErrors(store), decodeStart(line), as)
      else await archive.take(decodeEntry(archive.rename(line), number), number)
    }
    if (archive === undefined) throw damaged(1)
    return await archive.finish(number)
  } catch (error) {
    await archive?.discard().catch(() => {})
    throw error
  } finally {
    archive?.stop()
  }
}

async function openArchive(
  store: Store,
  start: ArchiveStart,
  as: string | undefined,
): Promise<Archive> {
  const session = as ?? start.session
  if (start.head !== null) decodeHead(start.head)
  try {
    const info = await store.open(session, LEASE, 0, start.owner)
    return new Archive(store, info, start)
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
    throw new MillraceError(
      'conflict',
      `Session ${session} already exists; delete it first, or import the archive under another id with --as.`,
    )
  }
}

/** A session that is being imported. */
class Archive {
  readonly #store: Store
  readonly #info: SessionInfo
  readonly #start: ArchiveStart
  #tail = 0
  #lines: Uint8Array[] = []
  #parts: Part[] = []
  #commands: CommandChange[] = []
  #bytes = 0
  #counts = { files: 0, frames: 0, parts: 0, commands: 0 }
  #expected: ArchiveCounts | undefined
  /** One file may take longer than the lease lasts. A renewal that fails makes the next append fail. */
  readonly #renewal = setInterval(() => {
    const { session, epoch, log } = this.#info
    this.#store.renew(session, epoch, LEASE, log).catch(() => {})
  }, RENEWAL_MS)

  constructor(store: Store, info: SessionInfo, start: ArchiveStart) {
    this.#store = store
    this.#info = info
    this.#start = start
  }

  /** Replaces the session's id in a text of the archive. */
  rename(text: string): string {
    const { session } = this.#info
    return session === this.#start.session ? text : text.replaceAll(this.#start.session, session)
  }

  async take(entry: ArchiveEntry, number: number): Promise<void> {
    if (this.#expected !== undefined) throw damaged(number)
    if (entry.type === 'end') this.#expected = entry.counts
    else if (entry.type === 'file') {
      await this.#store.putFile(this.#info.session, entry.file)
      this.#counts.files += 1
    } else if (entry.type === 'frame') {
      await this.#takeFrame(entry.id, entry.line, number)
    } else if (entry.type === 'part') {
      this.#parts.push(entry.part)
      this.#bytes += entry.part.body.length
      this.#counts.parts += 1
    } else {
      this.#commands.push(entry.command)
      this.#bytes += entry.command.body.length
      this.#counts.commands += 1
    }
    await this.#writeFull()
  }

  /** Writes the rest, then the head; throws for an incomplete archive. */
  async finish(number: number): Promise<ImportedSession> {
    const { earliest, tail, head } = this.#start
    const counts = this.#counts
    if (this.#expected === undefined) throw damaged(number + 1)
    const isWhole = (Object.keys(counts) as (keyof ArchiveCounts)[]).every(
      (kind) => this.#expected?.[kind] === counts[kind],
    )
    if (!isWhole || counts.frames !== Math.max(0, tail - earliest + 1)) throw damaged(number)
    await this.#fillUpTo(tail)
    await this.#write()
    const { session, log } = this.#info
    await this.#checkStored()
    if (earliest > 1) await this.#store.trim(session, earliest, log)
    this.stop()
    await this.#write(head === null ? { lease: 'release' } : this.#toLast(head))
    return { session, ...counts }
  }

  /** Throws if the store has dropped frames of the archive, because it keeps only some of each session. */
  async #checkStored(): Promise<void> {
    const { session, log } = this.#info
    const { earliest, tail } = this.#start
    const now = await this.#store.info(session)
    if (now?.log === log && now.earliest <= Math.max(1, earliest)) return
    const kept = now?.log === log ? tail - now.earliest + 1 : 0
    throw new MillraceError(
      'payload_too_large',
      `The archive has ${tail - earliest + 1} frames, but the store keeps only ${kept} of them. Raise its \`maxMessagesPerSession\`, or trim the session before the export (\`keep.runs\`).`,
    )
  }

  /** A run that was active at the export is recovered once this lease has lapsed. */
  #toLast(head: string): Pick<Append, 'head' | 'lease'> {
    const isRunning = decodeHead(head).status === 'running'
    return { head: this.rename(head), lease: isRunning ? { owner: OWNER, ms: 1 } : 'release' }
  }

  /** Removes the imported data, unless the session was opened by another writer meanwhile. */
  async discard(): Promise<void> {
    const { session, log, epoch } = this.#info
    const now = await this.#store.info(session)
    if (now?.log === log && now.epoch === epoch) await this.#store.remove(session)
  }

  /** Stops to renew the lease. */
  stop(): void {
    clearInterval(this.#renewal)
  }

  async #takeFrame(id: number, line: Uint8Array, number: number): Promise<void> {
    const { earliest } = this.#start
    if (id !== earliest + this.#counts.frames) throw damaged(number)
    await this.#fillUpTo(earliest - 1)
    this.#lines.push(line)
    this.#bytes += line.length
    this.#counts.frames += 1
  }

  /** Ids are positions, so trimmed frames need placeholders. */
  async #fillUpTo(id: number): Promise<void> {
    while (this.#tail + this.#lines.length < id) {
      this.#lines.push(trimmedLine)
      await this.#writeFull()
    }
  }

  async #writeFull(): Promise<void> {
    const entries = this.#lines.length + this.#parts.length + this.#commands.length
    if (entries >= MAX_BATCH_ENTRIES || this.#bytes >= MAX_BATCH_BYTES) await this.#write()
  }

  async #write(last: Pick<Append, 'head' | 'lease'> = {}): Promise<void> {
    const { session, log, epoch } = this.#info
    const [lines, parts, commands] = [this.#lines, this.#parts, this.#commands]
    this.#lines = []
    this.#parts = []
    this.#commands = []
    this.#bytes = 0
    const place = { session, log, epoch, tail: this.#tail }
    const append = { ...place, lines, parts, commands, lease: LEASE, ...last }
    this.#tail = (await this.#store.append(append)).tail
  }
}
