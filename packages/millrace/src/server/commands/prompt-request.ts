import { MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { HistoryMode } from '../../exit/index.ts'
import type { StoredSession, ToolInputMode } from '../sessions/session-record.ts'
import { toTitle } from '../sessions/to-title.ts'
import type { MessageKey } from './receipts.ts'

/** A question to an agent. */
export interface PromptRequest {
  readonly session: string
  /** Which agent is asked; a session that goes on keeps its own. */
  readonly agentType?: string
  readonly prompt: Prompt
  /** The owner of the session if the question creates it; none if absent. */
  readonly owner?: string | null
  /** By which the same question sent again is known. */
  readonly key?: MessageKey
  /** What is done with it while a run is under way: refused unless it says otherwise. [CMD-4] */
  readonly whenBusy?: 'reject' | 'queue' | 'steer' | 'interrupt'
  readonly history: HistoryMode
  readonly toolInput: ToolInputMode
}

/** What surrounds a question. */
export interface PromptContext {
  readonly agentType: string
  readonly now: number
  /** The id that the first message of the run will have. */
  readonly firstId: number
}

/** What is stored of a session once it was asked something. */
export function toPromptedSession(
  before: StoredSession | undefined,
  { prompt, key, history, toolInput }: PromptRequest,
  { agentType, now, firstId }: PromptContext,
): StoredSession {
  const asked = {
    version: 2,
    updatedAt: now,
    runs: (before?.runs ?? 0) + 1,
    status: 'running',
    stopReason: null,
    history,
    toolInput,
    question: prompt,
    startedAt: now,
    runFirst: firstId,
    ...(key !== undefined && { prompt: toStoredKey(key) }),
  } as const
  if (before !== undefined) {
    const { prompt: _prompt, run: _run, ...rest } = before
    return { ...rest, ...asked }
  }
  const title = toTitle(prompt)
  return { ...asked, agentType, title, createdAt: now, recordedAt: 0, answers: [] }
}

function toStoredKey({ key, digest, messageId }: MessageKey): MessageKey {
  return { key, digest, ...(messageId !== undefined && { messageId }) }
}

/** The agent that a question goes to, checked against what is offered and what the session began with. */
export function chooseAgentType(
  { agentType, session }: PromptRequest,
  before: Pick<StoredSession, 'agentType'> | undefined,
  { offered, defaultAgent }: { readonly offered: readonly string[]; readonly defaultAgent: string },
): string {
  const chosen = agentType ?? before?.agentType ?? defaultAgent
  if (!offered.includes(chosen)) {
    throw new MillraceError(
      'bad_request',
      `There is no agent ${JSON.stringify(chosen.slice(0, 80))} here; choose one of: ${offered.join(', ')}.`,
    )
  }
  if (before === undefined || before.agentType === chosen) return chosen
  throw new MillraceError(
    'conflict',
    `Session ${session} belongs to the agent ${before.agentType}; leave agent_type out, or start a new session.`,
  )
}
