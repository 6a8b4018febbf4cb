import { createTranscript } from 'millrace'
import { createSessionId } from 'millrace/client'
import { createFileReducer, createFrameLog, createMoments } from '../session/frames/index.ts'
import { createReadOnlySession, createViewState } from '../session/index.ts'
import type { StudioSession } from '../session/index.ts'
import { createFrameIndexes } from '../session/indexes/index.ts'
import { createPause } from './pause.ts'
import { readRecording } from './read-recording.ts'
import type { RecordedItem } from './recorded-item.ts'

/** Options of opening a recording. */
export interface OpenRecordingOptions {
  readonly name: string
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

/** Reads a file into a read-only session. */
export async function openRecording(
  file: Blob,
  { name, onProgress, signal }: OpenRecordingOptions,
): Promise<StudioSession> {
  const frames = createFrameLog()
  const { indexes, addFrame } = createFrameIndexes()
  const moments = createMoments({
    getFrames: frames.getSnapshot,
    createReducer: createFileReducer,
  })
  const reduce = createFileReducer()
  let transcript = createTranscript()
  let count = 0
  const onFrame = ({ id, data, event: _, ...when }: RecordedItem): void => {
    const frame = { id, data }
    frames.add(frame, when)
    addFrame(frame)
    transcript = reduce(transcript, frame)
    moments.keep(++count, transcript)
  }
  const translatedFrom = await readRecording(file, {
    name,
    onFrame,
    onProgress,
    signal,
    pause: createPause(),
  })
  const { session, show } = createReadOnlySession({
    id: `recording-${createSessionId()}`,
    options: { url: '' },
  })
  show(transcript)
  const fixed = { server: '', resumed: true, readOnly: 'recording' } as const
  const origin = { fileName: name, translatedFrom }
  const loadTimes = () => Promise.resolve()
  return {
    session,
    frames,
    moments,
    ...indexes,
    ...createViewState(),
    loadTimes,
    ...fixed,
    ...origin,
  }
}
