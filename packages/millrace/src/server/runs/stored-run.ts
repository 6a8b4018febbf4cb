import type { Agent, RunMessages } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import {
  type GeneratedFile,
  isPauseReason,
  type Message,
  type Prompt,
  type RunEnd,
  toHistoryJson,
  toPromptText,
  toWireFile,
  type Usage,
} from '../../events/index.ts'
import type { Part, SessionInfo, Store } from '../../stores/port/index.ts'
import { createRestore } from '../files/prompt-files.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { headOf } from '../sessions/load-session.ts'
import type { StoredSession } from '../sessions/session-record.ts'
import { openState } from '../sessions/record-writer.ts'
import type { EndPlace } from './run-record.ts'
import { findAgent } from './run-services.ts'
import type { StoredTimes } from './run-times.ts'

/** The collection of ended and paused runs by their numbers. */
export const RUNS = 'runs'
/** The collection of runs in version 0.1.0, each with its messages. */
export const OLD_RUNS = 'conversations'

const PAGE = 256

/** One ended or paused run of a session in its history form. */
export interface Conversation {
  /** Counts from 1 in each session. */
  readonly number: number
  readonly json: string
}

/** A stored run. Its messages are in the state of the agent; those of an agent without a state are stored here. */
interface StoredRun {
  readonly version: 1
  readonly runId: string | null
  readonly startedAt: number
  readonly updatedAt: number
  readonly stopReason: string
  readonly steps: number
  readonly usage: Usage
  readonly files: readonly ReturnType<typeof toWireFile>[]
  /** The final answer is defined by events [LIFE-15], so messages are not sufficient. */
  readonly answer: string
  /** The first and the last frame. */
  readonly first: number
  readonly last: number
  /** The place of its messages in the state; absent in runs of older versions, which are such places themselves. */
  readonly at?: object
  readonly messages?: readonly Message[]
  /** The digest of the conversation up to the end of the run; absent in runs of older versions. */
  readonly digest?: string
}

/** The end of a run and its place. */
export interface WrittenEnd {
  readonly event: RunEnd
  readonly place: EndPlace
  /** The prompt, unless a checkpoint holds it. */
  readonly question: Prompt | undefined
  readonly frame: number
}

/** Encodes a run for the history. The end of a paused run replaces its part. */
export function encodeRun(
  stored: StoredSession,
  { event, place, question, frame }: WrittenEnd,
): Part {
  const { runs: number, startedAt, updatedAt, checkpoint, runFirst = 1, run } = stored
  const { stopReason, steps, usage, files } = event
  // Computed on each access, from the whole conversation.
  const digest = checkpoint?.digest
  const body: StoredRun = {
    version: 1,
    runId: checkpoint?.run.id ?? run?.id ?? null,
    startedAt,
    updatedAt,
    stopReason,
    steps,
    usage,
    files: files.map(toWireFile),
    answer: place.answer,
    first: runFirst,
    last: place.lastId,
    ...(checkpoint === undefined
      ? { messages: toMessages(event, place, question) }
      : { at: checkpoint.place() }),
    ...(digest !== undefined && { digest }),
  }
  return { collection: RUNS, number, frame, body: JSON.stringify(body) }
}

/** Returns the messages of an agent without a state. If it reports none, its final answer is its message. */
function toMessages(
  { messages }: RunEnd,
  { answer }: EndPlace,
  question: Prompt = [],
): readonly Message[] {
  const asked = typeof question === 'string' ? [{ type: 'text', text: question }] : question
  const said = [{ type: 'text', text: answer }]
  const known: readonly Message[] =
    messages.length > 0
      ? messages
      : [
          ...(asked.length > 0 ? [{ role: 'user', content: asked } as const] : []),
          ...(answer === '' ? [] : [{ role: 'assistant', content: said } as const]),
        ]
  return known.map((one) => ({ ...one, content: one.content.map(toStoredBlock) }))
}

/** Updates the place of a paused run's messages. */
export function withPlace({ body, ...part }: Part, at: object): Part {
  return { ...part, body: JSON.stringify({ ...decodeRun(body), at } satisfies StoredRun) }
}

/** The range of a history to read, newest first. */
export interface RunRange {
  readonly before?: number | undefined
  readonly limit: number
}

/** A session whose history is read. */
export interface HistorySource {
  readonly store: Store
  readonly session: string
}

/** A session whose messages are read, and the agents that can read them. */
export interface ConversationSource extends HistorySource {
  readonly agents: Readonly<Record<string, Agent>>
}

/** Reads runs in the form of the seed's `/conversations`, newest first. */
export async function readConversations(
  source: ConversationSource,
  { before = Number.MAX_SAFE_INTEGER, limit }: RunRange,
): Promise<readonly Conversation[]> {
  const rows = await readRows(source, before, limit)
  return Promise.all(rows.map((row) => toConversation(source, row)))
}

/** A run of a history, and its first frame. */
interface FoundRun extends StoredRun {
  readonly number: number
}

/** Finds a run by its id, or the newest; throws `not_found` if none has ended or paused. */
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

/** Reads the digest of the conversation before a run, or of all of it; undefined if the last run has none. */
export async function readConversationDigest(
  { store, session }: HistorySource,
  before = Number.MAX_SAFE_INTEGER,
): Promise<string | undefined> {
  const [last] = await store.parts(session, RUNS, { before, limit: 1 })
  return last && decodeRun(last.body).digest
}

/** Reads the stop reason of a run; undefined before its end or pause. */
export async function readStopReason(
  source: HistorySource,
  number: number,
): Promise<string | undefined> {
  const part = await readRunPart(source, number)
  return part && decodeRun(part.body).stopReason
}

/** Reads the prompt of a run. */
export async function readRunPrompt(source: ConversationSource, run: FoundRun): Promise<Prompt> {
  const { messages } = await readRunMessages(source, run)
  const [first] = messages
  const written = first === undefined ? [] : writtenBlocks(first.content)
  return plainText(written) ?? written
}

function runMissing(session: string, runId: string | undefined): MillraceError {
  const run = runId === undefined ? 'run' : `run ${JSON.stringify(runId.slice(0, 80))}`
  return new MillraceError(
    'not_found',
    `Session ${session} has no ${run} that has ended or paused. GET /agent/${session}/conversations lists its runs.`,
  )
}

/** The frames of a run. */
interface RunFrames {
  readonly first: number
  readonly last: number
  /** The times of the frames of a run that version 0.1.0 stored. */
  readonly times?: StoredTimes
}

/** Reads the frames of runs, newest first. */
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

/** Reads the ids of all files that agents generated in a session. Older versions stored them only with the ends of runs. */
export async function readFileIds(store: Store, info: SessionInfo): Promise<ReadonlySet<string>> {
  const { session } = info
  const ids = new Set((await readGeneratedFiles(store, info)).map(({ fileId }) => fileId))
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await readRows({ store, session }, before, PAGE)
    for (const { body, number } of rows) {
      const { files, generated_files: older = [] } = JSON.parse(body) as Partial<OldRun>
      for (const { file_id: id } of files ?? older) ids.add(id)
      before = number
    }
    if (rows.length < PAGE) return ids
  }
}

interface OldRun extends StoredRun {
  readonly generated_files: StoredRun['files']
}

/** Reads runs; those of older servers have lower numbers. */
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

/** The member of a conversation with the results that a paused run has emitted. Stored conversations of older versions have it, too. */
export const EMITTED_RESULTS = 'told_results'

async function toConversation(source: ConversationSource, row: Part): Promise<Conversation> {
  const { number, collection, body } = row
  if (collection === OLD_RUNS) return { number, json: body }
  const run = decodeRun(body)
  const { stopReason, startedAt, updatedAt } = run
  const { messages, results } = await readRunMessages(source, run)
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
    [EMITTED_RESULTS]: results,
  })
  return { number, json }
}

async function readRunMessages(
  { store, session, agents }: ConversationSource,
  run: StoredRun,
): Promise<RunMessages> {
  if (run.messages !== undefined) {
    const restore = createRestore({ store, session })
    const restored = run.messages.map(async (one) => ({
      ...one,
      content: await restore(one.content),
    }))
    return { messages: await Promise.all(restored) }
  }
  const info = await store.info(session)
  // An agent of another type can read the state of one that is no longer offered.
  const agent =
    findAgent(agents, headOf(info)) ??
    Object.values(agents).find(({ conversation }) => conversation !== undefined)
  if (info === undefined || agent?.conversation === undefined) return { messages: [] }
  return agent.conversation(openState(store, info), run.at ?? run)
}

function decodeRun(body: string): StoredRun {
  return JSON.parse(body) as StoredRun
}

/** Returns the text of the user; results of the previous run may precede it. */
function toUserText(content: Message['content']): string {
  const written = writtenBlocks(content)
  return plainText(written) ?? toPromptText(written)
}

function writtenBlocks(content: Message['content']): Message['content'] {
  return content.filter(({ type }) => type !== 'tool_result')
}

/** Returns the text of a prompt that has nothing else. */
function plainText([only, ...rest]: Message['content']): string | undefined {
  return only?.type === 'text' && rest.length === 0 ? String(only['text']) : undefined
}

/** The collection of files that agents reported, by the frame that reported them. */
export const GENERATED = 'generated'

/** Encodes the files that an event reports. */
export function toGeneratedFiles(files: readonly GeneratedFile[], frame: number): Part {
  return { collection: GENERATED, number: frame, frame, body: JSON.stringify(files) }
}

/** Reads the files that were reported after a frame. */
export async function readGeneratedFiles(
  store: Pick<Store, 'parts'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
  frame = 0,
): Promise<readonly GeneratedFile[]> {
  // An agent reports all files of its run so far.
  const files = new Map<string, GeneratedFile>()
  for (let after = frame; ;) {
    const page = await store.parts(session, GENERATED, { after, limit: PAGE }, log)
    for (const { body } of page) {
      for (const file of JSON.parse(body) as GeneratedFile[]) files.set(file.fileId, file)
    }
    after = page.at(-1)?.number ?? after
    if (page.length < PAGE) return [...files.values()]
  }
}
