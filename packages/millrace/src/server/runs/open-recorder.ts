import { createEnvelopeWriter } from '../../events/index.ts'
import { createRunMedia } from '../files/run-media.ts'
import type { RunInbox } from './run-inbox.ts'
import { createLogWriter, type LogWriter, type LogWriterOptions } from './log-writer.ts'
import type { Moment } from '../timing.ts'
import type { RunServices } from './run-services.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import { createRunRecorder, type RunRecorder, type RunRecorderOptions } from './run-recorder.ts'
import { countingFiles } from '../sessions/session-quota.ts'
import { rootAgentOf, type StoredSession } from '../sessions/session-record.ts'
import { RunOutbox } from '../webhooks/run-outbox.ts'

/** The session and log of a recorder. */
export interface RecorderPlace extends Pick<RunRecorderOptions, 'onEnd' | 'unsettled'> {
  readonly session: string
  readonly log: string
  readonly epoch: number
  /** The last frame before those of the run. */
  readonly tail: number
  readonly stored: StoredSession
  /** Encodes changes of the session. */
  readonly record: RecordWriter
  /** The commands that the run has taken. */
  readonly inbox?: RunInbox
  /** The known version of the session's inbox, and the callback for unknown commands. */
  readonly known?: Pick<LogWriterOptions, 'inbox' | 'onCommands'>
  /** Receives the time at which an accepted append was sent. */
  readonly onStored?: (sentAt: Moment) => void
  /** Called before files are fetched from a provider. */
  readonly isHeld?: () => Promise<boolean>
}

/** The recorder of a run and its log. */
interface OpenRecorder {
  readonly log: LogWriter
  readonly recorder: RunRecorder
  /** Publishes the run's event once its end is stored. */
  readonly outbox: RunOutbox
}

/** Opens the recorder of a run in a session that this server may write to. */
export function openRecorder(services: RunServices, place: RecorderPlace): OpenRecorder {
  const { maxLineBytes: maxBytes, now, onLine, files: source } = services
  const { session, stored, record, inbox, unsettled, onEnd, isHeld } = place
  const { history, toolInput } = stored
  const root = rootAgentOf(session, stored)
  const log = openLog(services, place)
  const outbox = new RunOutbox(services, place)
  const onError = (error: unknown): void => services.onError(error, { session })
  const { keep: keepMedia, imageUrl } = createRunMedia({
    ...services,
    store: countingFiles(services.store, (bytes) => record.count(bytes)),
    session,
    source,
    onError,
    ...(isHeld !== undefined && { isHeld }),
  })
  const recorder = createRunRecorder({
    session,
    stored,
    record,
    ...(inbox !== undefined && { inbox }),
    outbox,
    ...(unsettled !== undefined && { unsettled }),
    log,
    now,
    onLine: onLine && ((id, line) => onLine(place.log, id, line)),
    keepMedia,
    ...(onEnd !== undefined && { onEnd }),
    createWriter: () => createEnvelopeWriter({ maxBytes, history, root, toolInput, imageUrl }),
  })
  return { log, recorder, outbox }
}

function openLog(
  { store, maxQueuedBytes, observer, publish }: RunServices,
  { session, log, epoch, tail, onStored, known }: RecorderPlace,
): LogWriter {
  const { appended: onAppended } = observer
  const offering = {
    ...(publish !== undefined && { publish }),
    ...(onStored !== undefined && { onStored }),
  }
  const place = { session, log, epoch, tail, ...known }
  return createLogWriter({ ...offering, ...place, store, maxQueuedBytes, onAppended })
}
