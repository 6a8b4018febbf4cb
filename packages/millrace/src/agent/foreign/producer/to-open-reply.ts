import type { JsonObject } from '../../../json/index.ts'
import type { AgentState } from '../../state/index.ts'
import { answersIn } from '../open-foreign-run.ts'
import { notProduced } from './judge-request.ts'

/** Creates the reply to a producer that has opened a run: its progress, the conversation so far, and the answers of a pause. [PROD-1] */
export function toOpenReply(state: AgentState): JsonObject {
  const { produced = notProduced, turn, messages, runId, runStart } = state
  const { epoch, next, steers, ids = {} } = produced
  const own = new Map(Object.entries(ids).map(([id, shown]) => [shown, id]))
  const results = turn?.results ?? []
  const said = results.length === 0 ? messages : [...messages, { role: 'user', content: results }]
  const answers = answersIn(turn).map((one) => ({
    ...one,
    callId: own.get(one.callId) ?? one.callId,
  }))
  const asked = messages[runStart]?.content ?? []
  const prompt = asked
    .flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []))
    .join('\n')
  // Messages and answers are stored as JSON.
  return {
    epoch,
    next,
    steers,
    run_id: runId,
    prompt,
    messages: said,
    answers,
  } as unknown as JsonObject
}
