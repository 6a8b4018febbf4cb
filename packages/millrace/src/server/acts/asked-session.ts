import { MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { HistoryMode } from '../../exit/index.ts'
import type { StoredSession, ToolInputMode } from '../session-record.ts'
import { toTitle } from '../to-title.ts'

/** A question to an agent. */
export interface Question {
  readonly session: string
  /** Which agent is asked; a session that goes on keeps its own. */
  readonly agentType?: string
  readonly prompt: Prompt
  /** By which the same prompt sent again is known. */
  readonly promptKey?: string
  /** The id of the request, which asks once however often it is sent. */
  readonly requestId?: string
  readonly history: HistoryMode
  readonly toolInput: ToolInputMode
}

/** What surrounds a question. */
export interface QuestionContext {
  readonly agentType: string
  readonly now: number
  /** The id that the first message of the run will have. */
  readonly firstId: number
  /** How many parts the state has. */
  readonly runParts: number
  /** How many requests are remembered. */
  readonly maxRequests: number
}

/** What is stored of a session once it was asked something. */
export function toAskedSession(
  before: StoredSession | undefined,
  { prompt, promptKey, requestId, history, toolInput }: Question,
  { agentType, now, firstId, runParts, maxRequests }: QuestionContext,
): StoredSession {
  const runs = (before?.runs ?? 0) + 1
  const request = requestId === undefined ? [] : [{ id: requestId, run: runs, firstId }]
  const requests = [...(before?.requests ?? []), ...request].slice(-maxRequests)
  const asked = {
    version: 2,
    updatedAt: now,
    runs,
    status: 'running',
    stopReason: null,
    history,
    toolInput,
    question: prompt,
    startedAt: now,
    runFirst: firstId,
    runParts,
    ...(promptKey !== undefined && { promptKey }),
    ...(requests.length > 0 && { requests }),
  } as const
  if (before !== undefined) {
    const { promptKey: _, ...rest } = before
    return { ...rest, ...asked }
  }
  const title = toTitle(prompt)
  return { ...asked, agentType, title, createdAt: now, recordedAt: 0, answers: [] }
}

/** The agent that a question goes to, checked against what is offered and what the session began with. */
export function chooseAgentType(
  { agentType, session }: Question,
  before: StoredSession | undefined,
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
