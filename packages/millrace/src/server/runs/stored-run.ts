import { laneCollection, readMessages, readReferences, ROOT_LANE } from '../../agent/state/index.ts'
import { MillraceError } from '../../errors/index.ts'
import {
  isPauseReason,
  type Message,
  type Prompt,
  type RunEnd,
  type Usage,
} from '../../events/index.ts'
import { toHistoryJson, toPromptText, toWireFile } from '../../exit/index.ts'
import type { Part, Store } from '../../stores/port/index.ts'
import { restoreHistory } from '../files/prompt-files.ts'
import type { EndPlace } from './run-record.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import type { StoredTimes } from './run-times.ts'
import type { StoredSession } from '../sessions/session-record.ts'

/** The collection of runs that are over or wait, by their numbers. */
export const RUNS = 'runs'
/** Where servers of version 0.1.0 have kept them, each with its messages. */
export const OLD_RUNS = 'conversations'

const LANE = laneCollection(ROOT_LANE)
const PAGE = 256

/** One run of a session that is over or waits, as the history tells it. */
export interface Conversation {
  /** Counts from 1 in each session. */
  readonly number: number
  readonly json: string
}

/** A run as it is stored. Its messages are those of the state, by the parts in which they were written. */
interface StoredRun {
  readonly version: 1
  readonly runId: string | null
  readonly startedAt: number
  readonly updatedAt: number
  readonly stopReason: string
  readonly steps: number
  readonly usage: Usage
  readonly files: readonly ReturnType<typeof toWireFile>[]
  /** The final answer is defined over events [LIFE-15], so messages alone do not give it. */
  readonly answer: string
  /** The first and the last frame. */
  readonly first: number
  readonly last: number
  /** Its first message, and how many there are. */
  readonly start: number
  readonly count: number
  /** Its parts are those after `after`, up to `upTo`. */
  readonly after: number
  readonly upTo: number
  /** The results that were told before it paused, as they were written. */
  readonly told?: readonly object[]
}

/** The end of a run, and where it was written. */
interface WrittenEnd {
  readonly event: RunEnd
  readonly place: EndPlace
  readonly frame: number
  readonly writer: RecordWriter
}

/** Writes a run down for the history; a pause is completed later. */
export function encodeRun(
  stored: StoredSession,
  { event, place, frame, writer }: WrittenEnd,
): Part {
  const { runs: number, startedAt, updatedAt, state, runFirst = 1, runParts = 0 } = stored
  const { stopReason, steps, usage, files, messages } = event
  const run: StoredRun = {
    version: 1,
    runId: state?.runId ?? null,
    startedAt,
    updatedAt,
    stopReason,
    steps,
    usage,
    files: files.map(toWireFile),
    answer: place.answer,
    first: runFirst,
    last: place.lastId,
    start: state?.runStart ?? 0,
    count: messages.length,
    after: runParts,
    upTo: writer.place(place.root).parts,
    ...(isPauseReason(stopReason) &&
      state?.turn && { told: writer.references(place.root, state.turn.results) }),
  }
  return { collection: RUNS, number, frame, body: JSON.stringify(run) }
}

/** Which runs of a history are read, the newest first. */
export interface RunRange {
  readonly before?: number | undefined
  readonly limit: number
}

/** A session whose history is read. */
export interface HistorySource {
  readonly store: Store
  readonly session: string
}

/** Reads runs as the seed's `/conversations` tells them, the newest first. */
export async function readConversations(
  source: HistorySource,
  { before = Number.MAX_SAFE_INTEGER, limit }: RunRange,
): Promise<readonly Conversation[]> {
  const rows = await readRows(source, before, limit)
  return Promise.all(rows.map((row) => toConversation(source, row)))
}

/** A run of a history, and its first frame. */
export interface FoundRun extends StoredRun {
  readonly number: number
}

/** Finds a run by its id, or the newest; throws `not_found` if there is none that has ended or waits. */
export async function findRun(source: HistorySource, runId?: string): Promise<FoundRun> {
  const { store, session } = source
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await store.parts(session, RUNS, { before, limit: PAGE })
    for (const { number, body } of rows) {
      const run = { ...decodeRun(body), number }
      if (runId === undefined || run.runId === runId) return run
      before = number
    }
    if (rows.length < PAGE) throw runMissing(session, runId)
  }
}

/** Reads the part of a run; undefined if it has none. */
export async function readRunPart(
  { store, session }: HistorySource,
  number: number,
): Promise<Part | undefined> {
  const [part] = await store.parts(session, RUNS, { after: number - 1, limit: 1 })
  return part?.number === number ? part : undefined
}

/** Reads why a run ended or paused; undefined if it has done neither. */
export async function readStopReason(
  source: HistorySource,
  number: number,
): Promise<string | undefined> {
  const part = await readRunPart(source, number)
  return part && decodeRun(part.body).stopReason
}

/** Reads what was asked in a run. */
export async function readRunPrompt(source: HistorySource, run: FoundRun): Promise<Prompt> {
  const [first] = await readRunMessages(source, run)
  const written = first === undefined ? [] : writtenBlocks(first.content)
  return plainText(written) ?? written
}

function runMissing(session: string, runId: string | undefined): MillraceError {
  const run = runId === undefined ? 'run' : `run ${JSON.stringify(runId.slice(0, 80))}`
  return new MillraceError(
    'not_found',
    `Session ${session} has no ${run} that has ended or waits. GET /agent/${session}/conversations lists its runs.`,
  )
}

/** The frames of a run. */
export interface RunFrames {
  readonly first: number
  readonly last: number
  /** When they were told, of a run that version 0.1.0 has stored. */
  readonly times?: StoredTimes
}

/** Reads the frames of runs, the newest first. */
export async function readRunFrames(
  source: HistorySource,
  { before = Number.MAX_SAFE_INTEGER, limit }: RunRange,
): Promise<readonly RunFrames[]> {
  const rows = await readRows(source, before, limit)
  return rows.map(({ collection, body }) => {
    if (collection !== OLD_RUNS) return decodeRun(body)
    const { times = [] } = JSON.parse(body) as { readonly times?: StoredTimes }
    return { first: 0, last: 0, times }
  })
}

/** Runs of older servers are numbered below those of this one. */
async function readRows(
  { store, session }: HistorySource,
  before: number,
  limit: number,
): Promise<readonly Part[]> {
  const rows = await store.parts(session, RUNS, { before, limit })
  if (rows.length >= limit) return rows
  const oldest = rows.at(-1)?.number ?? before
  const range = { before: oldest, limit: limit - rows.length }
  return [...rows, ...(await store.parts(session, OLD_RUNS, range))]
}

async function toConversation(source: HistorySource, row: Part): Promise<Conversation> {
  const { number, collection, body } = row
  if (collection === OLD_RUNS) return { number, json: body }
  const run = decodeRun(body)
  const { stopReason, startedAt, updatedAt, told } = run
  const messages = await readRunMessages(source, run)
  const [first] = messages
  const isPaused = isPauseReason(stopReason)
  const json = toHistoryJson({
    conversation_id: `${source.session}/${number}`,
    run_id: run.runId,
    sequence_number: number,
    user_message: first === undefined ? '' : toUserText(first.content),
    final_response: run.answer,
    started_at: new Date(startedAt).toISOString(),
    completed_at: isPaused ? null : new Date(updatedAt).toISOString(),
    stop_reason: stopReason,
    total_steps: run.steps,
    usage: run.usage,
    generated_files: run.files,
    messages,
    told_results: told && (await readReferences(told, valueReader(source))),
  })
  return { number, json }
}

async function readRunMessages(
  { store, session }: HistorySource,
  { count, start, after, upTo }: StoredRun,
): Promise<readonly Message[]> {
  if (count === 0) return []
  const parts: Part[] = []
  for (let last = after; last < upTo;) {
    const page = await store.parts(session, LANE, {
      after: last,
      limit: Math.min(PAGE, upTo - last),
    })
    if (page.length === 0) break
    parts.push(...page)
    last = page.at(-1)?.number ?? upTo
  }
  const messages = await readMessages(parts, { after, start }, valueReader({ store, session }))
  return restoreHistory({ store, session }, messages.slice(0, count))
}

/** Reads single parts of the root agent. */
function valueReader({ store, session }: HistorySource): (number: number) => Promise<string> {
  return async (number) => {
    const [part] = await store.parts(session, LANE, { after: number - 1, limit: 1 })
    if (part?.number === number) return part.body
    throw new MillraceError('internal', `A part of session ${session} is missing: ${number}.`)
  }
}

function decodeRun(body: string): StoredRun {
  return JSON.parse(body) as StoredRun
}

/** What the person wrote; results of the run before may stand in front of it. */
function toUserText(content: Message['content']): string {
  const written = writtenBlocks(content)
  return plainText(written) ?? toPromptText(written)
}

function writtenBlocks(content: Message['content']): Message['content'] {
  return content.filter(({ type }) => type !== 'tool_result')
}

/** The text of a prompt that has nothing else. */
function plainText([only, ...rest]: Message['content']): string | undefined {
  return only?.type === 'text' && rest.length === 0 ? String(only['text']) : undefined
}
