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

/** A conversation with the record of its frames. */
export interface StudioSession extends FrameIndexes, ViewState {
  readonly session: Session
  readonly frames: FrameLog
  /** The server's address, empty for the page's own. */
  readonly server: string
  /** It was named in the address, so there is something to read. */
  readonly resumed: boolean
  /** What it was before now. */
  readonly moments: Moments
  /** Finds out when what was read after the fact had happened, if the server tells; settles in any case. */
  readonly loadTimes: () => Promise<void>
  /** Why nothing can be sent, if nothing can. */
  readonly readOnly: 'past' | 'recording' | undefined
  /** The name of the file that it was read from, if it was. */
  readonly fileName: string | undefined
  /** What to call the format of that file if it is not our own: its frames are a translation. */
  readonly translatedFrom?: string | undefined
}

/** Opens the conversation that the page's address names, or a new one. */
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
  /** Something has come as it happened. */
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
      // A look that found nothing new: each time someone turns to the page.
      if (isOver && wasOver) return
      count++
      const when = clock?.read()
      isNew ||= when?.isTimed !== false
      frames.add(frame, when)
      addFrame(frame)
    },
  })
  const clock = id ? createHistoryClock() : undefined
  session.subscribe(() => moments.keep(count, session.getSnapshot().transcript))
  if (clock) session.watch().then(clock.finish, clock.finish)
  watchWhenVisible(session)
  const fixed = { server, resumed: id !== '', readOnly: undefined, fileName: undefined }
  const times = createTimesLoader({ session, frames, clock })
  // Also the wire tells when things happened.
  void clock?.finished.then(() => (count > 0 ? times.load() : undefined))
  session.subscribe(() => {
    if (!isNew || !isOver || session.getSnapshot().connection.state !== 'idle') return
    isNew = false
    void times.settle()
  })
  return { session, frames, moments, ...indexes, ...viewState, loadTimes: times.load, ...fixed }
}

/** Reads what came meanwhile when someone turns to the page: another page may have asked or answered. */
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

/** Writes a conversation's id into the page's address, so that a reload goes on with it; undefined takes it out. */
export function showInAddress(id: string | undefined): void {
  replaceParameters({ session: id, recording: undefined })
}

/** Changes parameters of the page's address; undefined takes one out. */
export function replaceParameters(changes: Readonly<Record<string, string | undefined>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  if (url.href !== location.href) history.replaceState(null, '', url)
}

/** Says that what is shown was written in another format; nothing if it was not. */
export function toTranslationNote(translatedFrom: string | undefined): string {
  return translatedFrom === undefined ? '' : `${translatedFrom}, shown as Millrace messages. `
}
