import { createSharedSession } from 'millrace/client'
import type { Session } from 'millrace/client'
import { accessTo, createExactFetch, readServerInAddress } from '../server/index.ts'
import {
  createFrameLog,
  createHistoryClock,
  createMoments,
  createTimesLoader,
} from './frames/index.ts'
import type { FrameLog, Moments } from './frames/index.ts'
import { createFrameIndexes } from './indexes/index.ts'
import type { FrameIndexes } from './indexes/index.ts'
import { createViewState } from './view-state.ts'
import type { ViewState } from './view-state.ts'

/** A session with its frames and the state of the page. */
export interface StudioSession extends FrameIndexes, ViewState {
  readonly session: Session
  readonly frames: FrameLog
  /** Address of the server; empty for the page's own. */
  readonly server: string
  /** The session was in the address, so it has a history. */
  readonly resumed: boolean
  /** Transcripts of past moments. */
  readonly moments: Moments
  /** Loads the storage times of the history if the server has them; never rejects. */
  readonly loadTimes: () => Promise<void>
  /** Reason why nothing can be sent. */
  readonly readOnly: 'past' | 'recording' | undefined
  /** Name of the recording. */
  readonly fileName: string | undefined
  /** Name of the recording's format if its frames were converted. */
  readonly translatedFrom?: string | undefined
}

/** Opens the session in the page's address, or a new one. */
export function openStudioSession(): StudioSession {
  const parameters = new URL(location.href).searchParams
  const id = parameters.get('session') ?? ''
  const server = readServerInAddress()
  const frames = createFrameLog()
  const { indexes, addFrame } = createFrameIndexes()
  const viewState = createViewState()
  const moments = createMoments({ getFrames: frames.getSnapshot })
  const { url, headers, toGroup } = accessTo(server)
  let count = 0
  let isOver = false
  /** A live frame has arrived. */
  let isNew = false
  const session: Session = createSharedSession({
    url,
    headers,
    shareKey: toGroup,
    fetch: createExactFetch(id ? {} : { maxMessages: Infinity }),
    ...(id && { session: id }),
    runFields: viewState.choice.runFields,
    onFrame: (frame) => {
      const wasOver = isOver
      isOver = frame.data === '[DONE]'
      // A check without news, as when the user returns to the page.
      if (isOver && wasOver) return
      count++
      const when = clock?.read()
      isNew ||= when?.isTimed !== false
      addFrame(frames.add(frame, when))
    },
  })
  const clock = id ? createHistoryClock() : undefined
  session.subscribe(() => moments.keep(count, session.getSnapshot().transcript))
  if (clock) session.watch().then(clock.finish, clock.finish)
  watchWhenVisible(session)
  const fixed = { server, resumed: id !== '', readOnly: undefined, fileName: undefined }
  const times = createTimesLoader({ session, frames, clock })
  // The wire shows times as well.
  void clock?.finished.then(() => (count > 0 ? times.load() : undefined))
  session.subscribe(() => {
    if (!isNew || !isOver || session.getSnapshot().connection.state !== 'idle') return
    isNew = false
    void times.settle()
  })
  return { session, frames, moments, ...indexes, ...viewState, loadTimes: times.load, ...fixed }
}

/** Reads new frames when the user returns to the page, since another page may have sent something. */
function watchWhenVisible(session: Session): void {
  const follow = (): void => {
    const { connection, transcript } = session.getSnapshot()
    const isAtRest = connection.state === 'idle' && transcript.lastId > 0
    if (isAtRest && document.visibilityState === 'visible') void session.watch()
  }
  const closing = new AbortController()
  addEventListener('focus', follow, closing)
  document.addEventListener('visibilitychange', follow, closing)
  session.subscribe(() => {
    if (session.getSnapshot().connection.state === 'closed') closing.abort()
  })
}

/** Writes the id of a session into the page's address for a reload; undefined removes it. */
export function showInAddress(id: string | undefined): void {
  replaceParameters({ session: id, recording: undefined })
}

/** Changes parameters of the page's address; undefined removes one. */
export function replaceParameters(changes: Readonly<Record<string, string | undefined>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  if (url.href !== location.href) history.replaceState(null, '', url)
}

/** Returns a note about a converted format; empty without one. */
export function toTranslationNote(translatedFrom: string | undefined): string {
  return translatedFrom === undefined ? '' : `${translatedFrom}, shown as Millrace messages. `
}
