import { createTranscript } from 'millrace'
import { createSessionId } from 'millrace/client'
import { createFrameLog, createMoments, reduceFrame } from '../session/frames/index.ts'
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
  // A file may begin anywhere and lack frames.
  const frames = createFrameLog({ skipsHoles: true })
  const { indexes, addFrame } = createFrameIndexes()
  const moments = createMoments({ getFrames: frames.getSnapshot })
  let transcript = createTranscript()
  let count = 0
  const onFrame = ({ id, data, event: _, ...when }: RecordedItem): void => {
    const frame = frames.add({ id, data }, when)
    addFrame(frame)
    transcript = reduceFrame(transcript, frame)
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
