import { MillraceError } from '../../errors/index.ts'
import { chooseAgentType, type Question, toAskedSession } from './asked-session.ts'
import { keepPromptFiles } from '../files/prompt-files.ts'
import { fromStore } from '../from-store.ts'
import { launch } from '../launch.ts'
import { removedInRun } from '../recovery/keep-lease.ts'
import { openIdle } from './open-idle.ts'
import { inPlace, isElsewhere, type Reading, type RunContext } from '../run-context.ts'
import { loadSession } from '../load-session.ts'
import { RecordWriter } from '../record-writer.ts'
import { bytesOf, checkQuota, countingFiles } from '../session-quota.ts'
import type { StoredSession } from '../session-record.ts'

/** How many ids of questions a session remembers, in a record that is written at every step. */
const MAX_REQUESTS = 100

/** Starts a run with a question; the session is made if there is none. Needs the session's lock. */
export async function ask(context: RunContext, question: Question): Promise<Reading> {
  await endOfActive(context, question.session)
  return inPlace(context, question.session, () => prepare(context, question))
}

async function prepare(context: RunContext, question: Question): Promise<Reading> {
  const { store, agents, defaultAgent, titles, now, maxSessionBytes: max } = context
  const { session, prompt } = question
  const known = await fromStore(store.info(session))
  if (isElsewhere(known)) throw underWay(session)
  const loaded = await loadSession(store, known)
  const before = loaded?.stored
  const record = loaded?.writer ?? new RecordWriter()
  if (isAsked(question, before)) throw askedBefore(session)
  const offer = { offered: Object.keys(agents), defaultAgent }
  const agentType = chooseAgentType(question, before, offer)
  const bytes = await bytesOf(store, known)
  checkQuota(session, bytes, { max })
  const info = await openIdle(context, session, known)
  if (before === undefined) record.count(bytes)
  const counting = countingFiles(store, (added) => record.count(added))
  await fromStore(keepPromptFiles({ store: counting, session }, prompt))
  const firstId = info.tail + 1
  const runParts = record.place(session).parts
  const asking = { agentType, now: now(), firstId, runParts, maxRequests: MAX_REQUESTS }
  const stored = toAskedSession(before, question, asking)
  const state = before?.state
  if (before === undefined) titles.seek(session, prompt)
  const input = state === undefined ? { agent: session, prompt } : { state, prompt }
  return launch(context, { info, stored, record, input })
}

/** The same request again asks nothing: whoever sent it reads what it led to. */
function isAsked({ requestId }: Question, before: StoredSession | undefined): boolean {
  return requestId !== undefined && before?.requests?.some(({ id }) => id === requestId) === true
}

function askedBefore(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `This request was made before. Read what followed with GET /agent/${session}/stream, or ask with another id.`,
  )
}

/** A client may ask again as soon as it has read the end, which is a moment before the run is put away. */
async function endOfActive({ runs, store }: RunContext, session: string): Promise<void> {
  const run = runs.get(session)
  if (run === undefined) return
  if (run.isEnding()) return run.over
  if ((await fromStore(store.info(session)))?.log === run.log) throw underWay(session)
  // Nothing that it does is stored any more, and it must not keep the next session of this name waiting.
  run.abort(removedInRun(session))
  return run.over
}

function underWay(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `A run of this session is under way. Watch it with GET /agent/${session}/stream and ask again after its end, or start another session.`,
  )
}
