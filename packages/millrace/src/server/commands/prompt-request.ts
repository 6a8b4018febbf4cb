import { badRequest, MillraceError } from '../../errors/index.ts'
import type { JsonValue } from '../../json/index.ts'
import type { Prompt, HistoryMode } from '../../events/index.ts'
import type { StoredSession, ToolInputMode } from '../sessions/session-record.ts'
import { toTitle } from '../sessions/session-titles.ts'
import type { MessageKey } from './receipts.ts'

/** A request to run an agent with a prompt. */
export interface PromptRequest {
  readonly session: string
  /** The agent; an existing session keeps its own. */
  readonly agentType?: string
  readonly prompt: Prompt
  /** The owner of the session if the request creates it; none if absent. */
  readonly owner?: string | null
  /** The context of its sender, for the agent. */
  readonly context?: JsonValue
  /** Identifies repeated requests. */
  readonly key?: MessageKey
  /** Behaviour while a run is active; `reject` if absent. [CMD-4] */
  readonly whenBusy?: 'reject' | 'queue' | 'steer' | 'interrupt'
  readonly history: HistoryMode
  readonly toolInput: ToolInputMode
}

interface PromptContext {
  readonly agentType: string
  readonly now: number
  /** The id of the first frame of the run. */
  readonly firstId: number
}

/** Creates the stored session after a prompt. */
export function toPromptedSession(
  before: StoredSession | undefined,
  { prompt, key, history, toolInput, context }: PromptRequest,
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
    context,
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

/** Chooses the agent of a prompt. Throws if it is not offered, or not the session's agent. */
export function chooseAgentType(
  { agentType, session }: PromptRequest,
  before: Pick<StoredSession, 'agentType'> | undefined,
  { offered, defaultAgent }: { readonly offered: readonly string[]; readonly defaultAgent: string },
): string {
  const chosen = agentType ?? before?.agentType ?? defaultAgent
  if (!offered.includes(chosen)) {
    throw badRequest(
      `There is no agent ${JSON.stringify(chosen.slice(0, 80))} here; choose one of: ${offered.join(', ')}.`,
    )
  }
  if (before === undefined || before.agentType === chosen) return chosen
  throw new MillraceError(
    'conflict',
    `Session ${session} belongs to the agent ${before.agentType}; leave agent_type out, or start a new session.`,
  )
}
