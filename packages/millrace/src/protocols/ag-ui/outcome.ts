import type { JsonObject } from '../../json/index.ts'
import type { PausedCall } from '../../events/index.ts'
import type { AgUiFormatOptions, AgUiWaiting } from './ag-ui-format.ts'
import { type AgUiEvent, toAgUiEvent, toMetadata } from './ag-ui-run.ts'

/** Schema of the answer to an interrupt. */
const responseSchema: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string' },
    editedArgs: { type: 'object' },
    inputHash: { type: 'string' },
  },
  required: ['approved'],
}

/** Options of {@link toOutcome}. */
interface WaitingWords {
  readonly client: AgUiFormatOptions['client']
  readonly tagOf: (agent: string) => string | undefined
}

/** Returns the AG-UI outcome of a run. An outcome cannot have both approvals and results, so approvals come first. */
export function toOutcome(
  stopReason: string,
  { results, approvals }: AgUiWaiting,
  words: WaitingWords,
): JsonObject {
  if (approvals.length > 0) {
    return { type: 'interrupt', interrupts: approvals.map((call) => toInterrupt(call, words)) }
  }
  if (stopReason === 'aborted') return { type: 'cancelled' }
  if (results.length === 0) return { type: 'success' }
  return { type: 'success', pendingToolCallIds: results.map(({ callId }) => callId) }
}

/** Returns the events that make a TanStack AI client run the page's tools. It does not run calls that are only pending. */
export function toPageCalls({ results, isReceived = false }: AgUiWaiting): readonly AgUiEvent[] {
  if (isReceived) return []
  return results.map(({ callId: toolCallId, name: toolName, input }) => {
    const value = { toolCallId, toolName, input: jsonOf(input) ?? {} }
    return toAgUiEvent('CUSTOM', { name: 'tool-input-available', value })
  })
}

function toInterrupt(
  { callId, name, input, agent, request }: PausedCall,
  { client, tagOf }: WaitingWords,
): JsonObject {
  const { expires_at: expiresAt } = request
  const known = { kind: 'approval', toolName: name, input: jsonOf(input) ?? {} }
  const metadata = toMetadata({ ...known, ...request })
  const subagentRunId = tagOf(agent)
  return {
    id: callId,
    // TanStack AI creates approvals only for interrupts with this reason.
    reason: client === 'tanstack' ? 'approval_required' : 'tool_call',
    message: `May the tool ${name} run?`,
    toolCallId: callId,
    responseSchema,
    ...(typeof expiresAt === 'string' && { expiresAt }),
    ...(subagentRunId !== undefined && { subagentRunId }),
    ...(metadata !== undefined && { metadata }),
  }
}

/** Converts an input back to JSON. It was decoded from JSON. */
function jsonOf(input: unknown): JsonObject | string | undefined {
  if (input === undefined) return undefined
  return typeof input === 'object' && input !== null ? (input as JsonObject) : String(input)
}
