import {
  isPauseReason,
  type OfType,
  type StatusEvent,
  type StreamEvent,
} from '../../events/index.ts'
import { type JsonValue, parseJsonOr } from '../../json/index.ts'
import type { EventFormat, EventWriter } from '../../protocols/port/index.ts'

/** A command to a run, or the start or end of a run, as its producer reads it. */
type Command =
  | { readonly type: 'run'; readonly run_id: string }
  | { readonly type: 'steer'; readonly number: number; readonly text: string }
  | ({ readonly type: 'result'; readonly text: string; readonly is_error: boolean } & ToCall)
  | ({
      readonly type: 'decision'
      readonly outcome: string
      readonly input?: JsonValue
      readonly reason?: string
    } & ToCall)
  | { readonly type: 'stop' }
  | { readonly type: 'end'; readonly stop_reason: string }

interface ToCall {
  readonly call_id: string
  readonly name: string
}

/** Creates the format in which a producer reads the commands to its runs. Each is a fact of the log, so that cursors are exact. [PROD-5] */
export function createCommandsFormat(): EventFormat {
  return {
    name: 'commands',
    reads: 'events',
    headers: {},
    done: undefined,
    hasLogInIds: true,
    open: (root): EventWriter => {
      const toCommand = createCommandReader()
      return {
        write: (event) => {
          const command = event.agent === root ? toCommand(event) : undefined
          return command === undefined ? [] : [{ data: JSON.stringify(command) }]
        },
        finish: () => [],
      }
    },
  }
}

function createCommandReader(): (event: StreamEvent) => Command | undefined {
  /** The calls that wait for the browser. */
  const awaited = new Set<string>()
  let steers = 0
  let text = ''

  const takeText = (
    event: OfType<StreamEvent, 'tool_result' | 'user_message'>,
  ): Command | undefined => {
    if (event.start) text = ''
    text += event.text
    if (!event.end) return undefined
    if (event.type === 'user_message') return { type: 'steer', number: ++steers, text }
    const { callId: call_id, name, isError: is_error } = event
    return awaited.delete(call_id) ? { type: 'result', call_id, name, text, is_error } : undefined
  }

  return (event) => {
    if (event.type === 'user_message' || event.type === 'tool_result') return takeText(event)
    if (event.type === 'tool_status') return toDecision(event)
    if (event.type === 'run_end') return toEnd(event)
    if (event.type === 'awaiting_frontend_tools')
      for (const { callId } of event.calls) awaited.add(callId)
    if (event.type !== 'run_start') return undefined
    awaited.clear()
    steers = 0
    return { type: 'run', run_id: event.runId ?? '' }
  }
}

const outcomes: ReadonlySet<string> = new Set(['approved', 'refused', 'expired'])

/** Returns a decision, with the arguments that a user has edited, or the reason of a denial. */
function toDecision({ callId, name, stage, detail }: StatusEvent): Command | undefined {
  if (!outcomes.has(stage)) return undefined
  const decision = { type: 'decision', call_id: callId, name, outcome: stage } as const
  if (detail === '') return decision
  if (stage !== 'approved') return { ...decision, reason: detail }
  return { ...decision, input: parseJsonOr(detail, detail) }
}

function toEnd({ stopReason = '' }: OfType<StreamEvent, 'run_end'>): Command | undefined {
  if (isPauseReason(stopReason)) return undefined
  return stopReason === 'aborted' ? { type: 'stop' } : { type: 'end', stop_reason: stopReason }
}
