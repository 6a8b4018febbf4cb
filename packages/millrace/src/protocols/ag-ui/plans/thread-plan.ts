import type { JsonObject } from '../../../json/index.ts'
import { definePlan, type Plan, type StreamFacts, type UserMessage } from '../../port/index.ts'
import { agUiFormat, type AgUiFormatOptions, type AgUiWaiting, readAgUiOptions } from '../index.ts'
import { newestQuestion, type RunInput, runInput, runQuery, toMessageParts } from './run-input.ts'
import { toCallAnswers } from './thread-answers.ts'
import { toOpening, toState } from './thread-history.ts'

/** Sends the newest message, answers calls, or shows a thread. Earlier messages are the client's copy of the conversation. */
export const runPlan = definePlan({
  query: runQuery,
  headers: {
    'Last-Event-ID':
      'The id of the last event that the client read. The stream continues after it, and the body starts nothing.',
  },
  body: runInput,
  reply: {
    description: 'Events of AG-UI 1.0; `x-millrace-session` is the session of the thread.',
    content: 'stream',
    empty: 'The client reconnected after the last event.',
  },
  errors: ['conflict', 'cursor_malformed', 'cursor_ahead', 'cursor_trimmed'],
  plan: ({ body: input, query, search }): Plan => {
    const question = newestQuestion(input)
    const { agent_type: agentType, tool_input: toolInput } = query
    const options = readAgUiOptions(search)
    return {
      session: input.threadId,
      answers: toCallAnswers(input),
      ...(question !== undefined && {
        message: toMessage(input, question, {
          toolInput,
          ...(agentType !== undefined && { agentType }),
        }),
      }),
      reply: {
        type: 'stream',
        extent: 'part',
        isResumable: true,
        otherwise: 'empty',
        format: async (stream) => agUiFormat({ ...options, ...(await toThread(input, stream)) }),
      },
    }
  },
})

function toMessage(
  { runId }: RunInput,
  { id, content }: JsonObject,
  rest: Pick<UserMessage, 'toolInput' | 'agentType'>,
): UserMessage {
  return { parts: toMessageParts(content), id: String(id), requestId: runId, ...rest }
}

async function toThread(input: RunInput, stream: StreamFacts): Promise<AgUiFormatOptions> {
  const { threadId, runId, parentRunId } = input
  const { shows, answered } = stream
  const isOpening = shows !== 'answers' && stream.needsOpening
  const [only, ...others] = toMessageParts(newestQuestion(input)?.['content'])
  const isSteered = shows === 'answers' && only?.type === 'text' && others.length === 0
  return {
    threadId,
    runId,
    ...(typeof parentRunId === 'string' && { parentRunId }),
    opening: isOpening ? await toOpening(input, stream) : toState(input, stream),
    // A client that sent a message already has it.
    prompts: shows === 'session' ? 'tell' : 'leave_out',
    answered,
    waiting: () => toWaiting(stream),
    ...(isSteered && { steered: only.text }),
  }
}

/** A client that has answered some of the calls already received the others. */
function toWaiting({ shows, waiting }: StreamFacts): AgUiWaiting | undefined {
  const calls = waiting()
  return calls && (shows === 'answers' ? { ...calls, isReceived: true } : calls)
}
