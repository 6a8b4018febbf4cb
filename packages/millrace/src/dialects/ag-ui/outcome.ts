import type { JsonObject } from '../../json/index.ts'
import type { ToldCall } from '../../telling/index.ts'
import type { AgUiWaiting } from './ag-ui-dialect.ts'
import { toMetadata } from './ag-ui-event.ts'

/** What the answer to an interrupt may hold. */
const responseSchema: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string' },
    editedArgs: { type: 'object' },
  },
  required: ['approved'],
}

/** How a run ended, in the words of AG-UI; approvals are asked for before results, since no outcome can name both. */
export function toOutcome(
  stopReason: string,
  { results, approvals }: AgUiWaiting,
  tagOf: (agent: string) => string | undefined,
): JsonObject {
  if (approvals.length > 0) {
    return { type: 'interrupt', interrupts: approvals.map((call) => toInterrupt(call, tagOf)) }
  }
  if (stopReason === 'aborted') return { type: 'cancelled' }
  if (results.length === 0) return { type: 'success' }
  return { type: 'success', pendingToolCallIds: results.map(({ toolUseId }) => toolUseId) }
}

function toInterrupt(
  { toolUseId, name, input, agent }: ToldCall,
  tagOf: (agent: string) => string | undefined,
): JsonObject {
  const metadata = toMetadata({ kind: 'approval', toolName: name, input: jsonOf(input) })
  const subagentRunId = tagOf(agent)
  return {
    id: toolUseId,
    reason: 'tool_call',
    message: `May the tool ${name} run?`,
    toolCallId: toolUseId,
    responseSchema,
    ...(subagentRunId !== undefined && { subagentRunId }),
    ...(metadata !== undefined && { metadata }),
  }
}

/** What came out of JSON goes back into it. */
function jsonOf(input: unknown): JsonObject | string | undefined {
  if (input === undefined) return undefined
  return typeof input === 'object' && input !== null ? (input as JsonObject) : String(input)
}
