import { createEnvelopeWriter } from '../exit/index.ts'
import { createRunMedia } from './files/run-media.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'
import type { RunContext } from './run-context.ts'
import { createRunRecorder, type RunRecorder, type RunRecorderOptions } from './run-recorder.ts'
import type { StoredSession } from './session-record.ts'

/** Where a run is recorded. */
export interface RecorderPlace extends Pick<RunRecorderOptions, 'onEnd'> {
  readonly session: string
  readonly epoch: number
  /** The last message before those of the run. */
  readonly tail: number
  readonly stored: StoredSession
}

/** What records a run, and the log that it writes to. */
export interface OpenRecorder {
  readonly log: LogWriter
  readonly recorder: RunRecorder
}

/** Opens the recorder of a run in a session whose writer this server is. */
export function openRecorder(context: RunContext, place: RecorderPlace): OpenRecorder {
  const { maxLineBytes: maxBytes, now, onLine, files: source } = context
  const { session, stored, onEnd } = place
  const { history, toolInput } = stored
  const log = openLog(context, place)
  const onError = (error: unknown): void => context.onError(error, { session })
  const { keep: keepMedia, imageUrl } = createRunMedia({ ...context, session, source, onError })
  const recorder = createRunRecorder({
    session,
    stored,
    log,
    now,
    onLine,
    keepMedia,
    ...(onEnd !== undefined && { onEnd }),
    createWriter: () => createEnvelopeWriter({ maxBytes, history, toolInput, imageUrl }),
  })
  return { log, recorder }
}

function openLog(
  { store, maxQueuedBytes, observer, offer }: RunContext,
  { session, epoch, tail }: RecorderPlace,
): LogWriter {
  const { appended: onAppended } = observer
  const offering = offer === undefined ? {} : { offer }
  return createLogWriter({ ...offering, session, epoch, tail, store, maxQueuedBytes, onAppended })
}
