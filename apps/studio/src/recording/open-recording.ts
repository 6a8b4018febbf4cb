import { createTranscript } from 'millrace'
import { createSessionId } from 'millrace/client'
import { createFaceBook } from '../agents/agent-faces.ts'
import { createAgentChoice } from '../session/agent-choice.ts'
import { createEditedCalls } from '../session/edited-calls.ts'
import { createFileRuns } from '../session/file-runs.ts'
import { createFrameLog } from '../session/frame-log.ts'
import { createFrozenSession } from '../session/frozen-session.ts'
import { createJumps } from '../session/jumps.ts'
import { createMoment } from '../session/moment.ts'
import { createMoments } from '../session/moments.ts'
import { createPromptFiles } from '../session/prompt-files.ts'
import { createFileReducer } from '../session/reduce-frame.ts'
import { createSentWords } from '../session/sent-words.ts'
import type { StudioSession } from '../session/studio-session.ts'
import { createPause } from './pause.ts'
import type { RecordedItem } from './recorded-item.ts'
import { readRecording } from './read-recording.ts'

/** How a recording is opened. */
export interface OpenRecordingOptions {
  readonly name: string
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

/** Reads a file into a conversation to which nothing can be sent. */
export async function openRecording(
  file: Blob,
  { name, onProgress, signal }: OpenRecordingOptions,
): Promise<StudioSession> {
  const frames = createFrameLog()
  const editedCalls = createEditedCalls()
  const fileRuns = createFileRuns()
  const promptFiles = createPromptFiles()
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
    editedCalls.add(frame)
    fileRuns.add(frame)
    promptFiles.add(frame)
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
  const { session, show } = createFrozenSession({
    id: `recording-${createSessionId()}`,
    options: { url: '' },
  })
  show(transcript)
  const fixed = { server: '', resumed: true, frozen: 'recording' } as const
  const origin = { fileName: name, translatedFrom }
  const loadTimes = () => Promise.resolve()
  const told = {
    editedCalls,
    fileRuns,
    promptFiles,
    sentWords: createSentWords(),
    faces: createFaceBook(),
    jumps: createJumps(),
  }
  const memories = {
    ...told,
    moments,
    moment: createMoment(),
    choice: createAgentChoice(),
    kept: new Map(),
  }
  return { session, frames, ...memories, loadTimes, ...fixed, ...origin }
}
