import type { RecordedRequest, Recording } from '../recording.ts'
import { matchKey, routeOf, wantsStream, withoutPrompts } from './match-key.ts'

/** The reason for a choice: the same prompt, or the next matching recording. */
export type ChoiceReason = 'prompt' | 'order'

/** The recording that answers a request. */
export interface Choice {
  readonly recording: Recording
  /** Index in the list of recordings. */
  readonly index: number
  readonly reason: ChoiceReason
}

/** Selects the recording that answers a request, if there is one. */
type RecordingChooser = (request: RecordedRequest) => Choice | undefined

/**
 * Creates a chooser: first by method, path, model and prompt, otherwise in order among recordings of the same
 * route and kind. Recordings of the same prompt are used in rotation.
 */
export function createRecordingChooser(recordings: readonly Recording[]): RecordingChooser {
  const keys = recordings.map(({ request }) => request && matchKey(request))
  let next = 0

  /** Returns the first match after the last choice, wrapping around the list. */
  function findNext(fits: (index: number) => boolean): number | undefined {
    for (let step = 0; step < recordings.length; step++) {
      const index = (next + step) % recordings.length
      if (fits(index)) return index
    }
    return undefined
  }

  function choose(index: number | undefined, reason: ChoiceReason): Choice | undefined {
    const recording = index === undefined ? undefined : recordings[index]
    if (index === undefined || recording === undefined) return undefined
    next = index + 1
    return { recording, index, reason }
  }

  return (request) => {
    const wanted = new Set([matchKey(request), matchKey(withoutPrompts(request))])
    const exact = findNext((index) => keys[index] !== undefined && wanted.has(keys[index]))
    if (exact !== undefined) return choose(exact, 'prompt')
    const kind = { route: routeOf(request), isStream: wantsStream(request) }
    return choose(
      findNext((index) => fitsKind(recordings[index], kind)),
      'order',
    )
  }
}

interface RequestKind {
  readonly route: string
  readonly isStream: boolean
}

/** A recording without a request answers any stream request; so does an error, which is never streamed. */
function fitsKind(recording: Recording | undefined, { route, isStream }: RequestKind): boolean {
  if (recording === undefined) return false
  const { request, response } = recording
  if (request === undefined) return isStream && route.startsWith('POST ')
  if (routeOf(request) !== route) return false
  if (response.status >= 400) return true
  return isStream === (response.headers['content-type'] ?? '').startsWith('text/event-stream')
}
