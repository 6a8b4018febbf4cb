import type { RunInput } from '../agent/index.ts'
import { createEnvelopeWriter } from '../dialects/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { SessionInfo } from '../store/index.ts'
import { createLogWriter } from './log-writer.ts'
import { startRun } from './run.ts'
import { closing, type Reading, type RunContext } from './run-context.ts'
import { createRunRecorder } from './run-recorder.ts'
import { encodeRecord, type StoredSession } from './session-record.ts'

/** A run that may start: its session has been opened and nothing else runs there. */
export interface Launch {
  readonly info: SessionInfo
  readonly stored: StoredSession
  readonly input: RunInput
}

/** Stores that a run begins, then starts it; the reading covers it from its first message to its end. */
export async function launch(
  context: RunContext,
  { info, stored, input }: Launch,
): Promise<Reading> {
  const { store, runs } = context
  const { session, epoch, tail } = info
  const agent = context.agents[stored.agentType]
  if (agent === undefined) throw agentMissing(stored.agentType)
  await store.append({ session, epoch, tail, lines: [], record: encodeRecord(stored) })
  const log = createLogWriter({
    store,
    session,
    epoch,
    tail,
    maxQueuedBytes: context.maxQueuedBytes,
  })
  const recorder = createRecorder(context, { info, stored, input }, log)
  const { abortGraceMs, onError } = context
  const run = startRun({ agent, input, log, recorder, abortGraceMs, onError })
  runs.set(session, run)
  void run.over.then(() => runs.delete(session))
  if (context.isClosing()) run.abort(closing())
  return { session, after: tail, goal: run }
}

function createRecorder(
  { maxLineBytes, now, onLine }: RunContext,
  { info: { session }, stored }: Launch,
  log: ReturnType<typeof createLogWriter>,
) {
  const { history, toolInput } = stored
  return createRunRecorder({
    session,
    stored,
    log,
    now,
    onLine,
    createWriter: () => createEnvelopeWriter({ maxBytes: maxLineBytes, history, toolInput }),
  })
}

function agentMissing(agentType: string): MillraceError {
  return new MillraceError(
    'unsupported',
    `This session belongs to the agent ${agentType}, which is not offered any more; start a new session.`,
  )
}
