import type { Frame } from 'millrace/client'
import { createFaceBook } from './agent-colors.ts'
import type { FaceBook } from './agent-colors.ts'
import { createAgentChoice } from './agent-choice.ts'
import type { AgentChoice } from './agent-choice.ts'
import { createCallPlaces } from './indexes/call-times.ts'
import type { CallPlaces } from './indexes/call-times.ts'
import { createEditedCalls } from './indexes/edited-calls.ts'
import type { EditedCalls } from './indexes/edited-calls.ts'
import { createFileRuns } from './indexes/file-runs.ts'
import type { FileRuns } from './indexes/file-runs.ts'
import { createJumps } from './jumps.ts'
import type { Jumps } from './jumps.ts'
import { createMoment } from './selected-moment.ts'
import type { Moment } from './selected-moment.ts'
import { createPromptFiles } from './indexes/prompt-files.ts'
import type { PromptFiles } from './indexes/prompt-files.ts'
import { createSentWords } from './sent-commands.ts'
import type { SentWords } from './sent-commands.ts'

/** What the page remembers of a conversation besides its transcript and its frames. */
export interface Memories {
  /** When calls began and ended. */
  readonly callPlaces: CallPlaces
  readonly editedCalls: EditedCalls
  readonly fileRuns: FileRuns
  readonly promptFiles: PromptFiles
  /** What was sent from here to calls that waited. */
  readonly sentWords: SentWords
  /** How its agents are told apart. */
  readonly faces: FaceBook
  /** The ways between its views. */
  readonly jumps: Jumps
  /** What of it is shown. */
  readonly moment: Moment
  /** Who is asked. */
  readonly choice: AgentChoice
  /** What people have opened, chosen and begun to write in it, for when it is shown again. */
  readonly kept: Map<string, unknown>
}

/** Creates the memories of a conversation, and what gives them each frame that its log takes. */
export function createMemories() {
  const fed = {
    callPlaces: createCallPlaces(),
    editedCalls: createEditedCalls(),
    fileRuns: createFileRuns(),
    promptFiles: createPromptFiles(),
  }
  const memories: Memories = {
    ...fed,
    sentWords: createSentWords(),
    faces: createFaceBook(),
    jumps: createJumps(),
    moment: createMoment(),
    choice: createAgentChoice(),
    kept: new Map(),
  }
  const readers = Object.values(fed)
  const feed = (frame: Frame): void => {
    for (const reader of readers) reader.add(frame)
  }
  return { memories, feed }
}
