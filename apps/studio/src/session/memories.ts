import type { Frame } from 'millrace/client'
import { createFaceBook } from '../agents/agent-faces.ts'
import type { FaceBook } from '../agents/agent-faces.ts'
import { createAgentChoice } from './agent-choice.ts'
import type { AgentChoice } from './agent-choice.ts'
import { createCallPlaces } from './call-places.ts'
import type { CallPlaces } from './call-places.ts'
import { createEditedCalls } from './edited-calls.ts'
import type { EditedCalls } from './edited-calls.ts'
import { createFileRuns } from './file-runs.ts'
import type { FileRuns } from './file-runs.ts'
import { createJumps } from './jumps.ts'
import type { Jumps } from './jumps.ts'
import { createMoment } from './moment.ts'
import type { Moment } from './moment.ts'
import { createPromptFiles } from './prompt-files.ts'
import type { PromptFiles } from './prompt-files.ts'
import { createSentWords } from './sent-words.ts'
import type { SentWords } from './sent-words.ts'

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
